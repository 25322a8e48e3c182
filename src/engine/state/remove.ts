import { lstatSync } from 'node:fs';
import { rm, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from '../files/errno.ts';
import { placeAt } from '../files/files.ts';
import { mountsWithin } from '../files/mounts.ts';
import { foreignOnTheWay } from './own-dir.ts';

/*
 * The one place from which discern deletes what it made. Nothing goes by what it is called: a file goes when it lies in our own
 * directory, a tree of files when a record of ours names it and it is that very directory, by its inode, where it must lie.
 */

/** A directory that a record of ours says is ours to delete. */
export interface NamedTree {
  path: string;
  /** The directory it must lie in, directly and free of links. */
  within: string;
  /** The inode it had when we made it, or took it over. */
  ino: string;
}

/** The inode by which a directory is known again; `undefined` where there is no directory, a link to one included. */
export async function inodeOf(path: string): Promise<string | undefined> {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.isDirectory() ? String(found.ino) : undefined;
}

/** Deletes a file of our own directory; one that is not there is no matter. Resolves with why it stays, in words that follow its path. */
export async function removeOwnFile(path: string): Promise<string | undefined> {
  const link = await foreignOnTheWay(dirname(path));
  if (link !== undefined) return `lies behind ${link}, which is not a directory of discern's`;
  const found = placeAt(path);
  if (!found) return undefined;
  if (!found.isFile()) return 'is not a regular file';
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return undefined;
}

/**
 * Deletes a directory with everything in it, if it is the one that was named. Resolves with why it stays, in words that follow
 * its path. What is mounted in it is nobody's to delete, and keeps it.
 */
export async function removeNamedTree({ path, within, ino }: NamedTree): Promise<string | undefined> {
  if (resolve(within) !== within || path !== join(within, basename(path))) return `does not lie in ${within}`;
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!found) return undefined;
  if ((await inodeOf(within)) === undefined) return `lies behind ${within}, which is not a directory`;
  if (!found.isDirectory()) return 'is not a directory';
  if (String(found.ino) !== ino) return 'is not the directory that discern made';
  const [mount] = await mountsWithin(path);
  if (mount) return `has something mounted in it, at ${mount.toString('utf8')}`;
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    return `could not be deleted whole (${errnoOf(error) ?? error})`;
  }
  return undefined;
}
