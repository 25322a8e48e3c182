import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { exists, orWhenAbsent, stateDir } from '../files/files.ts';
import { git } from '../git/core.ts';
import { isClean, isTrackedClean, listChanges, type TreeStatus } from '../git/status.ts';
import { type Busy, type Lock, orRefuse, tryLock } from '../state/lock.ts';
import { type Repository, where } from './repository.ts';

/** {@link tryLockCheckout}, which refuses `busy` where somebody else holds the lock. */
export async function lockCheckout(...args: Parameters<typeof tryLockCheckout>): Promise<Lock> {
  return orRefuse(await tryLockCheckout(...args));
}

/**
 * The lock of one checkout: a gate, an update and a removal exclude each other there, across processes. `waitMs: 0`
 * answers at once; absent waits, and says so.
 */
export async function tryLockCheckout(
  repo: Pick<Repository, 'commonDir'>,
  checkout: { top: string; gitDir: string },
  purpose: string,
  ctx: Context,
  waitMs?: number,
): Promise<Lock | Busy> {
  return tryLock(await checkoutLockPath(repo.commonDir, resolve(checkout.top, checkout.gitDir)), {
    purpose: `${purpose} in ${checkout.top}`,
    signal: ctx.signal,
    ...(waitMs !== undefined && { waitMs }),
    onWait: (message) => ctx.emit({ type: 'waiting', message }),
  });
}

/**
 * The lock file of the checkout with this git directory. It is named for what the checkout is to its repository, never for a
 * path: through a link, a bind mount or in a container the same checkout has other paths, and must have the same lock.
 */
export async function checkoutLockPath(commonDir: string, gitDir: string): Promise<string> {
  const main = await isSameDirectory(commonDir, gitDir);
  // Each linked checkout's git directory is `worktrees/<name>` (gitrepository-layout(5)).
  const key = createHash('sha256').update(main ? 'main' : `worktrees/${basename(gitDir)}`);
  return join(stateDir(commonDir), 'locks', `checkout-${key.digest('hex').slice(0, 16)}.lock`);
}

async function isSameDirectory(one: string, other: string): Promise<boolean> {
  if (resolve(one) === resolve(other)) return true;
  const [a, b] = await Promise.all(
    [one, other].map((path) => stat(path, { bigint: true }).catch(orWhenAbsent(undefined))),
  );
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** What each file or directory in a git directory says is under way there, and how to leave it. */
const operations: [string, string, string][] = [
  ['MERGE_HEAD', 'a merge', 'git merge --abort'],
  // Its edits are nowhere else (git-merge(1), `--autostash`); this puts them on the list of stashes.
  ['MERGE_AUTOSTASH', 'a merge with an autostash', 'git merge --quit'],
  ['rebase-merge', 'a rebase', 'git rebase --abort'],
  ['rebase-apply/applying', 'applying patches', 'git am --abort'],
  ['rebase-apply', 'a rebase', 'git rebase --abort'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick', 'git cherry-pick --abort'],
  ['REVERT_HEAD', 'a revert', 'git revert --abort'],
  // Several picks or reverts, between two of them; leaving them is the same for both.
  ['sequencer/todo', 'several cherry-picks or reverts', 'git cherry-pick --quit'],
  ['BISECT_LOG', 'a bisect', 'git bisect reset'],
];

/** The git operation a checkout is in the middle of, in words; `undefined` when none. */
export async function operationUnderWay(
  gitDir: string,
): Promise<{ what: string; remedy: string } | undefined> {
  const found = await Promise.all(
    operations.map(async ([file, what, remedy]) =>
      (await exists(join(gitDir, file))) ? { what, remedy } : undefined,
    ),
  );
  return found.find((one) => one !== undefined);
}

/** Refuses `dirty_worktree` unless the worktree is clean; with `trackedOnly`, untracked files are no matter. */
export async function requireCleanWorktree(
  repo: Repository,
  status: TreeStatus,
  options: { trackedOnly?: boolean } = {},
): Promise<void> {
  const operation = await operationUnderWay(repo.gitDir);
  if (operation) {
    throw new Refusal(
      'dirty_worktree',
      `${repo.top} is in the middle of ${operation.what}: finish it, or leave it with "${operation.remedy}".`,
      { data: where(repo) },
    );
  }
  const edited = options.trackedOnly ? [] : (status.overlooked?.edited ?? []);
  if (edited.length > 0) {
    throw new Refusal(
      'dirty_worktree',
      `${repo.top} holds edits that git was told to overlook (${edited.slice(0, 5).join(', ')}): run "git update-index --no-assume-unchanged --no-skip-worktree" on them, commit or discard them, then call again.`,
      { data: where(repo) },
    );
  }
  if (options.trackedOnly ? isTrackedClean(status) : isClean(status)) return;
  const shown = options.trackedOnly ? { ...status, untracked: [] } : status;
  throw new Refusal(
    'dirty_worktree',
    `${repo.top} has uncommitted changes (${listChanges(shown)}): commit, ignore or discard them, then call again.`,
    { data: where(repo) },
  );
}

/**
 * The commit a caller's `from` names. Refuses `unknown_ref`, and `ambiguous_ref` where git would pick one of several
 * meanings by a rule nobody remembers (gitrevisions(7)).
 */
export async function resolveRef(repo: Repository, name: string): Promise<string> {
  if (name.trim() === '' || name.startsWith('-') || /[\0-\x1f\x7f]/.test(name)) {
    throw new Refusal('unknown_ref', `"${name}" is not a branch, tag or commit: name one that exists.`, {
      data: where(repo),
    });
  }
  const { stdout, stderr, code } = await git(
    repo.top,
    ['-c', 'core.warnAmbiguousRefs=true', 'rev-parse', '--verify', '--end-of-options', `${name}^{commit}`],
    { ok: [0, 1, 128] },
  );
  if (/is ambiguous/.test(stderr)) {
    throw new Refusal(
      'ambiguous_ref',
      `"${name}" means more than one thing in this repository: write it in full, such as refs/heads/${name}, or a longer commit id.`,
      { data: where(repo) },
    );
  }
  if (code === 0) return stdout.toString('latin1').trim();
  throw new Refusal(
    'unknown_ref',
    `"${name}" is not a branch, tag or commit here: name one that exists ("git branch -a").`,
    {
      data: where(repo),
    },
  );
}
