import { mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';
import type { Repository } from '../repository/repository.ts';

/** The checkout that stands for the repository itself: the main one, or in a bare-hub layout the landing checkout. */
export function homeCheckout(repo: Repository): string {
  const [main] = repo.worktrees;
  if (main && !main.bare) return main.path;
  return repo.landing?.path ?? repo.top;
}

/**
 * The directory new worktrees are made in: `[worktree].root` (absolute, `~`, or relative to the repository), else
 * `<repo>.worktrees` beside the repository.
 */
export function worktreesDir(repo: Repository): string {
  const home = homeCheckout(repo);
  const { root } = repo.config.config.worktree;
  if (root === '') return join(dirname(home), `${basename(home)}.worktrees`);
  if (root === '~' || root.startsWith('~/')) return join(homedir(), root.slice(1));
  return isAbsolute(root) ? root : resolve(home, root);
}

/** {@link worktreesDir}, free of symlinks where it is there: as git has the paths of what lies in it. */
export async function realWorktreesDir(repo: Repository): Promise<string> {
  const dir = worktreesDir(repo);
  return realpath(dir).catch(() => dir);
}

/**
 * Makes a directory and the parents it lacks, and returns those it made, innermost first, so that they can be taken
 * back. Refuses `path_exists` where a file stands in the way.
 */
export async function makeDirectories(dir: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = dir; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (found?.isDirectory()) break;
    if (found)
      throw new Refusal(
        'path_exists',
        `${at} is a file, and worktrees go below it: move it, or set [worktree].root.`,
      );
    missing.push(at);
    if (dirname(at) === at) break;
  }
  await mkdir(dir, { recursive: true });
  return missing;
}

/** Takes back directories that {@link makeDirectories} made, those that are still empty. */
export async function removeDirectories(made: readonly string[]): Promise<void> {
  for (const dir of made) {
    try {
      await rmdir(dir);
    } catch (error) {
      const code = errnoOf(error);
      // Someone else has put something in it since, or has removed it: it is not ours any more.
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT') return;
      throw error;
    }
  }
}
