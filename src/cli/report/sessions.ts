import { agentWords } from '../../contract/agent-words.ts';
import type { AgentsData } from '../../contract/verbs-agents.ts';
import type { RecollectData, SessionsData } from '../../contract/verbs-fleet.ts';
import type { Ink } from '../ink.ts';

/** One session two lines: who, what it does and since when, then where and about what. */
export function sessionLines({ sessions, unread = [] }: SessionsData, ink: Ink): string[] {
  return [
    ...sessions.flatMap(({ id, client, cwd, title, last_activity: at, state, needs_attention: why }) => [
      `  ${ink.bold(client)} ${id}  ${why === undefined ? state : ink.yellow(`${state}: ${why}`)}  ${ink.dim(at)}`,
      `    ${[cwd ?? 'directory not recorded', ...(title === undefined ? [] : [title])].join('  ')}`,
    ]),
    ...unread.map(({ client, why }) => `  ${ink.yellow('not read')} of ${client}: ${why}`),
  ];
}

/** What a person asked, each under its time, whole. */
export const queryLines = ({ queries }: RecollectData, ink: Ink): string[] =>
  queries.flatMap(({ at, text }) => [ink.bold(at ?? 'at a time not recorded'), ...text.split('\n'), '']);

/** One agent client two lines: its version and what can be done with it, then where its program is. */
export const agentLines = ({ agents, missing = [] }: AgentsData, ink: Ink): string[] => [
  ...agents.flatMap((one) => [
    `  ${ink.bold(one.client)} ${agentWords(one).join(', ')}`,
    `    ${ink.dim(one.path)}`,
  ]),
  ...(missing.length > 0 ? [`  ${ink.dim(`not on PATH: ${missing.join(', ')}`)}`] : []),
];
