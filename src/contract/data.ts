import * as z from 'zod';
import { jobStages } from './config.ts';
import { Drift, JobCounts, ProofState, ScopeResult, StandardResult } from './data-gate.ts';
import { where } from './data-where.ts';
import { PullRequest } from './pull-request.ts';
import { QueueEntry } from './verbs-queue.ts';

export * from './data-gate.ts';
export { CallerStanding, where } from './data-where.ts';
/** How a candidate for the spawn root fared. */
export const RootCandidate = z.strictObject({
  mechanism: z.string(),
  value: z.string().optional(),
  outcome: z.string(),
});
export type RootCandidate = z.infer<typeof RootCandidate>;

/** The held root, as the server that answers holds it. */
export const Held = z.strictObject({
  root: z.string().nullable(),
  spawn_root: z.string().nullable(),
  mechanism: z.string().nullable().describe('How the spawn root was found.'),
  moved_by: z
    .string()
    .optional()
    .describe('What last re-aimed the server: a verb, a person, or the caller’s own move.'),
  evidence: z.string().optional().describe('What told of the caller’s own move.'),
  missing: z.boolean().describe('True when the held root no longer exists.'),
  candidates: z.array(RootCandidate).optional(),
  passed_over: z.array(z.string()).optional().describe('What was named as the root and is not a project.'),
});
export type Held = z.infer<typeof Held>;

export const Worktree = z.strictObject({
  path: z.string(),
  root: z.string().describe('The project root inside it.'),
  branch: z.string().nullable(),
  commit: z.string(),
  location: z.enum(['main', 'worktree']),
  landing: z.boolean().describe('True for the checkout that has the trunk.'),
  managed: z.boolean().describe('True when discern made it, and so may remove it.'),
  locked: z.string().optional().describe('The lock reason; empty when locked without one.'),
  prunable: z.string().optional(),
  parked: z.string().optional().describe('Since when its directory is put away; unpark brings it back.'),
  id: z.string().optional(),
  title: z.string().optional(),
  tickets: z.array(z.string()).optional().describe('As `owner/repo#42`.'),
  port: z.number().int().optional(),
  listening: z.boolean().optional().describe('Something on this machine listens on that port.'),
  ahead: z.number().int().optional(),
  behind: z.number().int().optional(),
  clean: z.boolean().optional(),
  tracked_changes: z.number().int().optional().describe('Tracked files that differ from its HEAD.'),
  landed: z.string().optional().describe('The trunk’s commit its work landed as, squashed or rebased.'),
});
export type Worktree = z.infer<typeof Worktree>;

/** A ref under which a removal kept what only a worktree had. */
export const KeptRef = z.strictObject({
  ref: z.string(),
  commit: z.string(),
  kept_at: z.string().optional().describe('Since when, as far as is known.'),
  restore: z.string().describe('The command that brings it back, as a branch.'),
  remove: z.string().describe('The command that lets it go.'),
});
export type KeptRef = z.infer<typeof KeptRef>;

/** The trunk's upstream, where the local trunk lacks commits of it. */
export const TrunkUpstream = z.strictObject({
  name: z.string(),
  commit: z.string(),
  ahead: z.number().int().describe('Commits on the local trunk that its upstream lacks.'),
  behind: z.number().int().describe('Commits of the upstream that the local trunk lacks.'),
  remedy: z.string().describe('The command that brings them in.'),
});
export type TrunkUpstream = z.infer<typeof TrunkUpstream>;

export const StatusData = z.strictObject({
  ...where,
  location: z.enum(['main', 'worktree']),
  trunk: z.string(),
  ahead: z.number().int().describe('Commits on HEAD that the trunk lacks.'),
  behind: z.number().int().describe('Commits on the trunk that HEAD lacks.'),
  upstream: TrunkUpstream.optional().describe(
    'Only when the local trunk is behind its upstream, as last fetched.',
  ),
  clean: z.boolean().describe('No staged, unstaged or untracked change.'),
  changes: z.strictObject({
    staged: z.number().int(),
    unstaged: z.number().int(),
    untracked: z.number().int(),
  }),
  proof: ProofState,
  held: Held.optional().describe('Present when a server answers.'),
  worktrees: z.array(Worktree),
  findings: z
    .array(z.strictObject({ what: z.string(), remedy: z.string() }))
    .optional()
    .describe('Leftovers of interrupted runs, each with the command that cleans it up.'),
  recovery: z.strictObject({ performed: z.boolean(), detail: z.string() }).optional(),
  kept: z
    .strictObject({ total: z.number().int(), refs: z.array(KeptRef).describe('The newest first.') })
    .optional()
    .describe('What removals have kept under refs/discern/recovered/.'),
});
export type StatusData = z.infer<typeof StatusData>;

export const Brought = z.strictObject({
  paths: z.array(z.string()).describe('What git ignores and came along, from the git top.'),
  more: z.number().int().optional(),
  files: z.number().int(),
  bytes: z.number().int(),
  how: z.enum(['reflink', 'copy']),
});
export type Brought = z.infer<typeof Brought>;

export const StartData = z.strictObject({
  ...where,
  path: z.string().describe('The project root in the new worktree.'),
  worktree: z.string().describe('The git top of the new worktree.'),
  id: z.string(),
  base: z.string().describe('What the new branch starts from.'),
  base_commit: z.string(),
  port: z.number().int().optional().describe('A TCP port that is this worktree’s own.'),
  brought: Brought.optional(),
});
export type StartData = z.infer<typeof StartData>;

export const UpdateData = z.strictObject({
  ...where,
  from: z.string(),
  before: z.string(),
  after: z.string(),
  merged: z.boolean(),
  conflicts: z.array(z.string()),
  regenerated: z
    .array(z.string())
    .optional()
    .describe('Generated files that conflicted and were regenerated instead of merged.'),
});
export type UpdateData = z.infer<typeof UpdateData>;

export const Landing = z.strictObject({
  recovery_performed: z.boolean().describe('An interrupted landing was finished first.'),
  trunk_landed: z.boolean(),
  worktree_removed: z.boolean(),
  branch_deleted: z.boolean(),
  pushed: z.strictObject({ remote: z.string(), ref: z.string() }).optional(),
});
export type Landing = z.infer<typeof Landing>;

/** The arguments of accept that land work otherwise than now and here. */
export const otherWays = ['queue', 'push', 'pr'] as const;
export type OtherWay = (typeof otherWays)[number];

export const AcceptData = z.strictObject({
  ...where,
  landing: Landing,
  trunk: z.string(),
  landed_commit: z.string().optional().describe('Absent where nothing landed.'),
  pull_request: PullRequest.optional(),
  ways: z
    .array(z.enum(otherWays))
    .optional()
    .describe('Of a preview: the arguments by which this repository could take it otherwise.'),
  queue: QueueEntry.optional(),
  worktree: z.string().describe('The checkout that was accepted.'),
  kept: z.string().optional().describe('Why the checkout and its branch were kept.'),
  jobs: JobCounts.optional(),
  scopes: z.array(ScopeResult).optional(),
  standards: z.array(StandardResult).optional(),
  proof: ProofState.optional(),
  clean: z.boolean().optional(),
  drift: z.array(Drift).optional(),
  files: z.array(z.string()).optional().describe('The paths that block it.'),
});
export type AcceptData = z.infer<typeof AcceptData>;

export const VerifyData = z.strictObject({
  ...where,
  verified: z.string().describe('The commit that was asked about.'),
  tree: z.string(),
  note: z.string().describe('The ref the note is in.'),
  signature: z
    .enum(['good', 'unknown_key', 'unsigned'])
    .describe('unknown_key: right, but nobody here vouches for the key.'),
  signer: z.string().optional(),
  gated_at: z.string(),
  jobs: z.array(z.string()).describe('What passed.'),
});
export type VerifyData = z.infer<typeof VerifyData>;

export const DropData = z.strictObject({
  ...where,
  worktree: z.string(),
  worktree_removed: z.boolean(),
  branch_deleted: z.boolean(),
  recovery_ref: z.string().optional().describe('Ref that keeps the commits a forced drop removed.'),
  lost: z.array(z.string()).optional().describe('What a drop without force would lose.'),
});
export type DropData = z.infer<typeof DropData>;

/** One command `init` proposes, and what says that it exists. */
export const ProposedJob = z.strictObject({
  name: z.string(),
  stage: z.enum(jobStages),
  run: z.string(),
  from: z.string().describe('What it was taken from, such as `package.json scripts.test`.'),
});
export type ProposedJob = z.infer<typeof ProposedJob>;

export const InitData = z.strictObject({
  ...where,
  file: z.string().describe('The discern.toml, absolute.'),
  text: z.string().describe('What stands in it, or would.'),
  written: z.boolean(),
  found: z.array(z.string()).describe('The ecosystems whose manifests were found.'),
  proposed: z.array(ProposedJob),
  setup: z
    .array(z.strictObject({ command: z.string(), from: z.string() }))
    .describe('What a new worktree runs before its jobs can.'),
  proved: z
    .strictObject({ state: z.enum(['passed', 'failed', 'not_run']), reason: z.string().optional() })
    .optional()
    .describe('How the gate fared in a throwaway worktree.'),
  jobs: JobCounts.optional(),
});
export type InitData = z.infer<typeof InitData>;

/** One thing `doctor` looked at. */
export const Finding = z.strictObject({
  check: z.string().describe('What was checked: git, config, trunk, hosts …'),
  level: z.enum(['ok', 'warn', 'error']),
  what: z.string(),
  remedy: z.string().optional().describe('What to do; there for every warning and error.'),
});
export type Finding = z.infer<typeof Finding>;

export const DoctorData = z.strictObject({
  root: z.string().describe('The project root, or the directory that was looked at where there is none.'),
  branch: z.string().nullable().optional(),
  commit: z.string().optional(),
  healthy: z.boolean().describe('False when a finding is an error.'),
  findings: z.array(Finding).describe('Worst first.'),
  version: z.string().describe('discern’s own.'),
  held: Held.optional().describe('Present when a server answers.'),
});
export type DoctorData = z.infer<typeof DoctorData>;

/** The one answer that is about no root. */
export const HelpData = z.strictObject({
  topics: z
    .array(z.strictObject({ topic: z.string(), title: z.string(), summary: z.string() }))
    .describe('What there is to read.'),
  topic: z.string().optional().describe('The topic the text is, or is a part of.'),
  text: z.string().optional().describe('The page, in Markdown.'),
});
export type HelpData = z.infer<typeof HelpData>;

export const PruneData = z.strictObject({
  ...where,
  pruned: z
    .array(z.strictObject({ action: z.string(), detail: z.string() }))
    .describe('What was repaired or removed; in a preview, what would be.'),
  kept: z
    .array(z.strictObject({ what: z.string(), remedy: z.string() }))
    .describe('What was found and stays, each with the command that fixes it.'),
  recovery_refs: z
    .array(KeptRef)
    .describe('What removals have kept, the newest first. Prune removes those older than [worktree] keep.'),
});
export type PruneData = z.infer<typeof PruneData>;
