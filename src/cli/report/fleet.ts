import { projectWords, sessionWords, worktreeWords } from '../../contract/fleet-words.ts';
import type { FleetData, FleetWorktree, PeekData, ProjectsData } from '../../contract/verbs-fleet.ts';
import type { Ink } from '../ink.ts';

/** Each project with its worktrees, those that need a person first. */
export function fleetLines({ projects, unread = [] }: FleetData, ink: Ink): string[] {
  return [
    ...projects.flatMap((project) => {
      const words = projectWords(project);
      return [
        `${ink.bold(project.name)} ${ink.dim(project.root)}${words === undefined ? '' : `  ${words}`}`,
        ...project.worktrees.flatMap((one) => worktreeLines(one, ink)),
      ];
    }),
    ...unread.map(({ client, why }) => `${ink.yellow('not read')} of ${client}: ${why}`),
  ];
}

function worktreeLines(one: FleetWorktree, ink: Ink): string[] {
  const { branch, title, path, needs_attention: why, sessions } = one;
  const name = ink.cyan(branch ?? 'detached HEAD');
  const words = worktreeWords(one).join(', ');
  return [
    `  ${why ? `${ink.yellow(`! ${why.join(', ')}`)}  ` : ''}${name}${title === undefined ? '' : ` ${title}`}  ${words}`,
    `    ${ink.dim(path)}`,
    ...sessions.map((row) => `    - ${sessionWords(row)}`),
  ];
}

/** One worktree: how it stands, its job's last lines, and its session's last words. */
export function peekLines(data: PeekData, ink: Ink): string[] {
  const { title, needs_attention: why, commits = [], job, session } = data;
  const words = worktreeWords(data).join(', ');
  return [
    ...(title === undefined ? [] : [`  ${ink.bold(title)}`]),
    ...(why ? [`  ${ink.yellow(`! ${why.join(', ')}`)}`] : []),
    ...(words === '' ? [] : [`  ${words}`]),
    ...commits.map(({ commit, subject }) => `  ${ink.dim(commit.slice(0, 10))} ${subject}`),
    ...(job ? ['', `${ink.bold('job')} ${ink.dim(job.path)}`, ...job.output.trimEnd().split('\n')] : []),
    ...(session ? ['', `${ink.bold('session')} ${sessionWords(session)}`] : []),
    ...(session?.text ? session.text.split('\n') : []),
  ];
}

/** Each checkout, with its project and branch. */
export const projectLines = ({ projects }: ProjectsData, ink: Ink): string[] =>
  projects.map(
    ({ path, name, branch, vanished, empty }) =>
      `  ${ink.bold(name)}  ${path}  ${vanished ? ink.yellow('vanished') : `${branch ?? 'detached HEAD'}${empty ? ', no worktrees' : ''}`}`,
  );
