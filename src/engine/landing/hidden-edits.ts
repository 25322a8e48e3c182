import { lstat } from 'node:fs/promises';
import { orWhenAbsent } from '../files/files.ts';
import { submodule } from '../git/compare.ts';
import { pathText } from '../git/core.ts';
import type { Difference } from '../git/diff.ts';
import { differingAmong } from '../git/differences.ts';
import { type Checkout, pathOf } from '../git/own-index.ts';
import { askPlace, readPlace } from '../git/place.ts';

/**
 * Tracked files of a checkout at `from` that a move to `to` would overwrite or delete, and that are not as `from` has them: git
 * asks its index, which a flag or a filter may have told that they are. One that is as `to` has it already is in nobody's way.
 */
export async function editedInTheWay(
  checkout: string,
  from: string,
  to: string,
  entries: readonly Difference[],
): Promise<string[]> {
  const place = (await readPlace(checkout)) ?? (await askPlace(checkout));
  const side = (which: 'from' | 'to') =>
    entries.flatMap(({ path, [which]: entry }) =>
      entry && entry.mode !== submodule ? [{ path, ...entry }] : [],
    );
  const old = await differingAmong(place, from, side('from'));
  if (old.size === 0) return [];
  const landing = side('to').filter(({ path }) => old.has(path.toString('latin1')));
  const other = await differingAmong(place, to, landing);
  const has = new Set(landing.map(({ path }) => path.toString('latin1')));
  const found: string[] = [];
  for (const [key, how] of old) {
    const edited = how === 'changed' ? !has.has(key) || other.has(key) : await isDirectory(place, key);
    if (edited) found.push(pathText(pathOf(key)));
  }
  return found.sort();
}

/** A directory where a file was is a person's, whatever lies in it. */
async function isDirectory({ top }: Checkout, key: string): Promise<boolean> {
  const found = await lstat(Buffer.concat([Buffer.from(`${top}/`), pathOf(key)])).catch(
    orWhenAbsent(undefined),
  );
  return found?.isDirectory() === true;
}
