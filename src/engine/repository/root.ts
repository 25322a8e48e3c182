import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';
import { exists } from '../files/files.ts';

export const CONFIG_FILE = 'discern.toml';

/**
 * The project root for a directory (contract §3): the nearest ancestor, itself included, that has `discern.toml`, not
 * climbing past the git work tree's top. The answer is an absolute path free of symlinks.
 *
 * Refuses `invalid_argument` (not absolute, or a file), `path_not_found`, `not_initialized` (naming the directory it
 * looked from) and `not_a_git_repository` (a `discern.toml` outside any git work tree).
 */
export async function findRoot(from: string): Promise<string> {
  const start = await directoryAt(from);
  let root: string | undefined;
  for (let dir = start; ; dir = dirname(dir)) {
    if (!root && (await exists(join(dir, CONFIG_FILE)))) root = dir;
    if (await exists(join(dir, '.git'))) {
      if (root) return root;
      break;
    }
    if (dirname(dir) === dir) break;
  }
  if (root) {
    throw new Refusal(
      'not_a_git_repository',
      `${root} has a ${CONFIG_FILE} but lies in no git work tree: run "git init" there, or name a directory inside a repository.`,
      { data: { root: start } },
    );
  }
  throw new Refusal(
    'not_initialized',
    `No ${CONFIG_FILE} was found looking up from ${start}: call init ("discern init") to propose one, or name a directory inside a discern project.`,
    { data: { root: start } },
  );
}

/** True when a directory lies in a git work tree, by the `.git` that is found on the way up. */
export async function isInGit(directory: string): Promise<boolean> {
  for (let dir = directory; ; dir = dirname(dir)) {
    if (await exists(join(dir, '.git'))) return true;
    if (dirname(dir) === dir) return false;
  }
}

/**
 * The directory a path names, free of symlinks. Refuses `invalid_argument` (not absolute, or a file) and `path_not_found`.
 */
export async function directoryAt(from: string): Promise<string> {
  if (!isAbsolute(from)) {
    throw new Refusal('invalid_argument', `"${from}" is not an absolute path: name the directory from / on.`);
  }
  let real: string;
  try {
    real = realpathSync.native(from);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG') {
      throw new Refusal('path_not_found', `${from} does not exist: name a directory that does.`);
    }
    throw new Refusal('path_not_found', `${from} cannot be read (${code}): check its permissions.`);
  }
  if (!statSync(real).isDirectory()) {
    throw new Refusal('invalid_argument', `${from} is a file: name the directory it lies in.`);
  }
  return real;
}
