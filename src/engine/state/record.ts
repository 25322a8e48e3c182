import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type * as z from 'zod';
import { readBounded } from '../bounded-file.ts';
import { writeFileAtomic } from '../files.ts';
import { isSealed, sealed } from './seal.ts';

/** The most bytes a record of ours has. */
const LARGEST = 1024 * 1024;

/** What one kind of record must be, to be taken for ours. */
export interface Kind<Value> {
  name: string;
  schema: z.ZodType<Value>;
}

/** A record that is there: its value, or why it is not taken for ours, in words that follow its path. */
export type Found<Value> = { value: Value } | { distrust: string };

/**
 * Reads a record of ours back as if a stranger had written it: a regular file in a real directory, of a size, version and
 * shape we write, and sealed by this user for this repository. `undefined` when there is none.
 */
export async function readRecordFile<Value>(
  commonDir: string,
  path: string,
  { name, schema }: Kind<Value>,
): Promise<Found<Value> | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
  });
  if (!found) return undefined;
  if (!found.isFile()) return { distrust: 'is no regular file' };
  for (let dir = dirname(path); dir !== commonDir && dir !== dirname(dir); dir = dirname(dir)) {
    if (!(await lstat(dir)).isDirectory()) return { distrust: `lies behind ${dir}, which is a link` };
  }
  const read = await readBounded(path, LARGEST);
  if (!read) return undefined;
  if ('problem' in read) return { distrust: read.problem };
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch {
    return { distrust: 'cannot be read' };
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { distrust: 'cannot be read' };
  if (!(await isSealed(commonDir, name, value as object)))
    return { distrust: 'was not written by this user in this repository' };
  return { value: parsed.data };
}

/** Writes a record down, sealed, whole or not at all. */
export async function writeRecordFile<Value extends object>(
  commonDir: string,
  path: string,
  { name }: Kind<Value>,
  record: Value,
): Promise<void> {
  await writeFileAtomic(path, await sealed(commonDir, name, record));
}
