import { lstat, readFile, rmdir, unlink } from 'node:fs/promises';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';
import { orWhenAbsent } from '../files/files.ts';
import { adviceOn } from '../git/cause.ts';
import { FileSet, indexInfo, keyOf, type NamedEntry, submodule } from '../git/compare.ts';
import { fields, git, pathText } from '../git/core.ts';
import { type Difference, treeDifference } from '../git/diff.ts';
import { refreshIndex } from '../git/read-tree.ts';
import { reasonIn, whyUnwritten } from './unwritten.ts';

/**
 * Takes a checkout from one commit to another from wherever a follow was cut off: some files are written already, some
 * are not, and the index may say either. Each path that differs between the two is judged by its content. What equals the
 * new commit is done; what equals the old one, or is not there, is brought forward, and so is a file that git had only begun to
 * write; anything else is a person's edit, stays, and is returned. The index comes last: until then, being cut off again
 * changes nothing of this. Refuses `unavailable` where a file cannot be written, as on a full disk.
 */
export async function catchUp(checkout: string, from: string, to: string): Promise<string[]> {
  const entries = await treeDifference(checkout, from, to);
  const before = await FileSet.open(checkout, side(entries, 'from'));
  const after = await FileSet.open(checkout, side(entries, 'to'));
  try {
    const [old, next] = [await before.differing(), await after.differing()];
    const plan = sort(entries, old, next, await begunAmong(checkout, entries, old, next));
    // What goes comes first: on a full disk it makes the room that the rest needs.
    for (const path of plan.remove) await remove(checkout, path);
    for (const path of plan.begun) await unlink(absolute(checkout, path));
    const said = [
      await after.write(plan.rewrite, { overwrite: true }),
      await after.write([...plan.begun, ...plan.create], { overwrite: false }),
    ].join('');
    await requireWritten(checkout, said);
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
  /** Files that git had begun to write. */
  begun: Buffer[];
  rewrite: Buffer[];
  create: Buffer[];
  /** Files the new commit does not have, and whose content the old one does not know. */
  kept: Buffer[];
}

type Findings = ReadonlyMap<string, 'absent' | 'changed'>;

function sort(
  entries: readonly Difference[],
  old: Findings,
  next: Findings,
  begun: ReadonlySet<string>,
): Plan {
  const plan: Plan = { remove: [], begun: [], rewrite: [], create: [], kept: [] };
  for (const { path, from, to } of entries) {
    const [isOld, isNew] = [old.get(keyOf(path)), next.get(keyOf(path))];
    if (begun.has(keyOf(path))) (to ? plan.begun : plan.remove).push(path);
    else if (to === undefined) {
      if (from?.mode === submodule) continue; // git leaves its directory alone too
      if (isOld === 'changed') plan.kept.push(path);
      else if (isOld === undefined) plan.remove.push(path);
    } else if (isNew === 'absent') plan.create.push(path);
    else if (isNew === 'changed' && from !== undefined && isOld === undefined) plan.rewrite.push(path);
  }
  return plan;
}

const absolute = (checkout: string, path: Buffer) => Buffer.concat([Buffer.from(`${checkout}/`), path]);

/** A file that git may have begun is compared up to this many bytes. */
const MOST_COMPARED = 256 * 1024 * 1024;

/** A write that a full disk, a quota or a kill cuts off ends with a whole sector, in bytes; an edit hardly ever does. */
const SECTOR = 512;

/**
 * The files that are of neither commit and hold but the beginning of what git writes for one of them, as a disk that ran full
 * leaves them: every byte of theirs is git's.
 */
async function begunAmong(
  checkout: string,
  entries: readonly Difference[],
  old: Findings,
  next: Findings,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { path, from, to } of entries) {
    const key = keyOf(path);
    const isNeither = (from ? old.get(key) === 'changed' : true) && (to ? next.get(key) === 'changed' : true);
    if (!isNeither) continue;
    const bytes = await beginningOf(absolute(checkout, path));
    if (bytes === undefined) continue;
    for (const side of [to, from]) {
      if (side === undefined || side.mode === submodule) continue;
      const whole = await asWritten(checkout, path, side.id);
      if (bytes.length < whole.length && whole.subarray(0, bytes.length).equals(bytes)) found.add(key);
    }
  }
  return found;
}

/** The bytes of a plain file; `undefined` for anything else. */
async function beginningOf(path: Buffer): Promise<Buffer | undefined> {
  const there = await lstat(path).catch(orWhenAbsent(undefined));
  const may = there?.isFile() && there.size <= MOST_COMPARED && there.size % SECTOR === 0;
  return may ? readFile(path) : undefined;
}

/** What git writes into a file of the checkout for a blob: filters and line ends are applied. */
async function asWritten(checkout: string, path: Buffer, id: string): Promise<Buffer> {
  const name = path.toString('utf8');
  // A name that is no UTF-8 cannot be an argument here: such a file is compared as git stores it.
  const how = Buffer.from(name).equals(path) ? ['--filters', `--path=${name}`, id] : ['blob', id];
  return (await git(checkout, ['cat-file', ...how])).stdout;
}

/** Refuses `unavailable` when git said that it could not write a file. */
async function requireWritten(checkout: string, said: string): Promise<void> {
  const cause = await whyUnwritten(checkout, said);
  if (cause === undefined) return;
  throw new Refusal(
    'unavailable',
    `${checkout} is half way between two commits, since git cannot write its files (${reasonIn(said)}): ${adviceOn(cause, checkout)}.`,
  );
}

/** Deletes a file and the directories it leaves empty, as git does. */
async function remove(checkout: string, name: Buffer): Promise<void> {
  const code = (error: unknown) => errnoOf(error);
  try {
    await unlink(absolute(checkout, name));
    for (let end = name.lastIndexOf(0x2f); end > 0; end = name.lastIndexOf(0x2f, end - 1)) {
      await rmdir(absolute(checkout, name.subarray(0, end)));
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
