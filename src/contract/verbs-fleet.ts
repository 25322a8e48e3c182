import * as z from 'zod';
import type { VerbDescriptor } from './verb.ts';

/** What an agent's session is doing, by its client's own records. */
export const sessionStates = ['working', 'waiting', 'idle', 'ended', 'unknown'] as const;

const session = {
  id: z.string().describe('The client’s own id.'),
  client: z.string().describe('`claude`, `codex`, `copilot` or `gemini`.'),
  cwd: z.string().optional().describe('Where it stands, as its record has it.'),
};

const SessionRow = z.strictObject({
  ...session,
  title: z.string().optional().describe('On one line.'),
  last_activity: z.string().describe('When its record last changed.'),
  state: z.enum(sessionStates).describe('`unknown` where the record does not tell.'),
  needs_attention: z.string().optional().describe('Why a person is needed.'),
});
export type SessionRow = z.infer<typeof SessionRow>;

const SessionsData = z.strictObject({
  sessions: z.array(SessionRow).describe('The last active first.'),
  total: z.number().int().describe('How many there are, those beyond `limit` too.'),
  unread: z
    .array(z.strictObject({ client: z.string(), why: z.string() }))
    .optional()
    .describe('What is there and was not read, and why.'),
});
export type SessionsData = z.infer<typeof SessionsData>;

const RecollectData = z.strictObject({
  ...session,
  queries: z
    .array(z.strictObject({ at: z.string().optional(), text: z.string() }))
    .describe('Oldest first, whole.'),
  total: z.number().int().describe('How many there are, before `last`.'),
});
export type RecollectData = z.infer<typeof RecollectData>;

const traits = {
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
} as const;

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

/** The verbs for whoever supervises many agents. */
export const fleetVerbs = {
  sessions: {
    title: 'List agents’ sessions',
    description:
      'List the agents’ sessions on this machine: which are running, where each stands, whether it works or waits.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      repo: z.string().optional().describe('Only of this repository.'),
      limit: z.number().int().min(1).max(500).optional().describe('Default: 50.'),
    }),
    data: SessionsData,
    annotations,
    traits,
  },
  recollect: {
    title: 'Recollect what was asked',
    description: 'Show what the person asked in one session, oldest first, uncut.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      session: z.string().describe('An id of `sessions`.'),
      last: z.number().int().min(1).optional().describe('Only the last N.'),
    }),
    data: RecollectData,
    annotations,
    traits,
  },
} as const satisfies Record<string, VerbDescriptor>;
