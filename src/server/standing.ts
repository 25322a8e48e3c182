import { join } from 'node:path';
import type { CallerStanding } from '../contract/data.ts';
import { traits } from '../contract/traits.ts';
import type { Verb } from '../contract/verbs.ts';
import { Refusal } from '../engine/call/refusal.ts';
import type { CallerFacts, ClientKind, Standing } from '../engine/index.ts';
import { CONFIG_FILE } from '../engine/repository/root.ts';
import { loadEngine } from './engine.ts';
import type { HeldRoot } from './held-root.ts';

/** What follows for one call from where its caller stands. */
export interface Stance {
  /** Said first in the answer. */
  notice?: string;
  /** Where the caller stands, when that is not the checkout the call is about. */
  caller?: CallerStanding;
  /** The root to act on, where the held root is to follow the caller there. */
  follow?: { root: string; evidence: string };
}

export interface Asking {
  verb: Verb;
  client: ClientKind;
  facts: CallerFacts;
  held: HeldRoot;
  /** The checkout the caller stood in when the held root was last moved, by its git top: standing there still is no move. */
  before: string | undefined;
}

/**
 * What a call without `path` has to do with where its caller stands (contract §3). Follows only towards work: to a linked
 * checkout, never to the trunk's. Refuses `caller_elsewhere` where the project's settings say so, and `config_error` when
 * these cannot be read. No evidence changes nothing.
 */
export async function stanceOf({ verb, client, facts, held, before }: Asking): Promise<Stance> {
  const { callerElsewhere } = traits[verb];
  if (held.root === null || callerElsewhere === 'ignore') return {};
  const acts = callerElsewhere === 'follow';
  const engine = await loadEngine();
  const standing = await engine.whereCallerStands(client, facts);
  if (!standing) return {};
  const place = await placeOf(standing, held);
  if (place === undefined || place.state === 'here') return {};
  if (standing.weak && place.state !== 'work') return {};
  const { top, ...caller } = place;
  const at = `${caller.root ?? caller.cwd} (${caller.evidence})`;
  const about = held.root;
  switch (caller.state) {
    case 'work': {
      const root = caller.root as string;
      const { follow } = (await engine.loadSettings((await held.missing()) ? root : about)).callers;
      const moved = top !== before;
      if (!acts) {
        return {
          caller,
          notice:
            moved && follow === 'follow'
              ? `You are in ${at}, and the held root is ${about}: it follows you at the next gate, update or accept.`
              : `You are in ${at}, and this is about ${about}.`,
        };
      }
      if (follow === 'refuse') {
        throw new Refusal(
          'caller_elsewhere',
          `You are in ${at}, and this server holds ${about}; [callers] follow is "refuse". Pass path "${root}" to act where you are, or path "${about}" to act on the held root.`,
          { data: { root: about, caller } },
        );
      }
      if (follow === 'follow' && moved) {
        return {
          follow: { root, evidence: caller.evidence },
          notice: `You are in ${at}, so the held root followed you there from ${about}.`,
        };
      }
      return {
        caller,
        notice: `You are in ${at}, and this is about ${about}: pass path "${root}" if you mean that one.`,
      };
    }
    case 'trunk':
      return {
        caller,
        notice: `You are in ${at}, the trunk’s checkout; this is about ${about}.`,
      };
    case 'gone':
      return {
        caller,
        notice: `The directory you are in, ${at}, no longer exists, and this is about ${about}. ${engine.leavingAdvice(client, about)}`,
      };
    default:
      return {
        caller,
        notice: `You are in ${at}, ${
          top === undefined
            ? 'outside this repository'
            : `a checkout of this repository without ${CONFIG_FILE}`
        }; this is about ${about}.`,
      };
  }
}

/** The git top of the checkout a caller stands in, to be compared with later. */
export async function topOfCaller(
  client: ClientKind,
  facts: CallerFacts,
  held: HeldRoot,
): Promise<string | undefined> {
  const engine = await loadEngine();
  const [standing, anchor] = await Promise.all([engine.whereCallerStands(client, facts), held.repository()]);
  return standing && (await engine.checkoutAround(standing.cwd, anchor?.commonDir ?? ''))?.top;
}

/** How the place a caller stands in lies to the held root. `undefined` when that cannot be told. */
async function placeOf(
  { cwd, evidence }: Standing,
  held: HeldRoot,
): Promise<(CallerStanding & { top?: string }) | undefined> {
  const { checkoutAround, exists } = await loadEngine();
  const anchor = await held.repository();
  if (anchor === undefined) return undefined;
  const place = await checkoutAround(cwd, anchor.commonDir);
  if (place === undefined) return { cwd, evidence, state: (await exists(cwd)) ? 'foreign' : 'gone' };
  const { top } = place;
  if (top === anchor.top) return { cwd, evidence, state: 'here' };
  if (place.commonDir !== anchor.commonDir) return { cwd, evidence, state: 'foreign' };
  const root = anchor.prefix ? join(top, anchor.prefix) : top;
  if (!place.linked || root === (await held.home())) return { cwd, evidence, root, state: 'trunk', top };
  // A branch without the project has nothing to act on.
  return (await exists(join(root, CONFIG_FILE)))
    ? { cwd, evidence, root, state: 'work', top }
    : { cwd, evidence, state: 'foreign', top };
}
