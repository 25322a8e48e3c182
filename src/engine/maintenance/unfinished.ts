import { join } from 'node:path';
import { exists, stateDir } from '../files/files.ts';
import { readJournal as readProving } from '../init/prove.ts';
import { findInterruptedRemovals } from '../landing/interrupted-removals.ts';
import { readJournal as readLanding } from '../landing/journal.ts';
import { interruptedParking } from '../parking/interrupted.ts';
import type { Repository } from '../repository/repository.ts';
import { lockHolders } from '../state/lock-holder.ts';
import { isInUse } from '../worktree/admin.ts';
import type { Cleanup } from './leftover.ts';
import { unfinishedOwnCheckouts } from './own-checkouts.ts';

/** Something a run that was interrupted has not finished, and that `finishInterrupted` goes on with. */
export interface Unfinished extends Omit<Cleanup, 'perform'> {
  what: string;
  /** What `status` does with it, as in "discern status finishes it". */
  next: string;
  /** The branch that nothing holds any more afterwards. */
  frees?: string;
  branch?: undefined;
}

/** What {@link unfinished} found. */
export interface Interrupted {
  found: Unfinished[];
  /** True while a living process lands: nothing is wrong with that. */
  landing: boolean;
}

/** What `finishInterrupted` would go on with, left as it is. Changes nothing. */
export async function unfinished(repo: Repository): Promise<Interrupted> {
  const { commonDir } = repo;
  const [landing, proving, removals, parking, running] = await Promise.all([
    readLanding(commonDir),
    readProving(commonDir),
    findInterruptedRemovals(repo),
    interruptedParking(repo),
    lockHolders(join(stateDir(commonDir), 'locks')),
  ]);
  const lives = (name: string) => running.some((lock) => lock.alive && lock.file === `${name}.lock`);
  const found: Unfinished[] = [];
  if (landing && !lives('landing')) {
    const what = landing.worktree.branch ?? landing.to;
    found.push({
      what: `A landing of ${what} on ${landing.trunk.name} was interrupted.`,
      next: 'finishes it',
      action: 'finish landing',
      detail: `${what} on ${landing.trunk.name}`,
    });
  }
  if (proving && !lives('init')) {
    found.push({
      what: `An interrupted init left a throwaway worktree, ${proving.path}.`,
      next: 'removes it',
      action: 'remove worktree',
      detail: `${proving.path}, which an interrupted init made to try the gate in`,
      removes: proving.path,
    });
  }
  found.push(...(await unfinishedOwnCheckouts(commonDir)));
  for (const { path } of parking) {
    found.push({
      what: `The parking of ${path} was cut off; it is in place.`,
      next: 'finishes it',
      action: 'finish parking',
      detail: path,
    });
  }
  for (const { at, path, judged, gitDir, registered } of removals) {
    // A removal that is still going is no leftover.
    if (gitDir !== undefined && registered && (await isInUse(commonDir, gitDir))) continue;
    const goesOn = {
      what: `A removal of ${path} was cut off; what is left is in ${at}.`,
      next: 'goes on with it',
    };
    const branch = repo.worktrees.find((entry) => entry.path === path)?.branch;
    if (judged) {
      found.push({
        ...goesOn,
        action: 'finish removal',
        detail: at,
        removes: path,
        ...(branch !== undefined && { frees: branch }),
      });
    } else if (registered && !(await exists(path))) {
      found.push({ ...goesOn, action: 'put back', detail: path, restores: path });
    }
  }
  return { found, landing: landing !== undefined && lives('landing') };
}
