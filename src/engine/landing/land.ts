import { randomBytes } from 'node:crypto';
import type { Landing } from '../../contract/data.ts';
import type { Context } from '../context.ts';
import { point } from '../faults.ts';
import { GitError } from '../git/core.ts';
import { switchTree } from '../git/read-tree.ts';
import { moveRef } from '../git/refs.ts';
import { Refusal } from '../refusal.ts';
import { type Repository, type Trunk, where } from '../repository.ts';
import { findObstacles } from './follow.ts';
import { closeJournal, type Journal, writeJournal } from './journal.ts';
import { cleanAt, deleteBranch, removeCheckout, trashFor } from './retire.ts';

export interface LandingOrder {
  repo: Repository;
  trunk: Trunk;
  /** The landing checkout's git top. */
  landing: string;
  /** Whether discern made the worktree, and so removes it and its branch. */
  managed: boolean;
}

export interface LandingResult {
  landing: Landing;
  /** Why it is not complete, when the trunk did move. */
  reason?: string;
}

/**
 * Moves the trunk to the validated commit by compare-and-swap, lets the landing checkout follow, then retires the
 * worktree and its branch. The caller holds the landing lock and has checked everything that may refuse.
 *
 * Dying anywhere leaves the journal, from which `recoverLanding` goes on. Refuses `behind_trunk` when someone else moved
 * the trunk first and `dirty_landing_checkout` when the landing checkout cannot follow; nothing has landed then.
 */
export async function land(order: LandingOrder, ctx: Context): Promise<LandingResult> {
  const { repo, trunk, landing, managed } = order;
  const id = randomBytes(4).toString('hex');
  const journal: Journal = {
    version: 1,
    id,
    project: repo.prefix,
    trunk: { name: trunk.name, ref: trunk.ref },
    from: trunk.commit,
    to: repo.commit,
    landing,
    worktree: { path: repo.top, branch: repo.branch, managed, trash: trashFor(repo.top, id) },
  };
  if (trunk.commit !== repo.commit) await requireFollowable(repo, landing, trunk.commit, repo.commit);
  await point('accept.checked');
  await writeJournal(repo.commonDir, journal);
  await point('accept.journaled');
  if (trunk.commit !== repo.commit) await moveTrunk(order, journal);
  ctx.emit({ type: 'progress', message: `${trunk.name} is at ${repo.commit.slice(0, 10)}.` });
  await point('accept.followed');
  const result = await retire(journal, false);
  await point('accept.retired');
  await closeJournal(repo.commonDir);
  return result;
}

async function moveTrunk({ repo, trunk, landing }: LandingOrder, journal: Journal): Promise<void> {
  const { from, to } = journal;
  try {
    await moveRef(landing, trunk.ref, to, from, `discern: accept ${repo.branch ?? to}`);
  } catch (error) {
    await closeJournal(repo.commonDir);
    if (!(error instanceof GitError)) throw error;
    if (/Unable to create .*\.lock/.test(error.stderr)) {
      throw new Refusal(
        'busy',
        `git holds ${trunk.ref} (${error.stderr.trim().split('\n')[0]}): wait for it to end, or remove the lock file if no git is running. Nothing was landed.`,
        { data: where(repo) },
      );
    }
    throw new Refusal(
      'behind_trunk',
      `${trunk.name} moved while landing: call update, then accept again. Nothing was landed.`,
      {
        data: where(repo),
      },
    );
  }
  await point('accept.moved');
  try {
    await switchTree(landing, from, to);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // Someone wrote into the landing checkout since we looked. git has written nothing, so the trunk goes back.
    await moveRef(landing, trunk.ref, from, to, 'discern: the landing checkout could not follow');
    await closeJournal(repo.commonDir);
    throw new Refusal(
      'dirty_landing_checkout',
      `${landing} changed while landing (${error.stderr.trim().split('\n')[0]}): commit or move what stands in the way, then accept again. Nothing was landed.`,
      { data: where(repo) },
    );
  }
}

/** Refuses `dirty_landing_checkout`, listing the files, when the landing checkout cannot follow. */
export async function requireFollowable(
  repo: Repository,
  landing: string,
  from: string,
  to: string,
): Promise<void> {
  const obstacles = await findObstacles(landing, from, to);
  if (!obstacles) return;
  const files = [...obstacles.changed, ...obstacles.untracked];
  throw new Refusal(
    'dirty_landing_checkout',
    `Landing would overwrite files in ${landing} that git does not have: ${files.join(', ')}. Move them away or commit them there, then accept again.`,
    { data: { ...where(repo), files } },
  );
}

/** Retires the worktree of a landing whose trunk has moved; also what a recovery ends with. */
export async function retire(journal: Journal, recovered: boolean): Promise<LandingResult> {
  const { worktree, to, landing } = journal;
  const flags: Landing = {
    recovery_performed: recovered,
    trunk_landed: true,
    worktree_removed: false,
    branch_deleted: false,
  };
  if (!worktree.managed) return { landing: flags };
  const { removed, reason } = await removeCheckout(
    landing,
    worktree.path,
    worktree.trash,
    cleanAt(to, worktree.path),
  );
  if (!removed) return { landing: flags, ...(reason && { reason }) };
  flags.worktree_removed = true;
  await point('accept.removed');
  if (worktree.branch === null) return { landing: flags };
  const kept = await deleteBranch(landing, worktree.branch, to);
  flags.branch_deleted = kept === undefined;
  return { landing: flags, ...(kept && { reason: kept }) };
}
