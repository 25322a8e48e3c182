import * as z from 'zod';
import { launchable } from './launchable.ts';
import type { VerbDescriptor, VerbTraits } from './verb.ts';
import { dryRun, oneWorktree, projectPath, worktree } from './verb-arguments.ts';

const Agent = z.strictObject({
  client: z.string(),
  path: z.string().describe('Its program, the first on PATH.'),
  version: z.string().optional().describe('As the program says.'),
  problem: z.string().optional().describe('Why its version is not known.'),
  models: z.array(z.string()).optional().describe('Those its own settings name: a hint, not a list of all.'),
  launch: z.boolean().describe('launch can start it.'),
  sessions: z.boolean().describe('sessions lists its sessions.'),
  message: z.boolean().describe('message reaches it where launch started it.'),
});
export type Agent = z.infer<typeof Agent>;

const AgentsData = z.strictObject({
  agents: z.array(Agent).describe('Those that are installed.'),
  missing: z.array(z.string()).optional().describe('Those that are not on PATH.'),
});
export type AgentsData = z.infer<typeof AgentsData>;

const LaunchData = z.strictObject({
  ...oneWorktree,
  client: z.string(),
  session: z.string().optional().describe('Absent where the client chooses it when it begins.'),
  terminal: z.string().optional().describe('The name of its terminal.'),
  attach: z.string().optional().describe('What a person types to see it.'),
  argv: z.array(z.string()).optional().describe('In a preview: the command.'),
  environment: z
    .record(z.string(), z.string())
    .optional()
    .describe('In a preview: what is added to its variables.'),
});
export type LaunchData = z.infer<typeof LaunchData>;

const MessageData = z.strictObject({
  ...oneWorktree,
  client: z.string(),
  session: z.string(),
  delivered: z.literal(true).describe('The session’s own record has the text.'),
});
export type MessageData = z.infer<typeof MessageData>;

const RemapData = z.strictObject({
  ...oneWorktree,
  client: z.string().optional(),
  session: z.string().optional().describe('Absent when none is followed any more.'),
});
export type RemapData = z.infer<typeof RemapData>;

const traits = {
  begins: 'known',
  runsCommands: 'never',
  movesHeldRoot: false,
  callerElsewhere: 'ignore',
  refreshesViews: true,
  gateView: 'nothing',
  quick: false,
  cancelsAnywhere: false,
  report: 'common',
  palette: null,
} as const satisfies VerbTraits;

const writes = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };

/** The verbs that start agents in worktrees and speak to them. */
export const agentVerbs = {
  agents: {
    title: 'List agent clients',
    description:
      'List which agent clients are installed, with version, models their settings name, and what launch and message can do.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({}),
    data: AgentsData,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    traits: { ...traits, begins: 'none', refreshesViews: false, report: 'own' },
  },
  launch: {
    title: 'Launch an agent in a worktree',
    description:
      'Launch an agent client in a worktree, in a terminal that tmux holds. Without `worktree` it first makes a new one, as start does.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      client: z.enum(launchable).describe('Which.'),
      worktree: worktree.optional(),
      name: z.string().optional().describe('What a new worktree is for.'),
      prompt: z.string().optional().describe('Its first task.'),
      model: z.string().optional().describe('As the client names it.'),
      resume: z.string().optional().describe('A session of `sessions`.'),
      path: projectPath,
      dry_run: dryRun,
    }),
    data: LaunchData,
    annotations: writes,
    traits: { ...traits, runsCommands: 'may' },
  },
  message: {
    title: 'Message an agent',
    description:
      'Type a text to the agent launched in a worktree. Only between its turns; succeeds once the session has it.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({ worktree, text: z.string().describe('What to say.'), path: projectPath }),
    data: MessageData,
    annotations: writes,
    traits: { ...traits, runsCommands: 'may' },
  },
  remap: {
    title: 'Choose a worktree’s session',
    description: 'Say which agent session a worktree follows, where that is not plain.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({
      worktree,
      session: z.string().describe('Its id or the beginning; "" for none.'),
      path: projectPath,
    }),
    data: RemapData,
    annotations: { ...writes, idempotentHint: true },
    traits: { ...traits, quick: true },
  },
} as const satisfies Record<string, VerbDescriptor>;
