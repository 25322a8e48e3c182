import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Extent } from '../../contract/config.ts';
import { orWhenAbsent } from '../files/files.ts';
import { fields, tryGit } from '../git/core.ts';

/** Bytes that stand between words (isspace(3) in the C locale), as wc(1) counts. */
const spaces = new Set([0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d]);
const newline = 0x0a;

/**
 * Counts the tracked files that git pathspecs name, seen from `root`, or the lines, words or bytes in them as they stand
 * in the working tree. Links and submodules are no text and are left out, as is a file that is gone. Answers a problem
 * for a pathspec git cannot read.
 */
export async function measureExtent(
  root: string,
  extent: Extent,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<number | { problem: string }> {
  const listed = await tryGit(root, ['ls-files', '-z', '--', ...paths], { signal });
  if (listed instanceof Error)
    return { problem: `git cannot read the paths it is divided by (${listed.message})` };
  // An unmerged path is listed once for each of its sides.
  const files = [...new Map(fields(listed.stdout).map((path) => [path.toString('latin1'), path])).values()];
  if (extent === 'files') return files.length;
  let total = 0;
  for (const path of files) total += await measureFile(bytePath(root, path), extent, signal);
  return total;
}

/** A path below `root` whose name is the bytes git has. */
const bytePath = (root: string, path: Buffer) => Buffer.concat([Buffer.from(join(root, '/')), path]);

async function measureFile(
  path: Buffer,
  extent: Exclude<Extent, 'files'>,
  signal?: AbortSignal,
): Promise<number> {
  const found = await lstat(path).catch(orWhenAbsent(undefined));
  if (!found?.isFile()) return 0;
  if (extent === 'bytes') return found.size;
  let count = 0;
  let between = true;
  for await (const chunk of createReadStream(path, { ...(signal && { signal }) })) {
    for (const byte of chunk as Buffer) {
      if (extent === 'lines') {
        if (byte === newline) count++;
        continue;
      }
      const space = spaces.has(byte);
      if (between && !space) count++;
      between = space;
    }
  }
  return count;
}
