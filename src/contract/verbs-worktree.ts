import * as z from 'zod';
import type { VerbDescriptor, VerbTraits } from './verb.ts';
import { oneWorktree, projectPath, worktree } from './verb-arguments.ts';

/** What an agent reported of its work. */
export const Phase = z.strictObject({
  word: z.string(),
  note: z.string().optional(),
  blocked: z.boolean().describe('It cannot go on by itself.'),
  at: z.string().describe('When it was reported.'),
});
export type Phase = z.infer<typeof Phase>;

const PhaseData = z.strictObject({
  ...oneWorktree,
  phase: Phase.optional().describe('Absent where nothing is reported.'),
  file: z.string().describe('Where an agent reports it: DISCERN_PHASE_FILE.'),
});
export type PhaseData = z.infer<typeof PhaseData>;

export const Todo = z.strictObject({ text: z.string(), done: z.boolean() });
export type Todo = z.infer<typeof Todo>;

const TodoData = z.strictObject({
  ...oneWorktree,
  todos: z.array(Todo).describe('As they were reported.'),
  done: z.number().int(),
  all: z.number().int(),
  at: z.string().optional().describe('When they were reported.'),
  file: z.string().describe('Where an agent reports them: DISCERN_TODO_FILE.'),
});
export type TodoData = z.infer<typeof TodoData>;

const DescribeData = z.strictObject({
  ...oneWorktree,
  title: z.string().optional(),
  description: z.string().optional(),
});
export type DescribeData = z.infer<typeof DescribeData>;

/** An issue or a pull request that a worktree is about. */
export const Ticket = z.strictObject({
  ref: z.string().describe('`owner/repo#42`.'),
  host: z.string().describe('Its forge.'),
  url: z.string().optional(),
});
export type Ticket = z.infer<typeof Ticket>;

const TicketData = z.strictObject({
  ...oneWorktree,
  ticket: Ticket.optional().describe('The one that was attached or detached.'),
  tickets: z.array(Ticket).describe('All that are attached now.'),
  could_be: z.array(z.string()).optional().describe('What an ambiguous ref could be.'),
});
export type TicketData = z.infer<typeof TicketData>;

const ParkData = z.strictObject({
  ...oneWorktree,
  parked: z.boolean().describe('Its directory is put away.'),
  since: z.string().optional(),
  kept_in: z.string().optional().describe('Where it is meanwhile.'),
  files: z.array(z.string()).optional().describe('What keeps it from being moved.'),
});
export type ParkData = z.infer<typeof ParkData>;

const traits = {
  begins: 'known',
  runsCommands: 'never',
  movesHeldRoot: false,
  callerElsewhere: 'ignore',
  refreshesViews: true,
  gateView: 'nothing',
  quick: true,
  cancelsAnywhere: false,
  report: 'common',
  palette: null,
} as const satisfies VerbTraits;

const writes = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };

/** The verbs about what people and agents say of one worktree, which they name. */
export const worktreeVerbs = {
  phase: {
    title: 'Show or report a phase',
    description:
      'Show which phase of the work a worktree is in, or report it: a word, a note, blocked or not.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      worktree,
      word: z.string().optional().describe('"" clears all.'),
      note: z.string().optional().describe('One line.'),
      blocked: z.boolean().optional().describe('A person is needed.'),
      path: projectPath,
    }),
    data: PhaseData,
    annotations: writes,
    traits,
  },
  todo: {
    title: 'Show to-dos',
    description: 'Show the to-dos an agent reported of its work in a worktree, in DISCERN_TODO_FILE.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({ worktree, path: projectPath }),
    data: TodoData,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    traits: { ...traits, refreshesViews: false, report: 'own' },
  },
  describe: {
    title: 'Title and describe a worktree',
    description: 'Give a worktree a title or a description. What is left out stays; "" clears it.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      worktree,
      title: z.string().optional().describe('One line.'),
      description: z.string().optional().describe('Some lines.'),
      path: projectPath,
    }),
    data: DescribeData,
    annotations: writes,
    traits: { ...traits, report: 'own' },
  },
  ticket: {
    title: 'Attach or detach a ticket',
    description: 'Attach an issue or pull request of a remote’s forge to a worktree, or detach it.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      action: z.enum(['attach', 'detach']).describe('Which.'),
      worktree,
      ref: z.string().describe('URL, `#42`, `42` or `owner/repo#42`.'),
      path: projectPath,
    }),
    data: TicketData,
    annotations: writes,
    traits,
  },
  park: {
    title: 'Park a worktree',
    description:
      'Take a worktree’s directory away for a while, and keep everything in it, uncommitted and ignored files too. unpark brings it back.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({ worktree, path: projectPath }),
    data: ParkData,
    annotations: writes,
    traits,
  },
  unpark: {
    title: 'Unpark a worktree',
    description:
      'Bring the directory of a parked worktree back to its place, with everything in it as it was.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({ worktree, path: projectPath }),
    data: ParkData,
    annotations: writes,
    traits,
  },
} as const satisfies Record<string, VerbDescriptor>;
