import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../call/refusal.ts';
import { exists } from '../files/files.ts';
import { adviceOn, type Cause, causeAmong } from '../git/cause.ts';
import type { GitError } from '../git/core.ts';
import { changedPaths, type Difference } from '../git/diff.ts';
import { type Obstacles, parseObstacles, refreshIndex, switchTree } from '../git/read-tree.ts';
import { readStatus } from '../git/status.ts';
import { editedInTheWay } from './hidden-edits.ts';
import { standInTheWay } from './in-the-way.ts';

/** How long to wait for someone else's git to let go of the index, in milliseconds. */
const INDEX_WAIT_MS = 2_000;

/** How often a follow waits for one git after another to let go. */
const MOST_WAITS = 5;

/** Waits until no other git holds the checkout's index; refuses `busy`, naming the file, when it stays held. */
export const waitForIndex = (gitDir: string): Promise<void> => waitForLock(join(gitDir, 'index.lock'));

/** Waits until no other git holds what the deletion of a branch needs; refuses `busy`, naming the file. */
export async function waitForBranch(commonDir: string, branch: string | null): Promise<void> {
  await waitForLock(join(commonDir, 'packed-refs.lock'));
  if (branch !== null) await waitForLock(join(commonDir, 'refs/heads', `${branch}.lock`));
}

async function waitForLock(lock: string): Promise<void> {
  for (let waited = 0; ; waited += 50) {
    if (!(await exists(lock))) return;
    if (waited >= INDEX_WAIT_MS) {
      throw new Refusal(
        'busy',
        `${lock} is held: wait for the git command that holds it; if none is running, delete that file, then call again.`,
        { data: { files: [lock] } },
      );
    }
    await sleep(50);
  }
}

/** {@link tryFollow}, for a caller to whom what stands in the way is a failure. */
export async function follow(checkout: string, from: string, to: string): Promise<void> {
  const followed = await tryFollow(checkout, from, to);
  if (followed !== 'switched') throw followed;
}

/**
 * {@link switchTree}, once no other git holds the checkout's index; refuses `busy` when it stays held. Files that were
 * touched but are equal count as changed until the index is refreshed.
 */
async function tryFollow(
  checkout: string,
  from: string,
  to: string,
  options: { dryRun?: boolean } = {},
): Promise<'switched' | GitError> {
  let waits = 0;
  for (let refreshed = false; ; ) {
    const switched = await switchTree(checkout, from, to, options);
    if (switched === 'switched') return switched;
    const lock = /Unable to create '(.+index\.lock)'/s.exec(switched.stderr)?.[1];
    if (lock !== undefined) {
      const cause = causeAmong(switched.kind);
      // Only a lock that somebody holds goes away by itself; each such wait is bounded, and so is their number.
      if (cause !== 'locked' || ++waits > MOST_WAITS) throw notWritable(checkout, lock, cause, switched);
      await waitForIndex(dirname(lock));
    } else if (!refreshed && parseObstacles(switched.stderr).changed.length > 0) {
      refreshed = true;
      await refreshIndex(checkout);
    } else return switched;
  }
}

function notWritable(checkout: string, lock: string, cause: Cause, error: GitError): Refusal {
  return new Refusal(
    cause === 'locked' ? 'busy' : 'unavailable',
    `${checkout} cannot follow, since git cannot write its index (${error.firstLine}): ${adviceOn(cause, dirname(lock))}.`,
    { data: { files: [lock] } },
  );
}

/**
 * What keeps a checkout from following the trunk from one commit to another, or `undefined`. git checks every path before
 * it writes one, and then names one; here all are listed. `entries` are what differs between the two commits.
 */
export async function findObstacles(
  checkout: string,
  from: string,
  to: string,
  entries: readonly Difference[],
): Promise<Obstacles | undefined> {
  const followed = await tryFollow(checkout, from, to, { dryRun: true });
  if (followed === 'switched') {
    const [changed, untracked] = await Promise.all([
      editedInTheWay(checkout, from, to, entries),
      standInTheWay(checkout, entries),
    ]);
    return untracked.length + changed.length > 0 ? { changed, untracked } : undefined;
  }
  const first = parseObstacles(followed.stderr);
  if (first.untracked.length === 0 && first.changed.length === 0) throw followed;
  return first.changed.length > 0
    ? { changed: await changedAmong(checkout, from, to, first.changed), untracked: [] }
    : { changed: [], untracked: sorted([...first.untracked, ...(await standInTheWay(checkout, entries))]) };
}

const sorted = (paths: Iterable<string>) => [...new Set(paths)].sort();

async function changedAmong(checkout: string, from: string, to: string, first: string[]): Promise<string[]> {
  const { staged, unstaged } = await readStatus(checkout, { untracked: 'no' });
  const changed = new Set([...staged, ...unstaged]);
  const landing = await changedPaths(checkout, from, to);
  return sorted([...first, ...landing.filter((path) => changed.has(path))]);
}
