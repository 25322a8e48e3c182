import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { exists, namesIn } from '../files/files.ts';
import { git } from '../git/core.ts';
import { forgetWorktree, type WorktreeEntry } from '../git/worktree.ts';
import type { InterruptedRemoval } from '../landing/interrupted-removals.ts';
import { keepAdministered } from '../landing/keep.ts';
import { lockCheckout } from '../repository/checkout.ts';
import { type Repository, where } from '../repository/repository.ts';
import { PRUNE } from '../state/remedies.ts';
import { shellWord } from '../words/shell-word.ts';
import { adminDirs, isInUse } from '../worktree/admin.ts';
import { aroundOf, findMoved, traceOf } from '../worktree/home-link.ts';
import { homeCheckout, realWorktreesDir } from '../worktree/place.ts';
import type { Leftover } from './leftover.ts';
import type { Stray } from './strays.ts';

/**
 * Registered checkouts that are not where git has them. One whose directory was moved by hand, to where discern looks, or
 * has lost its `.git` file, is registered anew; one that is gone is forgotten. A locked one is away on purpose, and one
 * that a living process works on is left alone, as is one whose removal (`removals`) was cut off and will be gone on with.
 */
export async function lostWorktrees(
  repo: Repository,
  strays: readonly Stray[],
  removals: readonly InterruptedRemoval[],
): Promise<Leftover[]> {
  const removed = new Set(removals.filter(({ registered }) => registered).map(({ path }) => path));
  const lost = repo.worktrees
    .slice(1)
    .filter(({ prunable, path }) => prunable !== undefined && !removed.has(path));
  if (lost.length === 0) return [];
  const admins = await adminDirs(repo.commonDir);
  const found: Leftover[] = [];
  for (const entry of lost) {
    const admin = admins.get(entry.path);
    if (admin === undefined || (await isInUse(repo.commonDir, admin))) continue;
    const moved = strays.find((stray) => stray.admin === admin);
    if (moved) found.push(movedAway(entry, moved.path));
    else if ((await namesIn(entry.path)).length > 0) found.push(unlinked(entry));
    else found.push(await missing(repo, entry, admin));
  }
  return found;
}

async function missing(repo: Repository, entry: WorktreeEntry, admin: string): Promise<Leftover> {
  const trace = await traceOf(admin);
  if (trace !== 'elsewhere') return vanished(entry, admin, trace);
  const around = [...aroundOf(entry.path), await realWorktreesDir(repo), dirname(homeCheckout(repo))];
  const to = await findMoved(admin, around);
  if (to !== undefined) return movedAway(entry, to);
  return {
    what: `${entry.path} was moved: its files are somewhere on the same disk, and git still has it at its old place.`,
    remedy: 'git worktree repair <where it is now>',
  };
}

function movedAway(entry: WorktreeEntry, to: string): Leftover {
  return {
    what: `${entry.path} was moved to ${to}, and git still has it at its old place.`,
    remedy: `git worktree repair ${shellWord(to)}`,
    cleanup: { action: 'register at its new place', detail: to, perform: (repo) => repair(repo, to) },
  };
}

function unlinked(entry: WorktreeEntry): Leftover {
  const { path } = entry;
  return {
    what: `${path} has lost its .git file, so git does not know it as a worktree any more.`,
    // git fails, after it has repaired it, where this path is named.
    remedy: 'git worktree repair',
    cleanup: { action: 'connect again', detail: path, perform: (repo) => repair(repo) },
  };
}

async function repair(repo: Repository, ...paths: string[]): Promise<undefined> {
  await git(repo.top, ['worktree', 'repair', '--', ...paths]);
}

function vanished(entry: WorktreeEntry, admin: string, trace: 'gone' | 'unknown'): Leftover {
  const moved =
    trace === 'gone' ? '' : ' If it was moved, run "git worktree repair <where it is now>" instead.';
  return {
    what: `${entry.path} is registered as a worktree, and its directory is gone.${moved}`,
    remedy: PRUNE,
    // Of one that may live on elsewhere the branch stays with it.
    ...(entry.branch !== undefined && trace === 'gone' && { frees: entry.branch }),
    cleanup: {
      action: 'forget worktree',
      detail: `${entry.path}, whose directory is gone`,
      perform: (repo, ctx) => forget(repo, entry, admin, ctx),
    },
  };
}

/** Has git forget a worktree whose directory is gone, and keeps what only git had of it. Refuses `busy` where it is there again, or elsewhere. */
export async function forget(
  repo: Repository,
  entry: WorktreeEntry,
  admin: string,
  ctx: Context,
): Promise<string | undefined> {
  const { path } = entry;
  const lock = await lockCheckout(repo, { top: path, gitDir: admin }, 'a prune', ctx, 0);
  try {
    if ((await namesIn(path)).length > 0) {
      throw new Refusal('busy', `${path} is there again.`, { data: where(repo) });
    }
    if ((await traceOf(admin)) === 'elsewhere') {
      const to = await findMoved(admin, aroundOf(path));
      throw new Refusal('busy', `It was moved${to === undefined ? '' : ` to ${to}`}.`, { data: where(repo) });
    }
    const refs = await keepAdministered(repo.top, admin, entry);
    await point('prune.kept');
    if (await exists(path)) await rmdir(path);
    await forgetWorktree(repo.top, path);
    await point('prune.forgotten');
    return refs.length > 0
      ? `What was staged or committed there is kept: git log ${refs.join(' ')}`
      : undefined;
  } finally {
    await lock.release();
  }
}
