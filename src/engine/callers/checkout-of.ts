import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { realPlace } from '../git/git-dir.ts';
import { anchorOf } from '../repository/anchor.ts';

/** The checkout a directory lies in. Absolute paths, free of symlinks. */
export interface CheckoutPlace {
  top: string;
  commonDir: string;
  /** True in a linked checkout. */
  linked: boolean;
}

/**
 * The checkout a directory lies in, by the files git reads (gitrepository-layout(5)). `undefined` when the directory is gone
 * or lies in none that can be read, or in a copy of one.
 */
export async function checkoutOf(directory: string): Promise<CheckoutPlace | undefined> {
  // A directory that is gone, or a git directory that cannot be read, is no evidence, and never an error of the call.
  const anchor = await realpath(directory)
    .then(anchorOf)
    .catch(() => undefined);
  if (anchor === undefined) return undefined;
  const { top, gitDir, commonDir } = anchor;
  if (gitDir !== commonDir && (await isCopy(top, gitDir))) return undefined;
  return {
    top,
    commonDir: realPlace(commonDir),
    linked: gitDir !== commonDir,
  };
}

/** How many repositories within one another are gone through. */
const MOST_NESTED = 8;

/**
 * The checkout of one repository that a directory lies in, be it in a submodule or another repository there; else the checkout it lies
 * in at all. `commonDir` is the repository's.
 */
export async function checkoutAround(
  directory: string,
  commonDir: string,
): Promise<CheckoutPlace | undefined> {
  const own = await checkoutOf(directory);
  let place = own;
  for (let up = 0; place && place.commonDir !== commonDir && up < MOST_NESTED; up++) {
    place = await checkoutOf(dirname(place.top));
  }
  return place?.commonDir === commonDir ? place : own;
}

/**
 * A copy of a linked checkout has the same git directory, which names the original (gitrepository-layout(5), `worktrees/<id>/gitdir`).
 * While the original is there, what stands in the copy is not what its branch is about.
 */
async function isCopy(top: string, gitDir: string): Promise<boolean> {
  const named = await readFile(join(gitDir, 'gitdir'), 'utf8').catch(() => undefined);
  if (named === undefined) return false;
  const original = await realpath(resolve(gitDir, named.trim())).catch(() => undefined);
  return original !== undefined && original !== (await realpath(join(top, '.git')));
}
