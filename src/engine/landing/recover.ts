import { rename } from 'node:fs/promises';
import type { Landing } from '../../contract/data.ts';
import type { Context } from '../context.ts';
import { GitError } from '../git/core.ts';
import { switchTree } from '../git/read-tree.ts';
import { isAncestor, resolveCommit } from '../git/refs.ts';
import { isTrackedClean, readStatus } from '../git/status.ts';
import { forgetWorktree, listWorktrees } from '../git/worktree.ts';
import { gitDirOf } from '../identity.ts';
import { acquireLock } from '../lock.ts';
import type { Repository } from '../repository.ts';
import { exists } from '../worktree/place.ts';
import { finishFollow, waitForIndex } from './follow.ts';
import { closeJournal, type Journal, landingLockPath, readJournal } from './journal.ts';
import { retire } from './land.ts';
import { cleanAt, deleteBranch, emptyTrash } from './retire.ts';

/** What came of an interrupted landing. */
export interface Recovery {
  journal: Journal;
  landing: Landing;
  /** What is left for a person, in words. */
  reason?: string;
}

/**
 * Finishes a landing that was interrupted, if there is one. Everything is decided from what git says now: did the trunk
 * move, did the landing checkout follow, is the worktree still there. Files that someone changed are never overwritten.
 *
 * `undefined` when there is nothing to recover, or when the landing is still going in a living process.
 */
export async function recoverLanding(
  repo: Pick<Repository, 'commonDir'>,
  ctx: Context,
  waitMs: number,
): Promise<Recovery | undefined> {
  if (!(await readJournal(repo.commonDir))) return undefined;
  const lock = await acquireLock(landingLockPath(repo.commonDir), {
    purpose: 'a landing',
    signal: ctx.signal,
    waitMs,
    onWait: (message) => ctx.emit({ type: 'waiting', message }),
  });
  try {
    return await recoverLocked(repo.commonDir, ctx);
  } finally {
    await lock.release();
  }
}

/** {@link recoverLanding} for a caller that holds the landing lock. */
export async function recoverLocked(commonDir: string, ctx: Context): Promise<Recovery | undefined> {
  const journal = await readJournal(commonDir);
  if (!journal) return undefined;
  ctx.emit({ type: 'progress', message: 'Finishing a landing that was interrupted.' });
  const recovery = await converge(journal);
  await closeJournal(commonDir);
  return recovery;
}

async function converge(journal: Journal): Promise<Recovery | undefined> {
  const { landing, trunk, from, to } = journal;
  const now = await resolveCommit(landing, trunk.ref);
  // The trunk never moved, or has been taken elsewhere since: then there is nothing of ours to finish.
  if (now === undefined || now === from || !(await isAncestor(landing, to, now))) return undefined;
  const edited = now === to ? await follow(journal) : [];
  const result = await retireRecovered(journal);
  const reasons = [
    ...(edited.length > 0 ? [`these files of ${landing} were edited and kept: ${edited.join(', ')}`] : []),
    ...(result.reason ? [result.reason] : []),
  ];
  return { journal, landing: result.landing, ...(reasons.length > 0 && { reason: reasons.join('; ') }) };
}

/** Takes the landing checkout to the landed commit from wherever it was cut off; returns the files it kept. */
async function follow({ landing, trunk, from, to }: Journal): Promise<string[]> {
  const entry = (await listWorktrees(landing)).find((one) => one.path === landing);
  if (entry?.branch !== trunk.ref) return [];
  await waitForIndex((await gitDirOf(landing)) ?? `${landing}/.git`);
  if (isTrackedClean(await readStatus(landing, { untracked: 'no' }))) return [];
  try {
    await switchTree(landing, from, to);
    return [];
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return finishFollow(landing, from, to);
  }
}

async function retireRecovered(journal: Journal): Promise<{ landing: Landing; reason?: string }> {
  const { worktree, landing, to } = journal;
  if (!worktree.managed || (await exists(worktree.path))) return retire(journal, true);
  // The directory was renamed away already. While git still knows it, what it holds has not been judged.
  const flags: Landing = {
    recovery_performed: true,
    trunk_landed: true,
    worktree_removed: true,
    branch_deleted: false,
  };
  const known = (await listWorktrees(landing)).some((entry) => entry.path === worktree.path);
  if (known && (await exists(worktree.trash))) {
    const reason = cleanAt(to, worktree.path)(await readStatus(worktree.trash));
    if (reason !== undefined) {
      await rename(worktree.trash, worktree.path);
      return { landing: { ...flags, worktree_removed: false }, reason };
    }
  }
  if (known) await forgetWorktree(landing, worktree.path);
  await emptyTrash(worktree.trash);
  const kept = worktree.branch === null ? undefined : await deleteBranch(landing, worktree.branch, to);
  const gone = worktree.branch !== null && kept === undefined;
  return { landing: { ...flags, branch_deleted: gone }, ...(kept && { reason: kept }) };
}
