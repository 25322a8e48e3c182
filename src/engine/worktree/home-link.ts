import { link, lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../files/errno.ts';

/** In a worktree's git directory: a second name for the checkout's own `.git` file. */
const nameOf = (gitDir: string) => join(gitDir, 'discern-vscode.link');

/** How a file system says that it has no hard links, or none to another one. */
const cannot = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EEXIST']);

/**
 * Ties a worktree's git directory to its checkout: the `.git` file gets a second name there. However far a person moves the
 * checkout on that disk, the file's number of names tells that it is still somewhere.
 */
export async function tieHome(gitDir: string, checkout: string): Promise<void> {
  try {
    await link(join(checkout, '.git'), nameOf(gitDir));
  } catch (error) {
    // Then nothing is known of where it goes, and a prune is the more careful.
    if (!cannot.has(errnoOf(error) ?? '')) throw error;
  }
}

/**
 * What is known of a checkout that is not where git has it: `elsewhere` when its `.git` file is still on the disk, `gone` when
 * it is not (deleted, or carried to another disk), `unknown` where nothing tells.
 */
export async function traceOf(gitDir: string): Promise<'elsewhere' | 'gone' | 'unknown'> {
  const found = await lstat(nameOf(gitDir)).catch(() => undefined);
  if (!found?.isFile()) return 'unknown';
  return found.nlink > 1 ? 'elsewhere' : 'gone';
}

/** A search for a checkout goes no further than so many directories, and so deep. */
const MOST_LOOKED_AT = 2_000;
const DEEPEST = 3;

/** Looks for a checkout that was moved, below these directories; `undefined` when it is not near. Follows no symlink. */
export async function findMoved(gitDir: string, around: readonly string[]): Promise<string | undefined> {
  const own = await lstat(nameOf(gitDir), { bigint: true }).catch(() => undefined);
  if (!own) return undefined;
  const open = [...new Set(around)].map((path) => ({ path, depth: 0 }));
  const seen = new Set<string>();
  for (let next = open.shift(); next && seen.size < MOST_LOOKED_AT; next = open.shift()) {
    const { path, depth } = next;
    if (seen.has(path)) continue;
    seen.add(path);
    const file = await lstat(join(path, '.git'), { bigint: true }).catch(() => undefined);
    if (file?.ino === own.ino && file.dev === own.dev) return path;
    // What lies in a checkout or a repository is its own.
    if (file || depth >= DEEPEST) continue;
    // One that we may not read holds nothing we could find.
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory() && entry.name !== 'node_modules')
        open.push({ path: join(path, entry.name), depth: depth + 1 });
    }
  }
  return undefined;
}

/** Where a person may have moved a checkout to, nearest first. */
export const aroundOf = (path: string): string[] => [dirname(path), dirname(dirname(path))];
