import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errnoOf } from './errno.ts';

/** What reading a file came to: its text, or why there is none, in words that follow its name. */
export type BoundedRead = { text: string } | { problem: string };

/**
 * The text of a file that is not ours and may be anything: not more of it than `limit` bytes, no device or pipe that never
 * ends, without a byte order mark. `undefined` when there is no such file. Never rejects.
 */
export async function readBounded(path: string, limit: number): Promise<BoundedRead | undefined> {
  try {
    // A FIFO is opened without waiting for its writer, to be turned away below.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return { problem: 'is no regular file' };
      if (stats.size > limit) {
        return { problem: `has ${stats.size} bytes, more than the ${limit} that are read` };
      }
      return { text: (await handle.readFile('utf8')).replace(/^\uFEFF/, '') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { problem: `cannot be read (${code ?? String(error)})` };
  }
}
