import { isKnown, type Proposal, type ProposedJob } from './proposal.ts';

/** A TOML basic string (TOML 1.0, "String"); JSON escapes the same, less the delete character and halves of characters. */
function quote(text: string): string {
  return JSON.stringify(text.replace(/[\uD800-\uDFFF]/gu, '?')).replaceAll('\u007f', '\\u007F');
}

/** What may stand behind `#`: one line without control characters (TOML 1.0, "Comment"). */
const comment = (text: string) => text.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').slice(0, 120);

/** The proposal as the text of a `discern.toml`, each line saying where it comes from. */
export function writeToml({ name, trunk, jobs, setup, files }: Proposal): string {
  const sections = [
    [
      '# What must pass here before work lands. `discern done` runs it; every job is a shell command run in this directory.',
      files.length > 0
        ? `# Proposed from ${comment(files.join(', '))}: change it as you like.`
        : '# Change it as you like.',
    ],
    ['[project]', `name = ${quote(name)}`],
    ...(trunk === undefined
      ? []
      : [['[repository]', '# The branch finished work lands on.', `trunk = ${quote(trunk)}`]]),
    jobTable(jobs.filter((job) => isKnown(job.name))),
    ...jobs.filter((job) => !isKnown(job.name)).map(customJob),
    ...(setup.length === 0
      ? []
      : [
          [
            '[worktree.setup]',
            '# A new worktree holds only what is committed, so what the jobs need is put there first.',
            'steps = [',
            ...setup.map(({ command, from }) => `  ${quote(command)}, # ${comment(from)}`),
            ']',
          ],
        ]),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function jobTable(jobs: readonly ProposedJob[]): string[] {
  if (jobs.length === 0) {
    return [
      '[jobs]',
      '# No job of a known name was found. The names are format, build, lint, typecheck, test and smoke:',
      '# test = "./run-the-tests"',
    ];
  }
  return ['[jobs]', ...jobs.map(({ name, run, from }) => `${name} = ${quote(run)} # ${comment(from)}`)];
}

function customJob({ name, stage, run, from }: ProposedJob): string[] {
  return [`[jobs.${name}]`, `stage = ${quote(stage)}`, `run = ${quote(run)} # ${comment(from)}`];
}
