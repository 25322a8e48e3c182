import { readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * The git directory of a linked checkout, from its `.git` file (gitrepository-layout(5)), where it may be relative to the
 * checkout. Free of symlinks, as `git rev-parse --git-dir` has it: locks are named by it.
 */
export async function gitDirOf(checkout: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(checkout, '.git'), 'utf8');
    const named = /^gitdir: (.+?)\r?\n?$/s.exec(text)?.[1];
    if (named === undefined) return undefined;
    const gitDir = resolve(checkout, named);
    return await realpath(gitDir).catch(() => gitDir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A directory is the main checkout's own; nothing there at all is a checkout that is gone.
    if (code === 'EISDIR' || code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The repository's own directory, from a git directory's `commondir` file; `undefined` where it has none and so is its own. */
export async function commonDirOf(gitDir: string): Promise<string | undefined> {
  const named = await readFile(join(gitDir, 'commondir'), 'utf8').catch(() => '');
  return named.trim() === '' ? undefined : resolve(gitDir, named.trim());
}
