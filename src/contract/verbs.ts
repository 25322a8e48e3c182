import * as z from 'zod';
import {
  AcceptData,
  CommitData,
  DoctorData,
  DropData,
  GateData,
  HelpData,
  InitData,
  PruneData,
  ScopesData,
  StandardsData,
  StartData,
  StatusData,
  UpdateData,
} from './data.ts';

const path = z
  .string()
  .optional()
  .describe('Any directory of the project to act on, absolute. Leave out to act on the held root.');
const dryRun = z.boolean().optional().describe('Only say what would happen.');

/**
 * The verbs, as data: what each takes, what it answers, and what it may change. The MCP tools, the CLI and
 * the extension are all made from this table.
 */
export const verbs = {
  status: {
    title: 'Show where discern stands',
    description:
      'Show which checkout discern operates on (the held root), its branch, changes, distance from the trunk, proof, and all worktrees. Finishes a landing that was interrupted, if there is one. Call it first, and whenever edits and gate results seem to disagree.',
    args: z.strictObject({ path }),
    data: StatusData,
    // It may finish an interrupted landing (contract §7), which removes that worktree: docs/decisions/status-finishes.md.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  start: {
    title: 'Start a worktree',
    description:
      'Create a git worktree on a new branch for one piece of work and re-aim this server at it: later calls without `path` act there. Moves no files of yours; you must move your own working directory to the returned path. Do not call it when already inside a worktree.',
    args: z.strictObject({
      name: z
        .string()
        .optional()
        .describe('What the work is about, in a few words; becomes the branch name.'),
      from: z.string().optional().describe('Branch, tag or commit to start from. Default: the trunk.'),
      path: z
        .string()
        .optional()
        .describe('Creation target: any directory of the project to make the worktree for, absolute.'),
      dry_run: dryRun,
    }),
    data: StartData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  },
  prepare: {
    title: 'Fix and check',
    description:
      'Run the project’s fix jobs (formatters: they rewrite files) and check jobs (lint, types) in the held root. The quick loop while editing; it earns no proof. Use `done` for the whole gate.',
    args: z.strictObject({ path, dry_run: dryRun }),
    data: GateData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  test: {
    title: 'Run the tests',
    description:
      'Run the project’s test jobs in the held root. It earns no proof; use `done` when the work is finished.',
    args: z.strictObject({ path, dry_run: dryRun }),
    data: GateData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  commit: {
    title: 'Commit the work',
    description:
      'Commit changes in the worktree, as git would, with the person’s own hooks, signing and identity: the files in `paths`, or everything git does not ignore. For clients whose sandbox may not write the git directory; elsewhere plain `git commit` does the same. Refuses in the trunk’s own checkout.',
    args: z.strictObject({
      message: z.string().describe('The commit message: a line on what it does, then why.'),
      paths: z
        .array(z.string())
        .optional()
        .describe('Only these files or directories, relative to the root. Default: everything.'),
      path,
      dry_run: dryRun,
    }),
    data: CommitData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  },
  done: {
    title: 'Run the whole gate',
    description:
      'Run every declared job (fix, build, check, test, scope gates), generator and standard in the held root and, when all pass on a clean committed tree, record the proof `accept` needs. Commit first; refuses when the branch lacks trunk commits (call `update`).',
    args: z.strictObject({ path, dry_run: dryRun }),
    data: GateData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  update: {
    title: 'Bring the trunk in',
    description:
      'Merge the trunk (or `from`) into the worktree’s branch. Needs no uncommitted tracked changes. On a conflict nothing changes and the files are listed; generated files are made anew instead. Not for the trunk’s own checkout.',
    args: z.strictObject({
      from: z.string().optional().describe('Branch, tag or commit to merge. Default: the trunk.'),
      path,
      dry_run: dryRun,
    }),
    data: UpdateData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  accept: {
    title: 'Land the work',
    description:
      'Land the worktree’s commits on the trunk, then delete the worktree directory and its branch, and re-aim this server at the trunk’s checkout. Runs the gate first unless a valid proof exists. Call it only when the person wants the work landed.',
    args: z.strictObject({ path, dry_run: dryRun }),
    data: AcceptData,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  },
  scopes: {
    title: 'Show the scopes a change touches',
    description:
      'List the project’s scopes and which of them the changes since the trunk fall in, so you know which gates `done` will run. Changes nothing.',
    args: z.strictObject({ path }),
    data: ScopesData,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  },
  standards: {
    title: 'Measure the standards',
    description:
      'Measure the project’s standards (numbers that may only improve) in the held root, on-demand ones too, and compare their limits with the trunk’s. With `pin`, tighten the limits that improved in discern.toml and commit that alone; needs a clean tree. `done` measures the others by itself.',
    args: z.strictObject({
      names: z.array(z.string()).optional().describe('Only these standards. Default: all.'),
      pin: z.boolean().optional().describe('Tighten the limits that improved, and commit it.'),
      path,
      dry_run: dryRun,
    }),
    data: StandardsData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  drop: {
    title: 'Abandon a worktree',
    description:
      'Delete a worktree directory without landing it. Refuses uncommitted or unlanded work unless `force`; with `force` the commits stay reachable through a recovery ref, uncommitted edits included. Not for finished work: use `accept`.',
    args: z.strictObject({
      worktree: z.string().describe('The worktree’s id, branch or absolute path, as `status` lists it.'),
      delete_branch: z.boolean().describe('Whether to delete its branch too. Required: there is no default.'),
      force: z.boolean().optional().describe('Drop uncommitted or unlanded work, keeping a recovery ref.'),
      path,
      dry_run: dryRun,
    }),
    data: DropData,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  },
  prune: {
    title: 'Mend what was left behind',
    description:
      'Mend what interrupted runs left: worktrees whose directory is gone, half-made directories, agent branches without a worktree that are merged or empty, dead locks. Previews unless `dry_run` is false: read the preview first. Never removes a worktree that is there, unmerged work or a recovery ref.',
    args: z.strictObject({
      path,
      dry_run: z
        .boolean()
        .optional()
        .describe('Only say what would go. True unless you pass false, which you should after a preview.'),
    }),
    data: PruneData,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  },
  init: {
    title: 'Make a project',
    description:
      'Write a discern.toml where there is none: jobs proposed from the manifests that are there (package.json, Cargo.toml, go.mod, pyproject.toml, Makefile and others), then run once in a throwaway worktree that is removed afterwards. Commits nothing. Preview it with `dry_run`, and show the person what would be written.',
    args: z.strictObject({
      path: z
        .string()
        .optional()
        .describe('The directory to make a project of, absolute. Default: where this server was started.'),
      prove: z
        .boolean()
        .optional()
        .describe('False writes the file without running anything. Default: true.'),
      dry_run: dryRun,
    }),
    data: InitData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  },
  doctor: {
    title: 'Find what is wrong',
    description:
      'Look at everything discern stands on (git, Node, shell, discern.toml, trunk, repository, what interrupted runs left, the tools jobs run, hosts’ MCP settings, how this server found its root) and list findings, each with its remedy. Changes nothing, and answers anywhere. Call it when another tool’s refusal does not explain itself.',
    args: z.strictObject({ path }),
    data: DoctorData,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  },
  help: {
    title: 'Explain discern',
    description:
      'Explain discern itself: the ways of working, discern.toml, each verb and each refusal. Without `topic` it lists the topics. Needs no project. Call it before guessing what an answer or a key means.',
    args: z.strictObject({
      topic: z.string().optional().describe('A topic as listed, a verb, or the `error` of an answer.'),
    }),
    data: HelpData,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  },
} as const;

export type Verb = keyof typeof verbs;
export type Args<V extends Verb> = z.infer<(typeof verbs)[V]['args']>;
export type Data<V extends Verb> = z.infer<(typeof verbs)[V]['data']>;

/** The verbs in the order they are listed to people and to agents. */
export const verbNames = Object.keys(verbs) as Verb[];
