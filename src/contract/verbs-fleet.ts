import * as z from 'zod';
import type { VerbDescriptor } from './verb.ts';
import { oneWorktree, projectPath, worktree } from './verb-arguments.ts';
import { Phase, Ticket } from './verbs-worktree.ts';

/** What an agent's session is doing, by its client's own records. */
export const sessionStates = ['working', 'waiting', 'idle', 'ended', 'unknown'] as const;

const session = {
  id: z.string().describe('The client’s own id.'),
  client: z.string().describe('`claude`, `codex`, `copilot`, `gemini`, `opencode` or `vscode`.'),
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

/** A run of the gate that is going on. */
const RunningGate = z.strictObject({
  verb: z.string(),
  since: z.string(),
  jobs: z.number().int(),
  done: z.number().int().describe('How many of the jobs have ended.'),
  running: z.array(z.string()).describe('The jobs that run now.'),
});

/** The run of the gate that ended last. */
const EndedGate = z.strictObject({
  verb: z.string(),
  at: z.string().describe('When it ended, or began where it never did.'),
  commit: z.string(),
  ok: z.boolean(),
  error: z.string().optional().describe('`interrupted` where its process died.'),
  failed: z.array(z.string()).optional().describe('The jobs that failed.'),
});

const FleetWorktree = z.strictObject({
  path: z.string().describe('Its git top.'),
  root: z.string().describe('The project root in it.'),
  id: z.string().optional().describe('Absent of the main checkout.'),
  title: z.string().optional(),
  branch: z.string().nullable(),
  commit: z.string(),
  location: z.enum(['main', 'worktree']).describe('main: where work lands, or the repository’s own.'),
  managed: z.boolean().describe('Discern made it.'),
  locked: z.string().optional(),
  missing: z.boolean().optional().describe('Its directory is gone.'),
  parked: z.string().optional().describe('Since when.'),
  ahead: z.number().int().optional(),
  behind: z.number().int().optional(),
  changes: z
    .strictObject({ staged: z.number().int(), unstaged: z.number().int(), untracked: z.number().int() })
    .optional(),
  proof: z.enum(['none', 'valid', 'stale']).optional(),
  gate: RunningGate.optional().describe('A run that is going on.'),
  last_run: EndedGate.optional(),
  queue: z.number().int().optional().describe('Its place in the queue of landings.'),
  phase: Phase.optional(),
  todos: z.strictObject({ done: z.number().int(), all: z.number().int() }).optional(),
  tickets: z.array(Ticket).optional(),
  commits: z
    .array(z.strictObject({ commit: z.string(), subject: z.string(), at: z.string() }))
    .optional()
    .describe('The last that the trunk lacks.'),
  sessions: z.array(SessionRow).describe('Those that stand in it, the last active first.'),
  needs_attention: z.array(z.string()).optional().describe('Why a person is needed, each reason once.'),
  last_activity: z.string().optional(),
});
export type FleetWorktree = z.infer<typeof FleetWorktree>;

const FleetProject = z.strictObject({
  root: z.string(),
  name: z.string(),
  trunk: z.string().optional(),
  empty: z.boolean().optional().describe('It has no worktree but its own checkout.'),
  vanished: z.boolean().optional().describe('Its repository is gone.'),
  problem: z.string().optional().describe('Why nothing more is known of it.'),
  worktrees: z.array(FleetWorktree).describe('Those that need a person first, then the last active.'),
});
export type FleetProject = z.infer<typeof FleetProject>;

const FleetData = z.strictObject({
  projects: z.array(FleetProject).describe('In the order of their first worktrees.'),
  worktrees: z.number().int().describe('How many there are in all.'),
  attention: z.number().int().describe('How many of them need a person.'),
  unread: z
    .array(z.strictObject({ client: z.string(), why: z.string() }))
    .optional()
    .describe('What is there of sessions and was not read, and why.'),
});
export type FleetData = z.infer<typeof FleetData>;

const PeekData = z.strictObject({
  ...oneWorktree,
  ...FleetWorktree.pick({
    title: true,
    ahead: true,
    behind: true,
    changes: true,
    proof: true,
    gate: true,
    last_run: true,
    phase: true,
    todos: true,
    tickets: true,
    commits: true,
    needs_attention: true,
  }).shape,
  job: z
    .strictObject({
      path: z.string().describe('The file that holds all of it.'),
      output: z.string().describe('Its last lines.'),
    })
    .optional()
    .describe('What the job printed that runs, or that failed or ran last.'),
  session: SessionRow.extend({ text: z.string().optional().describe('Its last words, the end of them.') })
    .optional()
    .describe('The session that was active in it last.'),
  sessions: z.number().int().describe('How many there are in it.'),
});
export type PeekData = z.infer<typeof PeekData>;

const ProjectsData = z.strictObject({
  projects: z.array(
    z.strictObject({
      path: z.string().describe('The project root in that checkout: what to pass as `path`.'),
      name: z.string().describe('Every checkout of a project has the same.'),
      branch: z.string().nullable().describe('Null on a detached HEAD.'),
      location: z.enum(['main', 'worktree']),
      empty: z.boolean().optional().describe('It has no worktree but this checkout.'),
      vanished: z.boolean().optional().describe('Its repository is gone.'),
    }),
  ),
});
export type ProjectsData = z.infer<typeof ProjectsData>;
export type ProjectRow = ProjectsData['projects'][number];

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
  fleet: {
    title: 'Show the whole fleet',
    description:
      'Show every project and worktree of this user, with gate, phase, to-dos and agents’ sessions: which need a person, and why.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      ticket: z.string().optional().describe('Only worktrees with it.'),
    }),
    data: FleetData,
    annotations,
    traits: { ...traits, begins: 'known' },
  },
  peek: {
    title: 'Look into a worktree',
    description:
      'Look into one worktree: git, the last lines of its running or last job, the last words of the agent in it. At most 4 KB.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({ worktree, path: projectPath }),
    data: PeekData,
    annotations,
    traits: { ...traits, begins: 'known' },
  },
  projects: {
    title: 'List the projects',
    description: 'List the projects that are known and each of their checkouts: what to pass as `path`.',
    remoteDescription:
      'List the projects this server was started for and each of their checkouts. Call it first: most other tools need one of these paths.',
    looking: null,
    args: z.strictObject({}),
    data: ProjectsData,
    annotations,
    traits: { ...traits, begins: 'known' },
  },
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
