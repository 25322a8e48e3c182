import { agentWords } from '../contract/agent-words.ts';
import { projectWords, sessionWords, worktreeWords } from '../contract/fleet-words.ts';
import type { AgentsData } from '../contract/verbs-agents.ts';
import type { FleetData, FleetWorktree, PeekData, ProjectsData } from '../contract/verbs-fleet.ts';

/** Worktrees that are told with their sessions; of those beyond only how many they are. */
const MOST_WORKTREES = 30;
const MOST_SESSIONS = 3;

/** A fleet as text: those that need a person first, across all projects, then each project’s others. */
export function fleetLines({ projects, unread = [] }: FleetData): string[] {
  const all = projects.flatMap((project) => project.worktrees.map((one) => ({ project, one })));
  const needing = all.filter(({ one }) => one.needs_attention !== undefined);
  const others = all.filter(({ one }) => one.needs_attention === undefined);
  const shown = [...needing, ...others].slice(0, MOST_WORKTREES);
  const more = all.length - shown.length;
  const silent = projects.filter(({ worktrees }) => worktrees.length === 0);
  return [
    ...shown.flatMap(({ one }) => worktreeLines(one)),
    ...(more > 0 ? [`- and ${more} more: status with path lists those of one project`] : []),
    ...silent.map(
      (project) => `- project ${project.root}: ${projectWords(project) ?? 'nothing is known of it'}`,
    ),
    ...unread.slice(0, 5).map(({ client, why }) => `not read of ${client}: ${why}`),
  ];
}

function worktreeLines(one: FleetWorktree): string[] {
  const { root, branch, title, needs_attention: why, sessions } = one;
  const words = [...(title === undefined ? [] : [`"${title}"`]), ...worktreeWords(one)];
  return [
    `- ${why ? `${why.join(', ')}: ` : ''}${root} (${[branch ?? 'detached', ...words].join('; ')})`,
    ...sessions.slice(0, MOST_SESSIONS).map((row) => `  - ${sessionWords(row)}`),
  ];
}

/** One worktree: how it stands, its job's last lines, and its session's last words. */
export function peekLines(data: PeekData): string[] {
  const { title, needs_attention: why, commits = [], job, session, sessions } = data;
  const words = [...(title === undefined ? [] : [`"${title}"`]), ...worktreeWords(data)];
  return [
    ...(why ? [`needs a person: ${why.join(', ')}`] : []),
    ...(words.length > 0 ? [words.join('; ')] : []),
    ...commits.map(({ commit, subject }) => `- ${commit.slice(0, 10)} ${subject}`),
    ...(job ? [`job, the end of ${job.path}:`, job.output.trimEnd()] : []),
    ...(session ? [`session ${sessionWords(session)}`] : []),
    ...(session?.text ? ['its last words:', session.text] : []),
    ...(sessions > 1 ? [`and ${sessions - 1} more sessions`] : []),
  ];
}

/** Each checkout that may be named as `path`. */
export const projectLines = ({ projects }: ProjectsData): string[] =>
  projects.map(
    ({ path, name, branch, location, vanished }) =>
      `- ${path} (${name}, ${vanished ? 'vanished' : `${branch ?? 'detached'}, ${location}`})`,
  );

/** Each agent client that is installed, and those that are not. */
export const agentLines = ({ agents, missing = [] }: AgentsData): string[] => [
  ...agents.map((one) => `- ${one.client} ${agentWords(one).join(', ')}: ${one.path}`),
  ...(missing.length > 0 ? [`not on PATH: ${missing.join(', ')}`] : []),
];
