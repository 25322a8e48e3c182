import { distrustedProving } from '../init/prove.ts';
import { findInterruptedRemovals } from '../landing/interrupted-removals.ts';
import type { Repository } from '../repository/repository.ts';
import { leftBranches } from './branches.ts';
import { foreignPlaces } from './foreign.ts';
import { unreadableJournal } from './journal.ts';
import type { Cleanup, Leftover } from './leftover.ts';
import { distrustedOwnCheckouts } from './own-checkouts.ts';
import { lostParked } from './parked.ts';
import { distrustedQueue } from './queue.ts';
import { distrustedRemovals, orphanedRemovals } from './removals.ts';
import { vanishedResources } from './resources.ts';
import { halfStarted } from './starts.ts';
import { strayDirectories, strayLeftovers } from './strays.ts';
import { type Unfinished, unfinished } from './unfinished.ts';
import { lostWorktrees } from './worktrees.ts';

/** Everything that was left behind in a repository. */
export interface Leftovers {
  /** Runs that were interrupted: `finishInterrupted` goes on with them. */
  interrupted: Unfinished[];
  /** True while a living process lands: then what looks left behind may be gone in a moment. */
  landing: boolean;
  /** What runs and people have left, in the order in which it is cleaned up: a worktree that is forgotten frees its branch. */
  leftovers: Leftover[];
}

/**
 * The one list behind `status`, `doctor` and `prune`: what interrupted runs, and people, have left in a repository, with what
 * would be left once the interrupted ones are finished. What living processes work on is none of it. Changes nothing.
 */
export async function findLeftovers(repo: Repository): Promise<Leftovers> {
  const [strays, removals, { found: interrupted, landing }] = await Promise.all([
    strayDirectories(repo),
    findInterruptedRemovals(repo),
    unfinished(repo),
  ]);
  const lost = await lostWorktrees(repo, strays, removals);
  const freed = [...interrupted, ...lost].flatMap(({ frees }) => (frees === undefined ? [] : [frees]));
  const others = await Promise.all([
    strayLeftovers(repo, strays),
    orphanedRemovals(repo, removals),
    unreadableJournal(repo),
    distrustedProving(repo.commonDir),
    distrustedRemovals(repo),
    distrustedOwnCheckouts(repo),
    distrustedQueue(repo),
    foreignPlaces(repo),
    lostParked(repo),
    halfStarted(repo),
    leftBranches(repo, new Set(freed)),
    vanishedResources(repo),
  ]);
  return { interrupted, landing, leftovers: [...lost, ...others.flat()] };
}

/** What `prune` does by itself about it, in order. */
export const cleanupsOf = (leftovers: readonly Leftover[]): Cleanup[] =>
  leftovers.flatMap(({ cleanup }) => (cleanup === undefined ? [] : [cleanup]));
