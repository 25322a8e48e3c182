import { distrustedProving } from '../init/prove.ts';
import { findLeftovers } from '../landing/leftovers.ts';
import type { Repository } from '../repository.ts';
import { leftBranches } from './branches.ts';
import { foreignPlaces } from './foreign.ts';
import { unreadableJournal } from './journal.ts';
import { distrustedRemovals, orphanedRemovals } from './removals.ts';
import { vanishedResources } from './resources.ts';
import { halfStarted } from './starts.ts';
import { strayDirectories, strayWrecks } from './strays.ts';
import { type Unfinished, unfinished } from './unfinished.ts';
import { lostWorktrees } from './worktrees.ts';
import type { Mend, Wreck } from './wreck.ts';

/** Everything that was left behind in a repository. */
export interface Left {
  /** Runs that were interrupted: `settle` goes on with them. */
  interrupted: Unfinished[];
  /** True while a living process lands: then what looks left behind may be gone in a moment. */
  landing: boolean;
  /** What runs and hands have left, in the order in which it is mended: a worktree that is forgotten frees its branch. */
  wrecks: Wreck[];
}

/**
 * The one list behind `status`, `doctor` and `prune`: what interrupted runs, and hands, have left in a repository, with what
 * would be left once the interrupted ones are finished. What living processes work on is none of it. Changes nothing.
 */
export async function findLeft(repo: Repository): Promise<Left> {
  const [strays, leftovers, { found: interrupted, landing }] = await Promise.all([
    strayDirectories(repo),
    findLeftovers(repo),
    unfinished(repo),
  ]);
  const lost = await lostWorktrees(repo, strays, leftovers);
  const freed = [...interrupted, ...lost].flatMap(({ frees }) => (frees === undefined ? [] : [frees]));
  const others = await Promise.all([
    strayWrecks(repo, strays),
    orphanedRemovals(repo, leftovers),
    unreadableJournal(repo),
    distrustedProving(repo.commonDir),
    distrustedRemovals(repo),
    foreignPlaces(repo),
    halfStarted(repo),
    leftBranches(repo, new Set(freed)),
    vanishedResources(repo),
  ]);
  return { interrupted, landing, wrecks: [...lost, ...others.flat()] };
}

/** What `prune` does by itself about it, in order. */
export const mendsOf = (wrecks: readonly Wreck[]): Mend[] =>
  wrecks.flatMap(({ mend }) => (mend === undefined ? [] : [mend]));
