import { rmdir, unlink } from 'node:fs/promises';
import { errnoOf } from '../errno.ts';
import { FileSet, indexInfo, keyOf, type NamedEntry, submodule } from '../git/compare.ts';
import { fields, git, pathText } from '../git/core.ts';
import { type Difference, treeDifference } from '../git/diff.ts';
import { refreshIndex } from '../git/read-tree.ts';

/**
 * Takes a checkout from one commit to another from wherever a follow was cut off: some files are written already, some
 * are not, and the index may say either. Each path that differs between the two is judged by its content. What equals the
 * new commit is done; what equals the old one, or is not there, is brought forward; anything else is a person's edit,
 * stays, and is returned. The index comes last: until then, being cut off again changes nothing of this.
 */
export async function catchUp(checkout: string, from: string, to: string): Promise<string[]> {
  const entries = await treeDifference(checkout, from, to);
  const before = await FileSet.open(checkout, side(entries, 'from'));
  const after = await FileSet.open(checkout, side(entries, 'to'));
  try {
    const [old, next] = [await before.differing(), await after.differing()];
    const plan = sort(entries, old, next);
    for (const path of plan.remove) await remove(checkout, path);
    await after.write(plan.rewrite, { overwrite: true });
    await after.write(plan.create, { overwrite: false });
    const left = await after.differing();
    const staged = await catchUpIndex(checkout, entries, from, to);
    await refreshIndex(checkout);
    const kept = entries.filter(({ path }) => left.has(keyOf(path)) || staged.has(keyOf(path)));
    return [...plan.kept, ...kept.map(({ path }) => path)].map(pathText).sort();
  } finally {
    await before.close();
    await after.close();
  }
}

function side(entries: readonly Difference[], which: 'from' | 'to'): NamedEntry[] {
  return entries.flatMap(({ path, [which]: entry }) => (entry ? [{ path, ...entry }] : []));
}

interface Plan {
  remove: Buffer[];
  rewrite: Buffer[];
  create: Buffer[];
  /** Files the new commit does not have, and whose content the old one does not know. */
  kept: Buffer[];
}

type Findings = ReadonlyMap<string, 'absent' | 'changed'>;

function sort(entries: readonly Difference[], old: Findings, next: Findings): Plan {
  const plan: Plan = { remove: [], rewrite: [], create: [], kept: [] };
  for (const { path, from, to } of entries) {
    const [isOld, isNew] = [old.get(keyOf(path)), next.get(keyOf(path))];
    if (to === undefined) {
      if (from?.mode === submodule) continue; // git leaves its directory alone too
      if (isOld === 'changed') plan.kept.push(path);
      else if (isOld === undefined) plan.remove.push(path);
    } else if (isNew === 'absent') plan.create.push(path);
    else if (isNew === 'changed' && from !== undefined && isOld === undefined) plan.rewrite.push(path);
  }
  return plan;
}

/** Deletes a file and the directories it leaves empty, as git does. */
async function remove(checkout: string, path: Buffer): Promise<void> {
  const absolute = (name: Buffer) => Buffer.concat([Buffer.from(`${checkout}/`), name]);
  const code = (error: unknown) => errnoOf(error);
  try {
    await unlink(absolute(path));
    for (let end = path.lastIndexOf(0x2f); end > 0; end = path.lastIndexOf(0x2f, end - 1)) {
      await rmdir(absolute(path.subarray(0, end)));
    }
  } catch (error) {
    // Not empty, or gone already: as it should be.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(code(error) ?? '')) throw error;
  }
}

/**
 * Takes the index forward, path by path, where it still is at the old commit. Returns the paths where it is at neither:
 * someone staged something there.
 */
async function catchUpIndex(
  checkout: string,
  entries: readonly Difference[],
  from: string,
  to: string,
): Promise<Set<string>> {
  const [notOld, notNew] = [await indexDifference(checkout, from), await indexDifference(checkout, to)];
  const behind = entries.filter(({ path }) => !notOld.has(keyOf(path)));
  const info = (gone: boolean) =>
    behind
      .filter((entry) => (entry.to === undefined) === gone)
      .map(({ path, to: entry }) =>
        indexInfo({ path, ...(entry ?? { mode: '0', id: '0'.repeat(to.length) }) }),
      );
  // What goes comes first, so that a directory can take a file's place.
  const lines = [...info(true), ...info(false)];
  if (lines.length > 0) {
    await git(checkout, ['update-index', '-z', '--add', '--replace', '--index-info'], {
      stdin: Buffer.concat(lines),
    });
  }
  const neither = entries.map(({ path }) => keyOf(path)).filter((key) => notOld.has(key) && notNew.has(key));
  return new Set(neither);
}

async function indexDifference(checkout: string, commit: string): Promise<Set<string>> {
  const { stdout } = await git(checkout, [
    'diff-index',
    '--cached',
    '-z',
    '--name-only',
    '--no-renames',
    '--no-ext-diff',
    commit,
    '--',
  ]);
  return new Set(fields(stdout).map(keyOf));
}
