import * as z from 'zod';
import { AcceptData, GateData, StartData, StatusData, UpdateData, where } from './data.ts';
import { landingWays } from './settings.ts';
import type { VerbDescriptor } from './verb.ts';
import { dryRun, path } from './verb-arguments.ts';

const CommitData = z.strictObject({
  ...where,
  before: z.string().optional().describe('The commit HEAD named before.'),
  files: z.array(z.string()).describe('What it holds, the first of many.'),
  changed: z.number().int().describe('How many files it changes.'),
});

/** The verbs a piece of work goes through, in that order. */
export const workVerbs = {
  status: {
    title: 'Show where discern stands',
    description:
      'Show where you are: the held root (the checkout discern acts on), branch, changes, proof, all worktrees. Finishes an interrupted landing. Call it first, and when edits and results disagree.',
    remoteDescription:
      'Show how the checkout at `path` stands: branch, changes, distance from the trunk, proof, all worktrees. Finishes an interrupted landing. Call it when edits and results disagree.',
    looking: {
      description:
        'Show the held root (the checkout discern acts on): branch, changes, proof, all worktrees. An interrupted landing is named, not finished: this server only looks. Call it first.',
      remoteDescription:
        'Show how the checkout at `path` stands: its branch, changes, distance from the trunk, proof, and all worktrees. An interrupted landing is named, not finished: this server only looks.',
    },
    args: z.strictObject({
      path,
      ticket: z.string().optional().describe('Only worktrees with it.'),
      cursor: z.string().optional().describe('`more.cursor`.'),
    }),
    data: StatusData,
    // It may finish an interrupted landing (contract §7), which removes that worktree: docs/decisions/status-finishes.md.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    traits: {
      begins: 'project',
      runsCommands: 'never',
      movesHeldRoot: false,
      callerElsewhere: 'tell',
      refreshesViews: false,
      gateView: 'nothing',
      quick: true,
      cancelsAnywhere: false,
      report: 'own',
      palette: null,
    },
  },
  start: {
    title: 'Start a worktree',
    description:
      'Create a git worktree on a new branch for one new piece of work and re-aim this server at it. Then move your own working directory to the returned path. Not from inside a worktree.',
    remoteDescription:
      'Create a git worktree on a new branch for one piece of work. Pass the path it answers with every later call about this work, and edit only there. Not with the path of a worktree.',
    looking: null,
    args: z.strictObject({
      name: z.string().optional().describe('The work in a few words.'),
      from: z.string().optional().describe('Default: the trunk.'),
      path: z.string().optional().describe('A directory of the project.'),
      dry_run: dryRun,
    }),
    data: StartData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    traits: {
      begins: 'project',
      runsCommands: 'may',
      movesHeldRoot: true,
      callerElsewhere: 'ignore',
      refreshesViews: true,
      gateView: 'shows',
      quick: false,
      cancelsAnywhere: true,
      report: 'own',
      palette: 'Start Worktree…',
    },
  },
  prepare: {
    title: 'Fix and check',
    description:
      'Fix formatting and find lint errors: run the fix jobs (they rewrite files) and check jobs in the held root: the quick loop while editing. Earns no proof.',
    remoteDescription:
      'Run the fix jobs (formatters: they rewrite files) and check jobs (lint, types) in the checkout at `path`: the quick loop while editing. Earns no proof; `done` does.',
    looking: null,
    args: z.strictObject({ path, dry_run: dryRun }),
    data: GateData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    traits: {
      begins: 'project',
      runsCommands: 'may',
      movesHeldRoot: false,
      callerElsewhere: 'follow',
      refreshesViews: true,
      gateView: 'offers',
      quick: false,
      cancelsAnywhere: false,
      report: 'common',
      palette: 'Prepare',
    },
  },
  test: {
    title: 'Run the tests',
    description:
      'Run the tests (test jobs) in the held root. Earns no proof: `done` does, when the work is finished.',
    remoteDescription:
      'Run the project’s test jobs in the checkout at `path`. Earns no proof; use `done` when the work is finished.',
    looking: null,
    args: z.strictObject({ path, dry_run: dryRun }),
    data: GateData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    traits: {
      begins: 'project',
      runsCommands: 'may',
      movesHeldRoot: false,
      callerElsewhere: 'follow',
      refreshesViews: true,
      gateView: 'offers',
      quick: false,
      cancelsAnywhere: false,
      report: 'common',
      palette: 'Test',
    },
  },
  commit: {
    title: 'Commit the work',
    description:
      'Commit changes in the worktree as git would (hooks, signing, identity): `paths`, or all that git does not ignore. For sandboxes that cannot run `git commit`.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      message: z.string().describe('Its message.'),
      paths: z.array(z.string()).optional().describe('Default: everything.'),
      path,
      dry_run: dryRun,
    }),
    data: CommitData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    traits: {
      begins: 'project',
      runsCommands: 'may',
      movesHeldRoot: false,
      callerElsewhere: 'follow',
      refreshesViews: true,
      gateView: 'nothing',
      quick: false,
      cancelsAnywhere: false,
      report: 'common',
      palette: null,
    },
  },
  done: {
    title: 'Run the whole gate',
    description:
      'Check that work is finished: run the whole gate in the held root; when all pass on a clean commit, record the proof `accept` needs. Commit first. Needs the trunk’s commits: else call `update`.',
    remoteDescription:
      'Run the whole gate in the checkout at `path`; when all pass on a clean commit, record the proof `accept` needs. Commit first. Needs the trunk’s commits: else call `update`.',
    looking: null,
    args: z.strictObject({
      rerun: z.boolean().optional().describe('Reuse nothing.'),
      path,
      dry_run: dryRun,
    }),
    data: GateData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    traits: {
      begins: 'project',
      runsCommands: 'may',
      movesHeldRoot: false,
      callerElsewhere: 'follow',
      refreshesViews: true,
      gateView: 'offers',
      quick: false,
      cancelsAnywhere: false,
      report: 'common',
      palette: 'Done',
    },
  },
  update: {
    title: 'Bring the trunk in',
    description:
      'Bring the worktree’s branch up to date: merge the trunk (main, or `from`) into it. Commit first. A conflict changes nothing and lists the files.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      from: z.string().optional().describe('Default: the trunk.'),
      fetch: z.boolean().optional().describe('Fetch it first.'),
      path,
      dry_run: dryRun,
    }),
    data: UpdateData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    traits: {
      begins: 'project',
      runsCommands: 'may',
      movesHeldRoot: false,
      callerElsewhere: 'follow',
      refreshesViews: true,
      gateView: 'shows',
      quick: false,
      cancelsAnywhere: false,
      report: 'own',
      palette: 'Update',
    },
  },
  accept: {
    title: 'Land the work',
    description:
      'Land the work: merge the worktree’s commits into the trunk (main), delete worktree and branch, and re-aim this server at the trunk’s checkout. Runs the gate first where no proof is valid. Only when the person wants it landed.',
    remoteDescription:
      'Land the commits of the worktree at `path` on the trunk, and delete the worktree and its branch. Runs the gate first where no proof is valid. Only when the person wants it landed.',
    looking: null,
    args: z.strictObject({
      push: z.boolean().optional().describe('Push the trunk too.'),
      pr: z.boolean().optional().describe('Land nothing: open a pull request; again tells its checks.'),
      queue: z.boolean().optional().describe('Only line it up: returns at once.'),
      how: z.enum(landingWays).optional().describe('Default: [landing] how, else ff.'),
      path,
      dry_run: dryRun,
    }),
    data: AcceptData,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    traits: {
      begins: 'project',
      runsCommands: 'may',
      movesHeldRoot: true,
      callerElsewhere: 'follow',
      refreshesViews: true,
      gateView: 'shows',
      quick: false,
      cancelsAnywhere: false,
      report: 'own',
      palette: 'Accept',
    },
  },
} as const satisfies Record<string, VerbDescriptor>;
