import { statfs } from 'node:fs/promises';
import { type Cause, causeOf } from '../git/cause.ts';

/** The line in which git says why it could not write, after its hints. */
export function reasonIn(said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
  return (
    lines.find((line) => causeOf(line) === 'unwritten') ??
    lines.find((line) => causeOf(line) !== 'other') ??
    lines[0] ??
    ''
  ).trim();
}

/** With less than this free, in bytes, a disk counts as full. */
const FULL_BELOW = 1024 * 1024;

/**
 * Why git could not write below a directory, by what it said; `undefined` where it said no such thing. Of a file it had begun
 * it does not say what failed, so the disk is asked.
 */
export async function whyUnwritten(directory: string, said: string): Promise<Cause | undefined> {
  const cause = causeOf(said);
  if (cause === 'other') return undefined;
  if (cause !== 'unwritten') return cause;
  const { bavail, bsize, files, ffree } = await statfs(directory);
  // A file system that counts no inodes says 0 of both.
  return bavail * bsize < FULL_BELOW || (files > 0 && ffree === 0) ? 'no_space' : cause;
}
