import type { Source } from './standing.ts';
import { told } from './told.ts';

/**
 * opencode (seen with 1.18.33) names no session to its servers, and keeps a database. Its plugin, which `discern setup` writes, tells
 * before each call of ours where the calling session's last command ran, by the process and the directory that both of us know.
 */
export const opencode: Source = {
  client: 'opencode',
  session: ({ env, parent, launch }) =>
    // In a shell of opencode's another client has the variable too; its server is not opencode's child.
    launch !== undefined && env.OPENCODE_PID === String(parent) ? `${parent} ${launch}` : undefined,
  // An earlier process may have had the same number.
  shared: async ({ env }, session) =>
    ((await told(env, 'opencode', session))?.at ?? Number.POSITIVE_INFINITY) < performance.timeOrigin,
  recorded: async () => [],
};
