import { access } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { errnoOf } from '../engine/files/errno.ts';

/** The directory a person stands in; `undefined` when it has been removed from under the shell. */
export function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the directory a person stands in was removed meanwhile. */
export async function isGone(here: string | undefined): Promise<boolean> {
  if (here === undefined) return true;
  return access(here).then(
    () => false,
    () => true,
  );
}

/** Where looking for the project begins; `undefined` when that would need a current directory and there is none. */
export function startingPoint(here: string | undefined, path: string | undefined): string | undefined {
  if (here !== undefined) return resolve(here, path ?? '');
  return path !== undefined && isAbsolute(path) ? resolve(path) : undefined;
}

/** A worktree as it was typed: `.` and what begins with `./` or `../` is a directory, anything else an id or a branch. */
export function namedFrom(here: string | undefined, name: string): string {
  if (here === undefined || !/^\.{1,2}(?:$|[\\/])/.test(name)) return isAbsolute(name) ? resolve(name) : name;
  return resolve(here, name);
}

/**
 * A file of the project as a terminal can open it with a click: relative to where the person stands when that is inside
 * the project, else absolute.
 */
export function clickable(file: string, root: string | undefined, here: string | undefined): string {
  if (root === undefined || isAbsolute(file)) return file;
  const path = resolve(root, file);
  if (here === undefined || (here !== root && !here.startsWith(root + sep))) return path;
  return relative(here, path);
}
