import { distrustedProving } from '../init/prove.ts';
import { findLeftovers } from '../landing/leftovers.ts';
import type { Repository } from '../repository.ts';
import { leftBranches } from './branches.ts';
import { unreadableJournal } from './journal.ts';
import { distrustedRemovals, orphanedRemovals } from './removals.ts';
import { halfStarted } from './starts.ts';
import { strayDirectories, strayWrecks } from './strays.ts';
import { lostWorktrees } from './worktrees.ts';
import type { Wreck } from './wreck.ts';

/**
 * Everything interrupted runs, and hands, have left in a repository, in the order in which it is mended: a worktree that is
 * forgotten frees its branch. What living processes work on is no wreckage. Changes nothing.
 */
export async function findWreckage(repo: Repository): Promise<Wreck[]> {
  const [strays, leftovers] = await Promise.all([strayDirectories(repo), findLeftovers(repo)]);
  const lost = await lostWorktrees(repo, strays, leftovers);
  const freed = new Set(lost.flatMap(({ frees }) => (frees === undefined ? [] : [frees])));
  const others = await Promise.all([
    strayWrecks(repo, strays),
    orphanedRemovals(leftovers),
    unreadableJournal(repo),
    distrustedProving(repo.commonDir),
    distrustedRemovals(repo),
    halfStarted(repo),
    leftBranches(repo, freed),
  ]);
  return [...lost, ...others.flat()];
}
