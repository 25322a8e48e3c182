import * as z from 'zod';
import { hookDefaults } from './hook-defaults.ts';

/** What happens when evidence says that a caller stands in another checkout than its held root (contract §3). */
export const followModes = ['follow', 'refuse', 'tell'] as const;

export const CallersTable = z.strictObject({
  follow: z
    .enum(followModes)
    .default('follow')
    .describe(
      'When an agent is in another checkout than the held root: follow moves the held root there, refuse answers caller_elsewhere, tell only says so.',
    ),
  guard_writes: z
    .boolean()
    .default(hookDefaults.guard_writes)
    .describe(
      'A hook of ours denies a session in a linked worktree to write a file of another checkout of the same repository, by an edit or by a shell command that plainly does.',
    ),
  ask_for_proof: z
    .boolean()
    .default(hookDefaults.ask_for_proof)
    .describe(
      'A hook of ours asks once for done, when a session in a linked worktree ends its turn with commits that have no proof.',
    ),
});

export const ConsentTable = z.strictObject({
  mode: z
    .enum(['never', 'ask'])
    .default('never')
    .describe(
      'ask: accept, and drop with force, ask a person first, by the client’s own dialog or in the terminal; a client that cannot ask is refused.',
    ),
});

/** How work lands on the trunk. */
export const landingWays = ['ff', 'merge', 'squash', 'rebase'] as const;
export type LandingWay = (typeof landingWays)[number];

export const LandingTable = z.strictObject({
  how: z
    .enum(landingWays)
    .default('ff')
    .describe(
      'What the trunk moves to: ff, the branch’s commit; merge, a merge commit; squash, one commit of all; rebase, its commits anew.',
    ),
});

export const OurWorktreeTable = z.strictObject({
  include: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Files git ignores that come along into a new worktree, as gitignore patterns from the project’s directory on; with those of .worktreeinclude.',
    ),
  keep: z
    .number()
    .min(0)
    .max(36_500)
    .default(30)
    .describe('Days after which prune removes a recovery ref; 0 keeps them all.'),
});

export const ReceiptsTable = z.strictObject({
  check_every: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(20)
    .describe(
      'Of so many reuses of a job’s result one is checked by running it all the same; 0 checks none.',
    ),
});

export const CiTable = z.strictObject({
  unsigned_notes: z.boolean().default(false).describe('true: believe unsigned notes too.'),
});

/**
 * The shape of `discern-vscode.toml`, which stands beside `discern.toml` and holds what the published format has no word
 * for. The file is optional, and so is each table.
 */
export const SettingsFile = z.strictObject({
  callers: CallersTable.prefault({}).describe('Agents that move by their own client’s means.'),
  receipts: ReceiptsTable.prefault({}).describe(
    'Results that stand in for jobs whose declared inputs have not changed.',
  ),
  ci: CiTable.prefault({}).describe('What done --ci believes.'),
  worktree: OurWorktreeTable.prefault({}).describe(
    'What comes along into worktrees, and what is kept of them.',
  ),
  consent: ConsentTable.prefault({}).describe('Whether a person is asked before work lands or is dropped.'),
  landing: LandingTable.prefault({}).describe('How work lands on the trunk.'),
});

/** `discern-vscode.toml` as the engine reads it, defaults filled in. */
export type Settings = z.output<typeof SettingsFile>;
