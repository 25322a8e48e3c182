import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { checkoutOf } from '../callers/checkout-of.ts';
import { sessionId } from '../callers/standing.ts';
import { factsOf, type Known, knownSessions } from './list.ts';

/** Which directories a caller hears of; `undefined` where every session counts. A directory that is gone belongs to no repository. */
export function placesFor(
  ctx: Context,
  repository: string | undefined,
): ((cwd: string | undefined) => Promise<boolean>) | undefined {
  if (repository === undefined && ctx.serves === undefined) return undefined;
  const answers = new Map<string, Promise<boolean>>();
  const look = async (cwd: string) => {
    if (ctx.serves && !(await ctx.serves(cwd))) return false;
    return repository === undefined || (await checkoutOf(cwd))?.commonDir === repository;
  };
  return async (cwd) => {
    if (cwd === undefined) return false;
    const answer = answers.get(cwd) ?? look(cwd);
    answers.set(cwd, answer);
    return answer;
  };
}

/**
 * The one session that goes by an id, or by the beginning of one, among those the caller may hear of. Refuses `invalid_argument` for what
 * is no id, one that is not known, and the beginning of several, listing these.
 */
export async function sessionNamed(given: string, env: NodeJS.ProcessEnv, ctx: Context): Promise<Known> {
  const id = sessionId(given);
  if (id === undefined) {
    throw new Refusal('invalid_argument', 'That is not a session id: "sessions" lists those there are.');
  }
  const { known } = await knownSessions(env);
  const begins = known.filter((one) => one.id.startsWith(id));
  const exact = begins.filter((one) => one.id === id);
  const heard = placesFor(ctx, undefined);
  const found: Known[] = [];
  for (const one of exact.length > 0 ? exact : begins) {
    if (heard === undefined || (await heard((await factsOf(one, env))?.cwd))) found.push(one);
  }
  const [only] = found;
  if (only === undefined) {
    throw new Refusal('invalid_argument', `There is no session "${id}": "sessions" lists those there are.`);
  }
  if (found.length > 1) {
    const listed = found.slice(0, 8).map((one) => `${one.id} (${one.adapter.client})`);
    throw new Refusal('invalid_argument', `"${id}" may be ${listed.join(', ')}: give more of the id.`);
  }
  return only;
}
