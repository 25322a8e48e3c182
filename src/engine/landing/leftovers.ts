import { readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lockCheckout } from '../checkout.ts';
import type { Context } from '../context.ts';
import { forgetWorktree } from '../git/worktree.ts';
import { gitDirOf } from '../identity.ts';
import { Refusal } from '../refusal.ts';
import type { Repository } from '../repository.ts';
import { exists, homeCheckout, worktreesDir } from '../worktree/place.ts';
import { deleteJudged } from './retire.ts';

/** What was found of removals that were cut off. */
export interface Leftovers {
  /** What was done, in sentences. */
  done: string[];
  findings: { what: string; remedy: string }[];
}

/** A directory that a removal had renamed away; see `trashFor` and `judgedName`. */
interface Leftover {
  at: string;
  path: string;
  judged: boolean;
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
    const gitDir = await gitDirOf(leftover.at);
    const ours = gitDir === undefined ? leftover.judged : dirname(dirname(gitDir)) === repo.commonDir;
    if (!ours) continue;
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

/** The directories removals left behind, of whatever repository; a lock tells whether one is still going. */
export async function findLeftovers(repo: Repository): Promise<Leftover[]> {
  const linked = repo.worktrees.slice(1).map(({ path }) => dirname(path));
  const found: Leftover[] = [];
  for (const dir of new Set([worktreesDir(repo), ...linked])) {
    // A directory that is not there, or that we may not read, holds nothing of ours.
    for (const entry of await readdir(dir).catch(() => [])) {
      const [, base, state] = name.exec(entry) ?? [];
      if (base !== undefined)
        found.push({ at: join(dir, entry), path: join(dir, base), judged: state === 'removed' });
    }
  }
  return found;
}

async function converge(repo: Repository, { at, path, judged }: Leftover, result: Leftovers): Promise<void> {
  // The process that held the lock may just have finished.
  if (!(await exists(at))) return;
  const known = repo.worktrees.some((entry) => entry.path === path);
  if (judged) {
    const home = homeCheckout(repo);
    if (known && !(await exists(path))) await forgetWorktree(home === path ? repo.commonDir : home, path);
    const left = await deleteJudged(at);
    if (left === undefined) result.done.push(`A removal of ${path} that was cut off is finished.`);
    else result.findings.push({ what: `${left}.`, remedy: `rm -rf '${at}'` });
  } else if (known && !(await exists(path))) {
    await rename(at, path);
    result.done.push(`${path} is back: its removal was cut off before it was decided.`);
  } else {
    result.findings.push({
      what: `${at} is what a cut off removal left of ${path}, and git has forgotten it since.`,
      remedy: `look through it, then rm -rf '${at}'`,
    });
  }
}
