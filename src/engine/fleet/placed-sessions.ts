import type { SessionRow, SessionsData } from '../../contract/verbs-fleet.ts';
import type { Context } from '../call/context.ts';
import { checkoutOf } from '../callers/checkout-of.ts';
import { exists } from '../files/files.ts';
import { factsOf, knownSessions, rowOf } from '../sessions/list.ts';

/** A session by where it stands. */
export interface PlacedSession {
  row: SessionRow;
  /** The git top of the checkout it stands in; absent where its directory lies in none that is there. */
  top?: string;
  /** Its directory, where that is gone. */
  gone?: string;
  /** What it said to the person last. */
  said?: string | undefined;
}

/** How many sessions are looked into, and for how long back. Milliseconds. */
const MOST_SESSIONS = 150;
const LONGEST_AGO = 14 * 24 * 60 * 60 * 1000;

/** The sessions of this user that were active lately, the last active first, each with the checkout it stands in. */
export async function placedSessions(
  ctx: Context,
): Promise<{ placed: PlacedSession[]; unread: NonNullable<SessionsData['unread']> }> {
  const { env } = process;
  const { known, unread } = await knownSessions(env);
  const since = Date.now() - LONGEST_AGO;
  const recent = known.filter(({ changed }) => changed >= since).slice(0, MOST_SESSIONS);
  const places = new Map<string, Promise<Pick<PlacedSession, 'top' | 'gone'>>>();
  const placeOf = (cwd: string) => {
    const found = places.get(cwd) ?? placeAt(cwd);
    places.set(cwd, found);
    return found;
  };
  const placed: PlacedSession[] = [];
  for (const one of recent) {
    if (ctx.signal.aborted) break;
    const facts = await factsOf(one, env);
    if (facts === undefined || facts.part) continue;
    placed.push({
      row: rowOf(one, facts),
      said: facts.said,
      ...(facts.cwd === undefined ? {} : await placeOf(facts.cwd)),
    });
  }
  return { placed, unread };
}

/** What a record says of its directory is believed as far as git's own files say that it lies in a checkout. */
async function placeAt(cwd: string): Promise<Pick<PlacedSession, 'top' | 'gone'>> {
  const place = await checkoutOf(cwd);
  if (place) return { top: place.top };
  return (await exists(cwd)) ? {} : { gone: cwd };
}
