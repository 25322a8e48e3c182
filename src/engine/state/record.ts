import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type * as z from 'zod';
import { readBounded } from '../files/bounded-file.ts';
import { placeAt, placeSeen, writeFileAtomic } from '../files/files.ts';
import { foreign, madeOwnDir } from './own-dir.ts';
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
  const found = placeAt(path);
  if (!found) return undefined;
  if (!found.isFile()) return { distrust: 'is not a regular file' };
  for (let dir = dirname(path); dir !== commonDir && dir !== dirname(dir); dir = dirname(dir)) {
    if (!placeSeen(dir)?.isDirectory()) return { distrust: `lies behind ${dir}, which is a link` };
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
  if (isLater(value)) return { distrust: LATER };
  if (typeof value !== 'object' || value === null) return { distrust: 'cannot be read' };
  if (!(await isSealed(commonDir, name, value))) return { distrust: NOT_OURS };
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { distrust: 'cannot be read' };
  return { value: parsed.data };
}

/** What is said of a record without our seal: a stranger's, one of a copy, or one of a release that sealed nothing. */
export const NOT_OURS = 'was not written by this user in this repository';

/** What is said of a record that a later release wrote: it is that one's to act on. */
export const LATER = 'was written by a later version of discern';

function isLater(value: unknown): boolean {
  const { version } = (value ?? {}) as { version?: unknown };
  return typeof version === 'number' && version > 1;
}

/**
 * Writes a record down, sealed, whole or not at all. What lies there and is not ours is replaced only with `over: 'anything'`,
 * where all that it could say is said anew; else it refuses `untrusted` and leaves it.
 */
export async function writeRecordFile<Value extends object>(
  commonDir: string,
  path: string,
  kind: Kind<Value>,
  record: Value,
  over: 'ours' | 'anything' = 'ours',
): Promise<void> {
  await madePlace(commonDir, dirname(path));
  const found = placeSeen(path);
  if (found?.isDirectory()) throw foreign(path, 'is a directory');
  if (over === 'ours' && found) {
    const old = await readRecordFile(commonDir, path, kind);
    if (old && 'distrust' in old) throw foreign(path, old.distrust);
  }
  await writeFileAtomic(path, await sealed(commonDir, kind.name, record));
}

/** A record lies in our own directory, or in git's directory of a linked checkout (gitrepository-layout(5)). */
async function madePlace(commonDir: string, dir: string): Promise<void> {
  if (dirname(dir) !== join(commonDir, 'worktrees')) return madeOwnDir(dir);
  if (realpathSync.native(dir) !== join(realpathSync.native(commonDir), dir.slice(commonDir.length)))
    throw foreign(dir, 'is not a directory of this repository');
}
