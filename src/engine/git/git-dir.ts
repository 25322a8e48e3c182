import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readBounded } from '../files/bounded-file.ts';

/** The most bytes of one of git's small files that are read: longer than any path. */
const LARGEST = 64 * 1024;

/** The text of one of git's small files; `undefined` where it is none. */
export async function textOf(path: string, limit = LARGEST): Promise<string | undefined> {
  const read = await readBounded(path, limit);
  return read && 'text' in read ? read.text : undefined;
}

/**
 * The git directory of a linked checkout, from its `.git` file (gitrepository-layout(5)), where it may be relative to the
 * checkout. Free of symlinks, as `git rev-parse --git-dir` has it: locks are named by it.
 */
export async function gitDirOf(checkout: string): Promise<string | undefined> {
  // It may be a stranger's, and anything: a pipe is waited for by nobody.
  const read = await readBounded(join(checkout, '.git'), LARGEST);
  // A directory is the main checkout's own; nothing there at all is a checkout that is gone.
  if (!read) return undefined;
  if ('problem' in read) {
    if (/^cannot be read/.test(read.problem)) throw new Error(`${join(checkout, '.git')} ${read.problem}`);
    return undefined;
  }
  const named = /^gitdir: (.+?)\r?\n?$/s.exec(read.text)?.[1];
  if (named === undefined) return undefined;
  const gitDir = resolve(checkout, named);
  return realPlace(gitDir);
}

/** A path free of symlinks; `undefined` where it leads nowhere. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** A path free of symlinks; as it is where it leads nowhere. */
export const realPlace = (path: string): string => realOf(path) ?? path;

/** The repository's own directory, from a git directory's `commondir` file; `undefined` where it has none and so is its own. */
export async function commonDirOf(gitDir: string): Promise<string | undefined> {
  const named = (await textOf(join(gitDir, 'commondir')))?.trim() ?? '';
  return named === '' ? undefined : resolve(gitDir, named);
}
