import { access, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fields, GitError, git, pathText } from '../git/core.ts';
import { type Obstacles, parseObstacles, refreshIndex, switchTree } from '../git/read-tree.ts';
import { Refusal } from '../refusal.ts';

/** How long to wait for someone else's git to let go of the index, in milliseconds. */
const INDEX_WAIT_MS = 2_000;

/** Waits until no other git holds the checkout's index; refuses `busy`, naming the file, when it stays held. */
export async function waitForIndex(gitDir: string): Promise<void> {
  const lock = join(gitDir, 'index.lock');
  for (let waited = 0; ; waited += 50) {
    const held = await access(lock).then(
      () => true,
      () => false,
    );
    if (!held) return;
    if (waited >= INDEX_WAIT_MS) {
      throw new Refusal(
        'busy',
        `${lock} is held: wait for the git command that holds it; if none is running, delete that file, then call again.`,
      );
    }
    await sleep(50);
  }
}

/**
 * What keeps a checkout from following the trunk from one commit to another, or `undefined`. git checks every path before
 * it writes one. Files that were touched but are equal count as changed until the index is refreshed.
 */
export async function findObstacles(
  checkout: string,
  from: string,
  to: string,
): Promise<Obstacles | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      await switchTree(checkout, from, to, { dryRun: true });
      return undefined;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      const obstacles = parseObstacles(error);
      if (obstacles.untracked.length === 0 && obstacles.changed.length === 0) throw error;
      if (attempt > 0 || obstacles.changed.length === 0) return obstacles;
      await refreshIndex(checkout);
    }
  }
}

/**
 * Finishes a follow that was cut off between two files: some are written already, some are not, and the index may say
 * either. Each path that differs between the two commits is judged by its content. What equals the new commit is done;
 * what equals the old one is brought forward; anything else is a person's edit, stays, and is returned.
 */
export async function finishFollow(checkout: string, from: string, to: string): Promise<string[]> {
  const entries = await treeDifference(checkout, from, to);
  const now = await worktreeBlobs(checkout, entries);
  const edited: string[] = [];
  const write: Buffer[] = [];
  const remove: Buffer[] = [];
  for (const entry of entries) {
    const found = now.get(entry.path.toString('latin1'));
    if (found === entry.to) continue;
    if (found !== entry.from) edited.push(pathText(entry.path));
    else if (entry.to === undefined) remove.push(entry.path);
    else write.push(entry.path);
  }
  if (await indexEquals(checkout, from)) await git(checkout, ['read-tree', to]);
  for (const path of remove) await rm(join(checkout, path.toString('utf8')), { force: true });
  if (write.length > 0) {
    await git(checkout, ['checkout-index', '-f', '-z', '--stdin'], {
      stdin: Buffer.concat(write.flatMap((path) => [path, Buffer.of(0)])),
    });
  }
  await refreshIndex(checkout);
  return edited;
}

interface Difference {
  path: Buffer;
  from?: string;
  to?: string;
}

async function treeDifference(cwd: string, from: string, to: string): Promise<Difference[]> {
  const { stdout } = await git(cwd, ['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', from, to, '--']);
  const parts = fields(stdout);
  const entries: Difference[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    // ":<mode> <mode> <blob> <blob> <status>", then the path (git-diff-tree(1), raw format)
    const [, , before = '', after = ''] = (parts[i] as Buffer).toString('latin1').split(' ');
    const blob = (id: string) => (/^0+$/.test(id) ? undefined : id);
    const [old, next] = [blob(before), blob(after)];
    entries.push({ path: parts[i + 1] as Buffer, ...(old && { from: old }), ...(next && { to: next }) });
  }
  return entries;
}

/** The blob each path's working file would be, through git's own filters; absent paths have none. */
async function worktreeBlobs(checkout: string, entries: readonly Difference[]): Promise<Map<string, string>> {
  const present: Buffer[] = [];
  for (const { path } of entries) {
    const found = await lstat(Buffer.concat([Buffer.from(`${checkout}/`), path])).catch(() => undefined);
    if (found?.isFile()) present.push(path);
  }
  const blobs = new Map<string, string>();
  if (present.length === 0) return blobs;
  const { stdout } = await git(checkout, ['hash-object', '--stdin-paths'], {
    stdin: `${present.map((path) => path.toString('utf8')).join('\n')}\n`,
  });
  const ids = stdout.toString('latin1').trim().split('\n');
  present.forEach((path, index) => {
    blobs.set(path.toString('latin1'), ids[index] ?? '');
  });
  return blobs;
}

async function indexEquals(checkout: string, commit: string): Promise<boolean> {
  const { code } = await git(checkout, ['diff-index', '--cached', '--quiet', '--no-ext-diff', commit, '--'], {
    ok: [0, 1],
  });
  return code === 0;
}
