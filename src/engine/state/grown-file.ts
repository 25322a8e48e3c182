import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readBounded } from '../files/bounded-file.ts';
import { orWhenAbsent, writeFileAtomic } from '../files/files.ts';
import { foreign, foreignOnTheWay, madeOwnDir } from './own-dir.ts';

/**
 * Adds lines to a file of ours, whose older half is let go beyond `largest` bytes. Each is one appended line that begins with a
 * line end, so that worktrees may write at once and half a line spoils no other. Refuses `untrusted` where there is no file of
 * ours to write.
 */
export async function addLines(path: string, lines: readonly string[], largest: number): Promise<void> {
  await madeOwnDir(dirname(path));
  const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw ['ELOOP', 'ENXIO', 'EISDIR'].includes(error.code ?? '')
        ? foreign(path, 'is not a regular file')
        : error;
    },
  );
  let size: number;
  try {
    await file.appendFile(lines.map((line) => `\n${line}`).join(''));
    ({ size } = await file.stat());
  } finally {
    await file.close();
  }
  if (size <= largest) return;
  const text = await readGrown(path, largest);
  await writeFileAtomic(path, text.slice(text.indexOf('\n', text.length - largest / 2)));
}

/** All of such a file, empty where there is none. Refuses `untrusted` where what is there is not ours to read. */
export async function readGrown(path: string, largest: number): Promise<string> {
  const link = await foreignOnTheWay(dirname(path));
  if (link !== undefined) throw foreign(link, 'is not a directory');
  const found = await lstat(path).catch(orWhenAbsent(undefined));
  if (!found) return '';
  if (!found.isFile()) throw foreign(path, 'is not a regular file');
  // Between two halvings many may write at once.
  const read = await readBounded(path, 8 * largest);
  if (!read) return '';
  if ('problem' in read) throw foreign(path, read.problem);
  return read.text;
}

/** A line as JSON; `undefined` for half a line: the process that wrote it was killed. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
