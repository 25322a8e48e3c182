import projects from 'virtual:projects-tool';
import type { Verb } from '../../contract/verbs.ts';
import type { ToolEntry } from '../manifest.ts';
import type { RemoteVerb } from './remote-calls.ts';

const pathWords = 'Any directory of the project to act on, absolute, on the server’s machine. Required.';

/** What else a tool's words must be where there is no held root: the contract's speak of one. */
const descriptions: Partial<Record<Verb, string>> = {
  status:
    'Show how the checkout at `path` stands: its branch, changes, distance from the trunk, proof, and all worktrees. Finishes a landing that was interrupted, if there is one. Call it whenever edits and gate results seem to disagree.',
  start:
    'Create a git worktree on a new branch for one piece of work. Moves no files of yours. Pass the path it answers with every later call about this work, and edit only there. Do not call it with the path of a worktree.',
  prepare:
    'Run the project’s fix jobs (formatters: they rewrite files) and check jobs (lint, types) in the checkout at `path`. The quick loop while editing; it earns no proof. Use `done` for the whole gate.',
  test: 'Run the project’s test jobs in the checkout at `path`. It earns no proof; use `done` when the work is finished.',
  done: 'Run every declared job (fix, build, check, test, scope gates), generator and standard in the checkout at `path` and, when all pass on a clean committed tree, record the proof `accept` needs. Commit first; refuses when the branch lacks trunk commits (call `update`).',
  accept:
    'Land the commits of the worktree at `path` on the trunk, then delete the worktree directory and its branch. Runs the gate first unless a valid proof exists. Call it only when the person wants the work landed.',
  standards:
    'Measure the project’s standards (numbers that may only improve) in the checkout at `path`, on-demand ones too, and compare their limits with the trunk’s. With `pin`, tighten the limits that improved in discern.toml and commit that alone; needs a clean tree. `done` measures the others by itself.',
  doctor:
    'Look at everything discern stands on at `path` (git, Node, shell, discern.toml, trunk, repository, what interrupted runs left, the tools jobs run, hosts’ MCP settings) and list findings, each with its remedy. Changes nothing, and answers anywhere. Call it when another tool’s refusal does not explain itself.',
};

const looking: Partial<Record<Verb, string>> = {
  status:
    'Show how the checkout at `path` stands: its branch, changes, distance from the trunk, proof, and all worktrees. An interrupted landing is named, not finished: this server only looks.',
};

/** The tools of a server without a held root, from those of one that has it: `path` is required, and projects can be listed. */
export function remoteTools(tools: readonly ToolEntry[]): ToolEntry<RemoteVerb>[] {
  return [projects, ...tools.map(remote)];
}

function remote(tool: ToolEntry): ToolEntry<RemoteVerb> {
  const { verb, inputSchema } = tool;
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  const words = descriptions[verb];
  const lookingWords = looking[verb];
  return {
    ...tool,
    ...(words !== undefined && { description: words }),
    ...(lookingWords !== undefined && { looking: lookingWords }),
    ...('path' in properties && {
      inputSchema: {
        ...inputSchema,
        properties: { ...properties, path: { ...properties.path, description: pathWordsOf(verb) } },
        required: [...required, 'path'],
      },
    }),
  };
}

function pathWordsOf(verb: Verb): string {
  if (verb === 'init')
    return 'The directory to make a project of, absolute, on the server’s machine. Required.';
  return pathWords;
}
