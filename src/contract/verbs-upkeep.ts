import * as z from 'zod';
import { DoctorData, DropData, HelpData, InitData, PruneData, ScopesData, StandardsData } from './data.ts';
import type { VerbDescriptor } from './verb.ts';
import { dryRun, path } from './verb-arguments.ts';

/** The verbs that look after a project, its worktrees and discern itself. */
export const upkeepVerbs = {
  scopes: {
    title: 'Show the scopes a change touches',
    description:
      'List the project’s scopes and which of them the changes since the trunk fall in, so you know which gates `done` will run. Changes nothing.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({ path }),
    data: ScopesData,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    traits: {
      begins: 'project',
      runsCommands: 'never',
      movesHeldRoot: false,
      callerElsewhere: 'tell',
      refreshesViews: false,
      gateView: 'nothing',
      quick: true,
      cancelsAnywhere: true,
      report: 'own',
      palette: null,
    },
  },
  standards: {
    title: 'Measure the standards',
    description:
      'Measure the project’s standards (numbers that may only improve) in the held root, on-demand ones too, and compare their limits with the trunk’s. With `pin`, tighten the limits that improved in discern.toml and commit that alone; needs a clean tree. `done` measures the others by itself.',
    remoteDescription:
      'Measure the project’s standards (numbers that may only improve) in the checkout at `path`, on-demand ones too, and compare their limits with the trunk’s. With `pin`, tighten the limits that improved in discern.toml and commit that alone; needs a clean tree. `done` measures the others by itself.',
    looking: null,
    args: z.strictObject({
      names: z.array(z.string()).optional().describe('Only these standards. Default: all.'),
      pin: z.boolean().optional().describe('Tighten the limits that improved, and commit it.'),
      path,
      dry_run: dryRun,
    }),
    data: StandardsData,
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
      palette: 'Measure Standards',
    },
  },
  drop: {
    title: 'Abandon a worktree',
    description:
      'Delete a worktree directory without landing it. Refuses uncommitted or unlanded work unless `force`; with `force` the commits stay reachable through a recovery ref, uncommitted edits included. Not for finished work: use `accept`.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      worktree: z.string().describe('The worktree’s id, branch or absolute path, as `status` lists it.'),
      delete_branch: z.boolean().describe('Whether to delete its branch too. Required: there is no default.'),
      force: z.boolean().optional().describe('Drop uncommitted or unlanded work, keeping a recovery ref.'),
      path,
      dry_run: dryRun,
    }),
    data: DropData,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    traits: {
      begins: 'project',
      runsCommands: 'may',
      movesHeldRoot: false,
      callerElsewhere: 'ignore',
      refreshesViews: true,
      gateView: 'nothing',
      quick: false,
      cancelsAnywhere: false,
      report: 'common',
      palette: 'Drop Worktree…',
    },
  },
  prune: {
    title: 'Mend what was left behind',
    description:
      'Mend what interrupted runs left: worktrees whose directory is gone, half-made directories, agent branches without a worktree that are merged or empty, dead locks. Previews unless `dry_run` is false: read the preview first. Never removes a worktree that is there, unmerged work or a recovery ref.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      path,
      dry_run: z
        .boolean()
        .optional()
        .describe('Only say what would go. True unless you pass false, which you should after a preview.'),
    }),
    data: PruneData,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    traits: {
      begins: 'project',
      runsCommands: { when: { dry_run: false } },
      movesHeldRoot: false,
      callerElsewhere: 'ignore',
      refreshesViews: true,
      gateView: 'nothing',
      quick: false,
      cancelsAnywhere: false,
      report: 'own',
      palette: null,
    },
  },
  init: {
    title: 'Make a project',
    description:
      'Write a discern.toml where there is none: jobs proposed from the manifests that are there (package.json, Cargo.toml, go.mod, pyproject.toml, Makefile and others), then run once in a throwaway worktree that is removed afterwards. Commits nothing. Preview it with `dry_run`, and show the person what would be written.',
    remoteDescription: null,
    looking: null,
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
    traits: {
      begins: 'directory',
      runsCommands: { unless: { dry_run: true, prove: false } },
      movesHeldRoot: false,
      callerElsewhere: 'ignore',
      refreshesViews: true,
      gateView: 'shows',
      quick: false,
      cancelsAnywhere: false,
      report: 'own',
      palette: 'Initialize Project',
    },
  },
  doctor: {
    title: 'Find what is wrong',
    description:
      'Look at everything discern stands on (git, Node, shell, discern.toml, trunk, repository, what interrupted runs left, the tools jobs run, hosts’ MCP settings, how this server found its root) and list findings, each with its remedy. Changes nothing, and answers anywhere. Call it when another tool’s refusal does not explain itself.',
    remoteDescription:
      'Look at everything discern stands on at `path` (git, Node, shell, discern.toml, trunk, repository, what interrupted runs left, the tools jobs run, hosts’ MCP settings) and list findings, each with its remedy. Changes nothing, and answers anywhere. Call it when another tool’s refusal does not explain itself.',
    looking: null,
    args: z.strictObject({ path }),
    data: DoctorData,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    traits: {
      begins: 'anywhere',
      runsCommands: 'never',
      movesHeldRoot: false,
      callerElsewhere: 'ignore',
      refreshesViews: false,
      gateView: 'nothing',
      quick: false,
      cancelsAnywhere: true,
      report: 'own',
      palette: 'Doctor',
    },
  },
  help: {
    title: 'Explain discern',
    description:
      'Explain discern itself: the ways of working, discern.toml, each verb and each refusal. Without `topic` it lists the topics. Needs no project. Call it before guessing what an answer or a key means.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      topic: z.string().optional().describe('A topic as listed, a verb, or the `error` of an answer.'),
    }),
    data: HelpData,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    traits: {
      begins: 'none',
      runsCommands: 'never',
      movesHeldRoot: false,
      callerElsewhere: 'ignore',
      refreshesViews: false,
      gateView: 'nothing',
      quick: false,
      cancelsAnywhere: false,
      report: 'own',
      palette: null,
    },
  },
} as const satisfies Record<string, VerbDescriptor>;
