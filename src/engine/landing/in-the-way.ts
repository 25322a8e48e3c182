import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { errnoOf } from '../errno.ts';
import { FileSet, keyOf, submodule } from '../git/compare.ts';
import { pathText } from '../git/core.ts';
import type { Difference } from '../git/diff.ts';

/** The most paths that are named. */
const MOST_NAMED = 200;

const SLASH = 0x2f;

/**
 * What stands in a checkout where a landing puts something, and that git does not track there: files it ignores among them,
 * which git itself would overwrite without a word. Path by path: something at the very place, a file where a directory is to
 * be, and whatever lies below a directory that becomes a file, a left submodule's included. A file with the very content
 * that lands is not in the way.
 */
export async function standInTheWay(checkout: string, entries: readonly Difference[]): Promise<string[]> {
  const tracked = new Set(entries.flatMap(({ path, from }) => (from ? [keyOf(path)] : [])));
  const found = new Map<string, Buffer>();
  const same: Difference[] = [];
  for (const entry of entries) {
    const { path, from, to } = entry;
    if (!to) continue;
    const above = await fileAbove(checkout, path, tracked);
    if (above) found.set(keyOf(above), above);
    if (above || (from && from.mode !== submodule)) continue;
    const there = await look(checkout, path);
    if (!there) continue;
    if (there.isDirectory()) {
      if (to.mode === submodule) continue;
      for (const below of await everythingBelow(checkout, path, tracked)) found.set(keyOf(below), below);
    } else if (to.mode === submodule) found.set(keyOf(path), path);
    else same.push(entry);
  }
  for (const path of await differing(checkout, same)) found.set(keyOf(path), path);
  return [...found.values()].map(pathText).sort();
}

const absolute = (checkout: string, path: Buffer) => Buffer.concat([Buffer.from(`${checkout}/`), path]);

async function look(checkout: string, path: Buffer): Promise<BigIntStats | undefined> {
  try {
    return await lstat(absolute(checkout, path), { bigint: true });
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The untracked file or link that stands where one of a path's directories is to be. */
async function fileAbove(
  checkout: string,
  path: Buffer,
  tracked: ReadonlySet<string>,
): Promise<Buffer | undefined> {
  for (let end = path.indexOf(SLASH); end !== -1; end = path.indexOf(SLASH, end + 1)) {
    const above = path.subarray(0, end);
    const there = await look(checkout, above);
    if (!there) return undefined;
    if (!there.isDirectory()) return tracked.has(keyOf(above)) ? undefined : above;
  }
  return undefined;
}

/** Everything below a directory but the tracked files that the landing takes away. */
async function everythingBelow(
  checkout: string,
  directory: Buffer,
  tracked: ReadonlySet<string>,
): Promise<Buffer[]> {
  const found: Buffer[] = [];
  const open = [directory];
  for (let next = open.pop(); next && found.length < MOST_NAMED; next = open.pop()) {
    const entries = await readdir(absolute(checkout, next), { withFileTypes: true, encoding: 'buffer' });
    for (const entry of entries) {
      const path = Buffer.concat([next, Buffer.from('/'), entry.name]);
      if (entry.isDirectory()) open.push(path);
      else if (!tracked.has(keyOf(path))) found.push(path);
    }
  }
  return found;
}

/** Of paths with a file at their place, those whose content is another than what lands. */
async function differing(checkout: string, entries: readonly Difference[]): Promise<Buffer[]> {
  const landing = entries.flatMap(({ path, to }) => (to ? [{ path, ...to }] : []));
  if (landing.length === 0) return [];
  const set = await FileSet.open(checkout, landing);
  try {
    const other = await set.differing();
    return landing.filter(({ path }) => other.has(keyOf(path))).map(({ path }) => path);
  } finally {
    await set.close();
  }
}
