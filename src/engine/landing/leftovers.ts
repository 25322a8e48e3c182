import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { lockCheckout } from '../checkout.ts';
import type { Context } from '../context.ts';
import { exists, namesIn } from '../files.ts';
import { forgetWorktree } from '../git/worktree.ts';
import { gitDirOf } from '../identity.ts';
import { Refusal } from '../refusal.ts';
import type { Repository } from '../repository.ts';
import { shellWord } from '../shell-word.ts';
import { homeCheckout } from '../worktree/place.ts';
import { belongsTo } from '../wreckage/admin.ts';
import { foldersOf } from '../wreckage/strays.ts';
import { deleteJudged } from './retire.ts';

/** What was found of removals that were cut off. */
export interface Leftovers {
  /** What was done, in sentences. */
  done: string[];
  findings: { what: string; remedy: string }[];
}

/** A directory that a removal had renamed away; see `trashFor` and `judgedName`. */
export interface Leftover {
  at: string;
  path: string;
  judged: boolean;
  /** git's directory that its `.git` file names; absent where that is deleted already. */
  gitDir?: string;
}

const name = /^\.(.+)\.(removing|removed)-[0-9a-f]{8}$/;

/**
 * Goes on with removals whose process died: a directory that was not judged yet goes back where it was, one that was is
 * deleted. A removal that is still going holds the checkout's lock and is left alone. Not to be called while a landing's
 * journal is open: its recovery judges for itself.
 */
export async function recoverRemovals(repo: Repository, ctx: Context): Promise<Leftovers> {
  const result: Leftovers = { done: [], findings: [] };
  for (const leftover of await findLeftovers(repo)) {
    const { gitDir } = leftover;
    try {
      const lock =
        gitDir !== undefined &&
        (await lockCheckout(repo, { top: leftover.path, gitDir }, 'a removal', ctx, 0));
      try {
        await converge(repo, leftover, result);
      } finally {
        if (lock) await lock.release();
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error.slug !== 'busy') throw error;
    }
  }
  return result;
}

/** The directories that removals of this repository's worktrees have left, whether or not they are still going. */
export async function findLeftovers(repo: Repository): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const dir of await foldersOf(repo)) {
    // A directory that is not there, or that we may not read, holds nothing of ours.
    for (const entry of await namesIn(dir)) {
      const [, base, state] = name.exec(entry) ?? [];
      if (base === undefined) continue;
      const [at, judged] = [join(dir, entry), state === 'removed'];
      const gitDir = await gitDirOf(at);
      const ours = gitDir === undefined ? judged : await belongsTo(repo.commonDir, gitDir);
      if (ours) found.push({ at, path: join(dir, base), judged, ...(gitDir !== undefined && { gitDir }) });
    }
  }
  return found;
}

async function converge(repo: Repository, { at, path, judged }: Leftover, result: Leftovers): Promise<void> {
  // The process that held the lock may just have finished.
  if (!(await exists(at))) return;
  const known = repo.worktrees.some((entry) => entry.path === path);
  // One that git has forgotten since is for `orphanedRemovals` to tell of.
  if (judged) {
    const home = homeCheckout(repo);
    if (known && !(await exists(path))) await forgetWorktree(home === path ? repo.commonDir : home, path);
    const left = await deleteJudged(at);
    if (left === undefined) result.done.push(`A removal of ${path} that was cut off is finished.`);
    else result.findings.push({ what: `${left}.`, remedy: `rm -rf ${shellWord(at)}` });
  } else if (known && !(await exists(path))) {
    await rename(at, path);
    result.done.push(`${path} is back: its removal was cut off before it was decided.`);
  }
}
