import { rename } from 'node:fs/promises';
import type { Context } from '../call/context.ts';
import { exists } from '../files/files.ts';
import { mountsWithin } from '../files/mounts.ts';
import { pathText } from '../git/core.ts';
import { forgetWorktree } from '../git/worktree.ts';
import { tryLockCheckout } from '../repository/checkout.ts';
import type { Repository } from '../repository/repository.ts';
import { holding } from '../state/lock.ts';
import { shellWord } from '../words/shell-word.ts';
import { belongsTo } from '../worktree/admin.ts';
import { gitDirOf } from '../worktree/identity.ts';
import { homeCheckout } from '../worktree/place.ts';
import { closeRemoval, isItsAdmin, listRemovals, renamedTo } from './removal-record.ts';
import { deleteJudged } from './retire.ts';

/** What was found of removals that were cut off. */
export interface Finished {
  /** What was done, in sentences. */
  done: string[];
  findings: { what: string; remedy: string }[];
}

/** A directory that a removal had renamed away; see `trashFor` and `judgedName`. */
export interface InterruptedRemoval {
  at: string;
  path: string;
  judged: boolean;
  /** git's directory that its `.git` file names; absent where that is deleted already. */
  gitDir?: string;
  /** Whether git still has the worktree: that directory is there, and no other worktree has been registered under its name since. */
  registered: boolean;
}

/**
 * Goes on with removals whose process died: a directory that was not judged yet goes back where it was, one that was is
 * deleted. A removal that is still going holds the checkout's lock and is left alone. Not to be called while a landing's
 * journal is open: its recovery judges for itself.
 */
export async function recoverRemovals(repo: Repository, ctx: Context): Promise<Finished> {
  const result: Finished = { done: [], findings: [] };
  for (const removal of await findInterruptedRemovals(repo)) {
    const { gitDir, path: top } = removal;
    const lock = gitDir && (await tryLockCheckout(repo, { top, gitDir }, 'a removal', ctx, 0));
    if (!lock) await converge(repo, removal, result);
    // One that is still going is left to whoever is at it.
    else if (!('busy' in lock)) await holding(lock, () => converge(repo, removal, result));
  }
  return result;
}

/** The directories that removals of this repository's worktrees have left, whether or not they are still going. */
export async function findInterruptedRemovals(repo: Repository): Promise<InterruptedRemoval[]> {
  const found: InterruptedRemoval[] = [];
  for (const removal of (await listRemovals(repo.commonDir)).removals) {
    const { path } = removal;
    const waiting = await renamedTo(removal);
    if (!waiting) continue;
    const gitDir = await gitDirOf(waiting.at);
    const ours = gitDir === undefined ? waiting.judged : await belongsTo(repo.commonDir, gitDir);
    if (!ours) continue;
    const registered = gitDir !== undefined && (await exists(gitDir)) && (await isItsAdmin(removal, gitDir));
    found.push({ ...waiting, path, registered, ...(gitDir !== undefined && { gitDir }) });
  }
  return found;
}

/** Deleting by hand would take along what is mounted. */
async function remedyFor(at: string): Promise<string> {
  const [mount] = await mountsWithin(at);
  return mount ? `umount ${shellWord(pathText(mount))}` : `rm -rf ${shellWord(at)}`;
}

async function converge(
  repo: Repository,
  { at, path, judged, gitDir, registered }: InterruptedRemoval,
  result: Finished,
): Promise<void> {
  // The process that held the lock may just have finished.
  if (!(await exists(at))) return;
  // Of one that was judged the `.git` file may be deleted already: then its record alone says which it was.
  const its = registered || (judged && gitDir === undefined);
  const known = its && repo.worktrees.some((entry) => entry.path === path);
  // One that git has forgotten since is for `orphanedRemovals` to tell of.
  if (judged) {
    const home = homeCheckout(repo);
    if (known && !(await exists(path))) await forgetWorktree(home === path ? repo.commonDir : home, path);
    const left = await deleteJudged(repo.commonDir, at);
    if (left === undefined) result.done.push(`A removal of ${path} that was cut off is finished.`);
    else result.findings.push({ what: `${left}.`, remedy: await remedyFor(at) });
  } else if (known && !(await exists(path))) {
    await rename(at, path);
    await closeRemoval(repo.commonDir, at);
    result.done.push(`${path} is back: its removal was cut off before it was decided.`);
  }
}
