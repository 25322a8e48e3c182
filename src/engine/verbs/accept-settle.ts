import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { converge } from '../landing/converge.ts';
import { lockLanding, type Recovery, recoverLanding, recoverLocked } from '../landing/recover.ts';
import { tearingDown } from '../landing/tear-down.ts';
import { cleanAt } from '../removal/stock.ts';
import { openRepository, type Repository } from '../repository/repository.ts';
import { type AcceptAnswer, type Candidate, recovered } from './accept-answer.ts';
import { examine } from './accept-examine.ts';

/** How long another landing in this repository is waited for before `busy`, in milliseconds. */
export const LANDING_WAIT_MS = 10_000;

/** The interrupted landings one accept has finished on its way, so that the answer tells of them however it ends. */
export interface Recoveries {
  found: Recovery[];
}

/** A landing of this very worktree was found half done, and finished: its trunk's checkout is made ready as after any other. */
export async function recoveredHere(
  repo: Repository,
  recovery: Recovery,
  ctx: Context,
): Promise<AcceptAnswer> {
  return recovered(repo, recovery, await converge(repo, recovery.journal.landing, ctx));
}

/** Finishes a landing of this repository that was cut off, if there is one. */
export const finishLanding = (repo: Repository, ctx: Context) =>
  recoverLanding(repo, ctx, LANDING_WAIT_MS, tearDown(repo, ctx));

export const tearDown = ({ commonDir }: Repository, ctx: Context) =>
  tearingDown(commonDir, 'accept', ctx, cleanAt);
export const isOf = ({ journal }: Recovery, repo: Repository) => journal.worktree.path === repo.top;

/** {@link examine}; what it says of the landing checkout is only true while no other landing writes there. */
export async function examineSettled(
  repo: Repository,
  args: Args<'accept'>,
  ctx: Context,
  before: Recoveries,
): Promise<Candidate> {
  try {
    return await examine(repo, args);
  } catch (error) {
    if (!(error instanceof Refusal) || error.slug !== 'dirty_landing_checkout') throw error;
    const lock = await lockLanding(repo, ctx, LANDING_WAIT_MS);
    try {
      const recovery = await recoverLocked(repo, ctx, tearDown(repo, ctx));
      if (recovery) before.found.push(recovery);
      return await examine(await openRepository(repo.root, ctx.signal), args);
    } finally {
      await lock.release();
    }
  }
}
