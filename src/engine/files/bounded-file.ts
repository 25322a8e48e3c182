import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { errnoOf } from './errno.ts';

/**
 * What reading a file came to: its text and when that last changed, in milliseconds; or why there is none, in words that follow
 * its name.
 */
export type BoundedRead = { text: string; changed: number } | { problem: string };

/**
 * The text of a file that is not ours and may be anything: not more of it than `limit` bytes, no device or pipe that never
 * ends, without a byte order mark; with `links: false` nothing behind a link either. `undefined` when there is no such file. Never
 * rejects. Read at once: git's and our own files are of a few bytes, and a wait for each would be longer than the reading.
 */
export async function readBounded(
  path: string,
  limit: number,
  { links = true }: { links?: boolean } = {},
): Promise<BoundedRead | undefined> {
  try {
    if (!links && lstatSync(path).isSymbolicLink()) return { problem: 'is a link' };
    // A FIFO is opened without waiting for its writer, to be turned away below.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (links ? 0 : (constants.O_NOFOLLOW ?? 0));
    const file = openSync(path, flags);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return { problem: 'is not a regular file' };
      if (stats.size > limit) {
        return { problem: `has ${stats.size} bytes, more than the ${limit} that are read` };
      }
      return { text: readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), changed: stats.mtimeMs };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { problem: `cannot be read (${code ?? String(error)})` };
  }
}
