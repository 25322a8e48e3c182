import { messageOf } from '../../contract/values.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { exists } from '../files/files.ts';
import { recoverProving } from '../init/prove.ts';
import { recoverRemovals } from '../landing/interrupted-removals.ts';
import { readJournal } from '../landing/journal.ts';
import { recoverOwnCheckouts } from '../landing/own-checkout.ts';
import { type Recovery, recoverLocked, tryLockLanding } from '../landing/recover.ts';
import { finishParking } from '../parking/interrupted.ts';
import { type Repository, rootIn } from '../repository/repository.ts';
import { holding } from '../state/lock.ts';
import { Foreign } from '../state/own-dir.ts';
import { shellWord } from '../words/shell-word.ts';
import { homeCheckout } from '../worktree/place.ts';
import { unfinished } from './unfinished.ts';

const UNDER_WAY = 'A landing is under way in this repository: some of this may change in a moment.';

export interface Finished {
  /** What was finished, in sentences. */
  done: string[];
  findings: { what: string; remedy: string }[];
  /** A landing that a living process, this one included, is at: nothing is wrong with it. */
  running?: string;
}

/**
 * Goes on with landings and removals whose process died. Where that fails it is a finding: whoever asks wants to see what is
 * wrong.
 */
export async function finishInterrupted(repo: Repository, ctx: Context): Promise<Finished> {
  try {
    const landing = await finishLanding(repo, ctx);
    if (typeof landing === 'string') return { done: [], findings: [], running: landing };
    const removals = await recoverRemovals(repo, ctx);
    const parking = await finishParking(repo, ctx);
    const proving = await recoverProving(repo, ctx);
    const own = await recoverOwnCheckouts(repo, ctx);
    return {
      done: [
        ...(landing ? [inSentence(landing)] : []),
        ...removals.done,
        ...parking,
        ...(proving === undefined ? [] : [proving]),
        ...own,
      ],
      findings: removals.findings,
    };
  } catch (error) {
    if (Refusal.is(error) && error.slug === 'cancelled') throw error;
    const what = messageOf(error);
    return { done: [], findings: [{ what, remedy: remedyFor(error) }] };
  }
}

/** What {@link finishInterrupted} would go on with, told instead of done, for a caller that may only look. */
export async function tellInterrupted(repo: Repository): Promise<Finished> {
  const { found, landing } = await unfinished(repo);
  return {
    done: [],
    findings: found.map(({ what }) => ({ what, remedy: 'discern status' })),
    ...(landing && { running: UNDER_WAY }),
  };
}

/** A lock that a git which died has left is in the way until someone deletes it; anything else may pass. */
function remedyFor(error: unknown): string {
  const files = Refusal.is(error) && error.slug === 'busy' ? error.detail.data?.files : undefined;
  if (error instanceof Foreign) return `mv ${shellWord(error.path)} ${shellWord(`${error.path}.aside`)}`;
  return Array.isArray(files)
    ? `rm ${files.map((file) => shellWord(String(file))).join(' ')}`
    : 'discern status';
}

/** Resolves with a sentence where the landing is still going. */
async function finishLanding(repo: Repository, ctx: Context): Promise<Recovery | string | undefined> {
  if (!(await readJournal(repo.commonDir))) return undefined;
  const lock = await tryLockLanding(repo, ctx, 0);
  if ('busy' in lock) return UNDER_WAY;
  return holding(lock, () => recoverLocked(repo, ctx));
}

function inSentence({ journal, reason }: Recovery): string {
  const what = journal.worktree.branch ?? journal.to;
  return `An interrupted landing of ${what} on ${journal.trunk.name} was finished${reason ? `, but ${reason}` : ''}.`;
}

/** Refuses `root_missing` when what was finished was the landing of the very worktree asked about. */
export async function requireRoot(repo: Repository, done: readonly string[]): Promise<void> {
  if (await exists(repo.root)) return;
  const home = rootIn(repo, homeCheckout(repo));
  throw new Refusal(
    'root_missing',
    `${repo.root} is gone. ${done.join(' ')} Go on in ${home}: name it as path, or start a new worktree from there.`,
    { data: { root: repo.root } },
  );
}
