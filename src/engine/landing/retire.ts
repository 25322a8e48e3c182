import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { point } from '../faults.ts';
import { GitError } from '../git/core.ts';
import { deleteRef, forgetBranchSettings, resolveCommit } from '../git/refs.ts';
import { isClean, listChanges, readStatus, type TreeStatus } from '../git/status.ts';
import { forgetWorktree, listWorktrees } from '../git/worktree.ts';
import { exists, removeDirectories } from '../worktree/place.ts';

/** What a worktree's removal came to; `reason` says why it is not complete. */
export interface Retirement {
  removed: boolean;
  reason?: string;
}

/** Where a worktree's directory waits between being taken away and being deleted. */
export const trashFor = (path: string, id: string) =>
  join(dirname(path), `.${basename(path)}.removing-${id}`);

/**
 * Removes a linked checkout so that nothing written into it can be lost: the directory is first renamed away, which is
 * one atomic step after which nobody can reach it by its name, and only then looked at. If anything in it is not
 * committed it is put back as it was. git's own `worktree remove` looks first and deletes afterwards.
 *
 * `accepts` decides on the status read after the rename; a sentence it returns puts the directory back.
 */
export async function removeCheckout(
  from: string,
  path: string,
  trash: string,
  accepts: (status: TreeStatus, trash: string) => Promise<string | undefined> | string | undefined,
): Promise<Retirement> {
  try {
    await rename(path, trash);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      removed: false,
      reason: `${path} could not be moved away (${code}): close what uses it, then drop it.`,
    };
  }
  await point('retire.renamed');
  let reason: string | undefined;
  try {
    reason = await accepts(await readStatus(trash), trash);
  } catch (error) {
    await rename(trash, path);
    throw error;
  }
  if (reason !== undefined) {
    await rename(trash, path);
    return { removed: false, reason };
  }
  await forgetWorktree(from, path);
  await point('retire.forgotten');
  await emptyTrash(trash);
  return { removed: true };
}

/** Accepts a checkout that is clean and at `commit`; says what is in the way otherwise. */
export function cleanAt(commit: string, path: string) {
  return (status: TreeStatus): string | undefined => {
    if (!isClean(status))
      return `${path} was edited meanwhile (${listChanges(status)}); the edits are still there.`;
    if (status.commit !== commit) return `${path} got new commits meanwhile; they are still there.`;
    return undefined;
  };
}

/**
 * Deletes a branch that is still at `commit` and that no checkout has. Resolves with the reason when it stays.
 */
export async function deleteBranch(
  from: string,
  branch: string,
  commit: string,
): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const holder = (await listWorktrees(from)).find((entry) => entry.branch === ref);
  if (holder) return `the branch ${branch} is checked out in ${holder.path}`;
  try {
    await deleteRef(from, ref, commit);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if ((await resolveCommit(from, ref)) === undefined) return undefined; // it is gone already
    return `git could not delete the branch ${branch} (${error.stderr.trim().split('\n').at(-1)})`;
  }
  await forgetBranchSettings(from, branch);
  return undefined;
}

/** Deletes a checkout that was renamed away and judged, now or before an interruption. */
export async function emptyTrash(trash: string): Promise<void> {
  if (await exists(trash)) await rm(trash, { recursive: true, force: true, maxRetries: 3 });
  // The folder we keep worktrees in goes with the last of them; a folder the user named stays.
  const folder = dirname(trash);
  if (folder.endsWith('.worktrees')) await removeDirectories([folder]);
}
