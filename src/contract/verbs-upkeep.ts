import * as z from 'zod';
import { DoctorData, DropData, HelpData, InitData, PruneData, ScopesData, StandardsData } from './data.ts';
import type { VerbDescriptor } from './verb.ts';
import { dryRun, path } from './verb-arguments.ts';

/** The verbs that look after a project, its worktrees and discern itself. */
export const upkeepVerbs = {
  scopes: {
    title: 'Show the scopes a change touches',
    description:
      'List the project’s scopes and which of them this change touches: the gates `done` will run.',
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
      'Measure the standards (numbers that may only improve) in the held root, on-demand ones too, against the trunk’s limits. `pin` tightens the limits that improved and commits that; it needs a clean tree.',
    remoteDescription:
      'Measure the standards (numbers that may only improve) in the checkout at `path`, on-demand ones too, against the trunk’s limits. `pin` tightens the limits that improved and commits that; it needs a clean tree.',
    looking: null,
    args: z.strictObject({
      names: z.array(z.string()).optional().describe('Only these standards. Default: all.'),
      pin: z.boolean().optional().describe('Tighten the limits that improved.'),
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
      'Delete a worktree without landing it. Refuses to lose work unless `force`, which keeps it under a recovery ref. Not for finished work: `accept` is.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      worktree: z.string().describe('Its id, branch or absolute path, as `status` lists it.'),
      delete_branch: z.boolean().describe('Delete its branch too. There is no default.'),
      force: z.boolean().optional().describe('Drop uncommitted or unlanded work too.'),
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
    title: 'Clean up leftovers',
    description:
      'Clean up leftovers: worktrees whose directory is gone, half-made directories, agent branches that are merged or empty, dead locks. Previews unless `dry_run` is false. Never removes living worktrees or unmerged work.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      path,
      dry_run: z.boolean().optional().describe('False removes. Default: true, a preview.'),
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
      'Write a discern.toml where there is none: jobs proposed from the manifests that are there, run once in a throwaway worktree. Commits nothing. Preview it first, for the person.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      path: z
        .string()
        .optional()
        .describe('The directory to make a project of, absolute. Default: where this server was started.'),
      prove: z.boolean().optional().describe('False only writes the file, and runs nothing.'),
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
      'Check what discern needs (git, Node, discern.toml, the jobs’ tools, hosts’ settings) and list findings with remedies. Call it when a refusal does not explain itself.',
    remoteDescription:
      'Check what discern needs at `path` (git, Node, discern.toml, the jobs’ tools, hosts’ settings) and list findings with remedies. Call it when a refusal does not explain itself.',
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
      'Explain discern: the ways of working, discern.toml, each verb and each refusal. Without `topic`: the topics. Call it before guessing what an answer or key means.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      topic: z.string().optional().describe('A listed topic, a verb, or an answer’s `error`.'),
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
