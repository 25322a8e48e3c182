import { type BigIntStats, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSet, keyOf, type NamedEntry } from './compare.ts';
import { pathText } from './core.ts';
import { type IndexEntry, parseIndex } from './index-file.ts';
import type { Place } from './place.ts';

/** An index of more files than this is left to git. */
const MOST_FILES = 100_000;

/**
 * Tracked files that are not what the index has for them, though git takes them to be: git compares stamps by whole seconds on
 * most machines, so an edit of the same size and modification time in the second of the last look goes unseen. Here stamps are
 * compared in full, and what differs by one is compared by content.
 */
export async function hiddenEdits({ top, gitDir }: Pick<Place, 'top' | 'gitDir'>): Promise<string[]> {
  const suspects = suspectsIn(top, join(gitDir, 'index'));
  if (suspects.length === 0) return [];
  const set = await FileSet.open(top, suspects);
  try {
    const differing = await set.differing();
    return suspects.filter(({ path }) => differing.has(keyOf(path))).map(({ path }) => pathText(path));
  } finally {
    await set.close();
  }
}

function suspectsIn(top: string, file: string): NamedEntry[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    // No index, or one that is being replaced: git has just read it and knows.
    return [];
  }
  const index = parseIndex(bytes, MOST_FILES, true);
  if (!index) return [];
  return index.entries
    .filter((entry) => !isUntouched(join(top, entry.path), entry))
    .map(({ path, mode, id }) => ({ path: Buffer.from(path), mode: mode.toString(8), id }));
}

/** True when a file has every stamp of its entry; what is gone or of another kind is for git to tell. */
function isUntouched(path: string, { size, inode, mtime, ctime }: IndexEntry): boolean {
  let found: BigIntStats;
  try {
    found = lstatSync(path, { bigint: true });
  } catch {
    return true;
  }
  return (
    found.mtimeNs === mtime &&
    found.ctimeNs === ctime &&
    BigInt.asUintN(32, found.size) === BigInt(size) &&
    BigInt.asUintN(32, found.ino) === BigInt(inode)
  );
}
