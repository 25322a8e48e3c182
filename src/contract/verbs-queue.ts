import * as z from 'zod';
import { where } from './data-where.ts';
import { PullRequest } from './pull-request.ts';
import type { VerbDescriptor } from './verb.ts';
import { path } from './verb-arguments.ts';

/** How an entry of the queue stands: `out` is one that fell out, or was dropped, and says why. */
export const entryStates = ['waiting', 'proving', 'green', 'landing', 'held', 'landed', 'out'] as const;

export const QueueEntry = z.strictObject({
  entry: z.string().describe('Its name, such as q7.'),
  place: z.number().int().optional().describe('1 is the next to land; absent once it is over.'),
  state: z.enum(entryStates),
  worktree: z.string().describe('Its git top.'),
  branch: z.string().nullable(),
  commit: z.string().describe('The commit it stands for.'),
  since: z.string(),
  for: z.string().describe('The client that asked.'),
  reason: z.string().optional().describe('Why it is held, or fell out.'),
  error: z.string().optional().describe('The same as a slug.'),
  landed_commit: z.string().optional(),
});
export type QueueEntry = z.infer<typeof QueueEntry>;

const QueueData = z.strictObject({
  ...where,
  entries: z
    .array(QueueEntry)
    .describe('Those that wait, in order; then those that are over, the last first.'),
  damaged: z.array(z.string()).optional().describe('Records that are not acted on.'),
});
export type QueueData = z.infer<typeof QueueData>;

export const awaited = ['green', 'landed', 'trunk_moved', 'checks'] as const;

const AwaitData = z.strictObject({
  ...where,
  until: z.enum(awaited),
  happened: z.enum([...awaited, 'fell_out', 'held', 'time_over']),
  entry: QueueEntry.optional(),
  pull_request: PullRequest.optional(),
  trunk: z.string(),
  trunk_commit: z.string(),
});
export type AwaitData = z.infer<typeof AwaitData>;

const traits = {
  begins: 'project',
  movesHeldRoot: false,
  callerElsewhere: 'follow',
  refreshesViews: true,
  gateView: 'nothing',
  quick: false,
  cancelsAnywhere: false,
  report: 'own',
  palette: null,
} as const;

/** The verbs about work that waits for its turn to land. */
export const queueVerbs = {
  queue: {
    title: 'Show the queue of landings',
    description: 'List what `accept` with `queue` lined up to land; hold, release or drop an entry; run it.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      action: z.enum(['list', 'run', 'hold', 'release', 'drop']).optional().describe('Default: list.'),
      entry: z.string().optional().describe('Its name, branch or worktree.'),
      path,
    }),
    data: QueueData,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    traits: { ...traits, callerElsewhere: 'tell', runsCommands: { when: { action: 'run' } } },
  },
  await: {
    title: 'Wait for work to be proved or landed',
    description:
      'Wait until the work is green or landed, or the trunk moved; gates and lands the queue meanwhile. Do not poll: call again when time is over.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      until: z.enum(awaited).describe('What for; checks: those of its pull request.'),
      worktree: z.string().optional().describe('Queue entry, branch or worktree.'),
      timeout: z.number().int().min(1).max(86_400).optional().describe('Seconds. Default: 600.'),
      path,
    }),
    data: AwaitData,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    traits: { ...traits, runsCommands: 'may' },
  },
} as const satisfies Record<string, VerbDescriptor>;
