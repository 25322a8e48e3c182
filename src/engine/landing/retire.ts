import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { point } from '../faults/faults.ts';
import { errnoOf } from '../files/errno.ts';
import { exists } from '../files/files.ts';
import { mountsWithin } from '../files/mounts.ts';
import { adviceOn, causeOfErrno } from '../git/cause.ts';
import { pathText } from '../git/core.ts';
import { textOf } from '../git/git-dir.ts';
import { forgetBranchSettings, resolveCommit, tryDeleteRef } from '../git/refs.ts';
import { forgetWorktree } from '../git/worktree.ts';
import { type Stock, takeStock } from '../removal/stock.ts';
import type { Repository } from '../repository/repository.ts';
import { removeNamedTree } from '../state/remove.ts';
import { adminDirs } from '../worktree/admin.ts';
import { gitDirOf } from '../worktree/identity.ts';
import { closeParkedInPlace } from '../worktree/parked.ts';
import { removeDirectories } from '../worktree/place.ts';
import { keepCommits, leftCommits } from './left-commits.ts';
import { closeRemoval, judgedName, namedForDeletion, recordRemoval, trashFor } from './removal-record.ts';

/** What a worktree's removal came to; `reason` says why it is not complete. */
export interface Retirement {
  removed: boolean;
  reason?: string;
  /** Recovery refs of commits that only this worktree reached. */
  kept?: string[];
  /** Ignored files and directories that went with it. */
  ignored?: string[];
}

/** What is known of the repository when a removal begins. */
export type Surroundings = Pick<Repository, 'commonDir' | 'worktrees'>;

export interface Removal {
  /** Where git runs: a checkout that stays, or the git directory. */
  from: string;
  path: string;
  /** Where the directory waits until it is judged: {@link trashFor}. */
  trash: string;
  /** One of its checkouts that lies inside this one keeps it. */
  repo: Surroundings;
}

export { judgedName, trashFor };

/**
 * Removes a linked checkout so that nothing written into it can be lost: the directory is first renamed away, which is
 * one atomic step after which nobody can reach it by its name, and only then looked at. If it holds anything that is not
 * committed it is put back as it was. git's own `worktree remove` looks first and deletes afterwards.
 *
 * `accepts` decides on what was found after the rename; a sentence it returns puts the directory back, and so does
 * whatever it throws. `once` git has forgotten the checkout, that is called while its files are deleted; it must not reject.
 */
export async function removeCheckout(
  removal: Removal,
  accepts: (found: Stock, trash: string) => Promise<string | undefined> | string | undefined,
  once?: () => Promise<void>,
): Promise<Retirement> {
  const { from, path, trash, repo } = removal;
  // Without it git would answer for the repository around this directory.
  const admin = await gitDirOf(path);
  if (admin === undefined) return { removed: false, reason: `${path} is not a checkout any more` };
  await closeParkedInPlace(repo.commonDir, basename(admin));
  await recordRemoval(repo.commonDir, path, trash);
  await point('retire.recorded');
  try {
    await rename(path, trash);
  } catch (error) {
    await closeRemoval(repo.commonDir, trash);
    const code = errnoOf(error);
    const cause = causeOfErrno(code);
    const next = cause === 'other' ? 'close what uses it' : adviceOn(cause, dirname(path));
    return { removed: false, reason: `${path} could not be moved away (${code ?? error}): ${next}` };
  }
  await point('retire.renamed');
  const judged = judgedName(trash);
  let at = trash;
  let kept: string[] = [];
  let ignored: string[] = [];
  try {
    const gitDir = await gitDirOf(trash);
    if (gitDir === undefined) throw new Error(`${path} is not a checkout any more`);
    const [found, left] = await Promise.all([
      takeStock({ at: trash, path, gitDir }),
      leftCommits(from, gitDir),
    ]);
    await point('retire.looked');
    const reason = await accepts(found, trash);
    if (reason !== undefined) {
      await rename(trash, path);
      await closeRemoval(repo.commonDir, trash);
      return { removed: false, reason };
    }
    kept = await keepCommits(from, refName(path), left);
    await point('retire.kept');
    ignored = found.status.ignored ?? [];
    await rename(trash, judged);
    at = judged;
    await point('retire.judged');
    await forgetWorktree(from, path);
  } catch (error) {
    await rename(at, path);
    await closeRemoval(repo.commonDir, trash);
    throw error;
  }
  await point('retire.forgotten');
  const [left] = await Promise.all([deleteJudged(repo.commonDir, judged), once?.()]);
  return {
    removed: true,
    ...(left && { reason: left }),
    ...(kept.length > 0 && { kept }),
    ...(ignored.length > 0 && { ignored }),
  };
}

/** What a recovery ref is called after: the worktree's directory, as far as a ref may hold it (git-check-ref-format(1)). */
export const refName = (path: string) => basename(path).replace(/[^A-Za-z0-9_-]+/g, '-') || 'worktree';

/** What to say of what went with a worktree: commits that were kept, with the way back to them, and ignored files, which were not. */
export const goneHints = ({ kept = [], ignored = [] }: Retirement): string[] => [
  ...kept
    .slice(0, MOST_NAMED)
    .map((ref) => `Commits that only the removed worktree reached are kept: git branch <name> ${ref}`),
  ...(kept.length > MOST_NAMED
    ? [`${kept.length - MOST_NAMED} more are kept: discern prune lists them.`]
    : []),
  ...(ignored.length > 0 ? [`Ignored files went with it: ${namedIgnored(ignored)}.`] : []),
];

const MOST_NAMED = 8;

/** Ignored files and directories, the first few by name. */
export function namedIgnored(ignored: readonly string[]): string {
  const more = ignored.length - MOST_NAMED;
  return ignored.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The checkouts whose HEAD is on a branch (gitrepository-layout(5), `HEAD`), by where they lie. */
async function headsOn(commonDir: string, ref: string): Promise<string[]> {
  const on = async (gitDir: string) => (await textOf(join(gitDir, 'HEAD')))?.trim() === `ref: ${ref}`;
  const linked = await adminDirs(commonDir);
  const found: string[] = [];
  for (const [path, admin] of linked) if (await on(admin)) found.push(path);
  return (await on(commonDir)) ? [dirname(commonDir), ...found] : found;
}

/**
 * Deletes a branch that is still at `commit` and that no checkout has but the one at `path`, which is gone. Resolves with
 * the reason when it stays.
 */
export async function deleteBranch(
  { from, path, repo }: Omit<Removal, 'trash'>,
  branch: string,
  commit: string,
): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const holder = repo.worktrees.find((entry) => entry.branch === ref && entry.path !== path);
  if (holder) return `the branch ${branch} is checked out in ${holder.path}`;
  // What is known of the others is as old as the verb.
  const since = (await headsOn(repo.commonDir, ref)).filter((one) => one !== path);
  if (since.length > 0) return `the branch ${branch} is checked out in ${since.join(', ')} by now`;
  const deleted = await tryDeleteRef(from, ref, commit);
  if (deleted !== 'deleted') {
    if ((await resolveCommit(from, ref)) === undefined) return undefined; // it is gone already
    return `git could not delete the branch ${branch} (${deleted.firstLine})`;
  }
  await forgetBranchSettings(repo.commonDir, from, branch);
  return undefined;
}

/**
 * Deletes a directory that was judged, now or before an interruption; resolves with what is left of it, in words. Deletes
 * nothing that no removal of ours has written down as this very directory: a name alone says nothing.
 */
export async function deleteJudged(commonDir: string, judged: string): Promise<string | undefined> {
  if (await exists(judged)) {
    const named = await namedForDeletion(commonDir, judged);
    if (!named)
      return `${judged} stays: nothing discern has written down says that it is a worktree it removed`;
    const [mount] = await mountsWithin(judged);
    if (mount) return `${judged} stays, since ${pathText(mount)} is mounted in it: unmount that first`;
    const left = await removeNamedTree(named);
    if (left !== undefined) return `${judged} ${left}: nothing in it is needed, delete it by hand`;
  }
  await closeRemoval(commonDir, judged);
  // The folder we keep worktrees in goes with the last of them; a folder the user named stays.
  const folder = dirname(judged);
  if (folder.endsWith('.worktrees')) await removeDirectories([folder]);
  return undefined;
}
