import { randomBytes } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { DropData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Args } from '../../contract/verbs.ts';
import { lockCheckout } from '../checkout.ts';
import type { Context } from '../context.ts';
import { point } from '../faults.ts';
import { stateDir } from '../files.ts';
import { isAncestor, logOneline } from '../git/refs.ts';
import { isClean, readStatus } from '../git/status.ts';
import type { WorktreeEntry } from '../git/worktree.ts';
import { gitDirOf, readRecord } from '../identity.ts';
import { cleanAt, deleteBranch, removeCheckout, trashFor } from '../landing/retire.ts';
import { keepForRecovery } from '../landing/snapshot.ts';
import { Refusal } from '../refusal.ts';
import { openRepository, type Repository, where } from '../repository.ts';
import { exists, homeCheckout } from '../worktree/place.ts';

type Answer = Omit<Envelope<DropData>, 'verb'>;

interface Target {
  entry: WorktreeEntry;
  branch: string | null;
  head: string;
  /** Uncommitted paths and unlanded commits, in words. */
  lost: string[];
}

/**
 * Removes a worktree without landing it. Refuses `dirty_worktree` while it holds uncommitted or unlanded work, unless
 * `force`; then everything in it is kept under a recovery ref first. Refuses `locked_worktree`, and to drop the main or
 * landing checkout (`not_in_worktree`).
 */
export async function drop(root: string, args: Args<'drop'>, ctx: Context): Promise<Answer> {
  const repo = await openRepository(root, ctx.signal);
  const entry = await findWorktree(repo, args.worktree);
  const gitDir = await gitDirOf(entry.path);
  if (gitDir === undefined) {
    throw new Refusal(
      'path_not_found',
      `${entry.path} is gone or is no checkout any more: run "git worktree prune" to let git forget it.`,
      { data: where(repo) },
    );
  }
  const lock = await lockCheckout(repo, { top: entry.path, gitDir }, 'a drop', ctx, 0);
  try {
    const target = await examine(repo, entry);
    if (target.lost.length > 0 && !args.force) {
      throw new Refusal(
        'dirty_worktree',
        `Dropping ${entry.path} would lose ${target.lost.join('; ')}. Land it with accept, or drop it with force: that keeps it under a recovery ref.`,
        { data: { ...where(repo), worktree: entry.path, lost: target.lost } },
      );
    }
    if (args.dry_run) return preview(repo, target, args);
    return await remove(repo, target, args);
  } finally {
    await lock.release();
  }
}

async function findWorktree(repo: Repository, name: string): Promise<WorktreeEntry> {
  const path = isAbsolute(name) ? await realpath(name).catch(() => name) : undefined;
  let found: WorktreeEntry | undefined;
  for (const entry of repo.worktrees) {
    const gitDir = await gitDirOf(entry.path);
    const id = gitDir === undefined ? undefined : (await readRecord(gitDir))?.id;
    if (entry.path === path || entry.branch === `refs/heads/${name}` || id === name) found = entry;
  }
  if (!found) {
    const known = repo.worktrees
      .slice(1)
      .map((entry) => entry.branch?.replace('refs/heads/', '') ?? entry.path);
    throw new Refusal(
      'path_not_found',
      `"${name}" is no worktree of this repository; there ${known.length === 1 ? 'is' : 'are'}: ${known.join(', ') || 'none'}.`,
      { data: where(repo) },
    );
  }
  if (found === repo.worktrees[0] || found === repo.landing) {
    throw new Refusal(
      'not_in_worktree',
      `${found.path} is the repository's own checkout, which is never dropped: name a worktree.`,
      {
        data: where(repo),
      },
    );
  }
  if (found.locked !== undefined) {
    throw new Refusal(
      'locked_worktree',
      `${found.path} is locked${found.locked ? ` (${found.locked})` : ''}: run "git worktree unlock ${found.path}" if that is over.`,
      { data: where(repo) },
    );
  }
  return found;
}

async function examine(repo: Repository, entry: WorktreeEntry): Promise<Target> {
  const status = await readStatus(entry.path);
  const head = status.commit ?? '';
  const lost: string[] = [];
  if (!isClean(status)) {
    const paths = [...new Set([...status.staged, ...status.unstaged, ...status.untracked])];
    lost.push(`uncommitted changes (${paths.join(', ')})`);
  }
  if (head && !(repo.trunk && (await isAncestor(repo.top, head, repo.trunk.commit)))) {
    const commits = await logOneline(repo.top, repo.trunk?.commit ?? `${head}^`, head, 20);
    lost.push(`unlanded commits (${commits.join(', ')})`);
  }
  return { entry, branch: status.branch ?? null, head, lost };
}

function preview(repo: Repository, target: Target, args: Args<'drop'>): Answer {
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `Drop ${target.entry.path}`,
      steps: [
        ...(target.lost.length > 0
          ? [{ action: 'keep under a recovery ref', detail: target.lost.join('; ') }]
          : []),
        { action: 'remove', detail: target.entry.path },
        ...(args.delete_branch && target.branch ? [{ action: 'delete branch', detail: target.branch }] : []),
      ],
    },
    data: { ...where(repo), worktree: target.entry.path, lost: target.lost },
  };
}

async function remove(repo: Repository, target: Target, args: Args<'drop'>): Promise<Answer> {
  const { entry, head, branch } = target;
  const from = homeCheckout(repo) === entry.path ? repo.commonDir : homeCheckout(repo);
  const name = branch ?? head.slice(0, 10);
  let recoveryRef: string | undefined;
  await mkdir(stateDir(repo.commonDir), { recursive: true });
  const { removed, reason } = await removeCheckout(
    from,
    entry.path,
    trashFor(entry.path, randomBytes(4).toString('hex')),
    async (status, trash) => {
      if (target.lost.length === 0) return cleanAt(head, entry.path)(status);
      if (status.commit !== head) return `${entry.path} got new commits meanwhile; they are still there.`;
      recoveryRef = await keepForRecovery(trash, stateDir(repo.commonDir), name, head);
      await point('drop.kept');
      return undefined;
    },
  );
  if (!removed) {
    throw new Refusal('busy', `${reason ?? `${entry.path} could not be removed`} Nothing was removed.`, {
      data: { ...where(repo), worktree: entry.path, worktree_removed: false, branch_deleted: false },
    });
  }
  await point('drop.removed');
  const kept = args.delete_branch && branch !== null ? await deleteBranch(from, branch, head) : undefined;
  // A drop may remove the very checkout it was called from; then home is what is left to speak of.
  const here = (await exists(repo.root)) ? where(repo) : { ...where(repo), root: homeCheckout(repo) };
  return {
    ok: true,
    data: {
      ...here,
      worktree: entry.path,
      worktree_removed: true,
      branch_deleted: args.delete_branch && branch !== null && kept === undefined,
      ...(recoveryRef && { recovery_ref: recoveryRef }),
      ...(target.lost.length > 0 && { lost: target.lost }),
    },
    hints: [
      ...(kept ? [`The branch stays: ${kept}.`] : []),
      ...(recoveryRef ? [`Everything it held is kept: git log ${recoveryRef}`] : []),
    ],
    message: `Dropped ${entry.path}${recoveryRef ? `; what it held is in ${recoveryRef}` : ''}.`,
  };
}
