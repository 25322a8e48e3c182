import type { Result } from '../../contract/answers.ts';
import { knownAgents, launchable } from '../../contract/launchable.ts';
import type { Args } from '../../contract/verbs.ts';
import { programOfAgent, versionsOf } from '../agents/installed.ts';
import { modelsOf } from '../agents/models.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { readsSessionsOf } from '../sessions/list.ts';

/**
 * Lists the agent clients that are installed: each is asked for its version, all at once and for a bounded time, and its own
 * settings for models. One that does not answer is listed with why.
 */
export async function agents(_root: string, _args: Args<'agents'>, ctx: Context): Promise<Result<'agents'>> {
  const { env } = process;
  const found = knownAgents.flatMap((client) => {
    const path = programOfAgent(client, env);
    return path === undefined ? [] : [{ client, path }];
  });
  const versions = await versionsOf(
    found.map(({ path }) => path),
    env,
    ctx.signal,
  ).catch((error: unknown) => {
    if (ctx.signal.aborted) throw new Refusal('cancelled', 'The call was cancelled; nothing was changed.');
    throw error;
  });
  const listed = await Promise.all(
    found.map(async ({ client, path }) => {
      const models = await modelsOf(client, env);
      const launch = launchable.some((one) => one === client);
      const sessions = readsSessionsOf(client);
      return {
        client,
        path,
        ...versions.get(path),
        ...(models.length > 0 && { models }),
        launch,
        sessions,
        // A message is delivered once the session's own record has it.
        message: launch && sessions,
      };
    }),
  );
  const missing = knownAgents.filter((client) => !found.some((one) => one.client === client));
  const names = found.map(({ client }) => client).join(', ');
  return {
    ok: true,
    data: { agents: listed, ...(missing.length > 0 && { missing }) },
    message: names === '' ? 'No agent client that is known is on PATH.' : `Installed: ${names}.`,
  };
}
