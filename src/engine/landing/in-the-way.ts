import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { errnoOf } from '../files/errno.ts';
import { FileSet, keyOf, submodule } from '../git/compare.ts';
import { pathText } from '../git/core.ts';
import type { Difference } from '../git/diff.ts';
import type { Obstacles } from '../git/read-tree.ts';

/** The most paths that are named of what lies below one directory: with so many there is no landing anyway. */
const MOST_NAMED = 200;

/** The most paths that a message names; `files` has them all. */
const MOST_TOLD = 20;

/** What a landing would overwrite in a checkout and what to do about it, in sentences. A path that ends in `/.git` is a repository. */
function overwritten(checkout: string, paths: readonly string[]): string {
  const repositories = paths.filter((path) => /(^|\/)\.git$/.test(path));
  const below = (path: string) => repositories.some((one) => path.startsWith(one.slice(0, -'.git'.length)));
  const files = paths.filter((path) => !below(path));
  const some = (all: readonly string[]) =>
    all.slice(0, MOST_TOLD).join(', ') +
    (all.length > MOST_TOLD ? `, and ${all.length - MOST_TOLD} more` : '');
  const places = repositories.map((path) => path.slice(0, -'/.git'.length));
  return [
    ...(places.length === 0
      ? []
      : [
          `Landing would put files where a repository lies in ${checkout}: ${some(places)}. Move it away (of a submodule, "git submodule deinit <path>" there does), then accept again.`,
        ]),
    ...(files.length === 0
      ? []
      : [
          `Landing would overwrite files in ${checkout} that git does not have: ${some(files)}. Move them away or commit them there, then accept again.`,
        ]),
  ].join(' ');
}

/** {@link overwritten}, and what a person has changed of the tracked files that would land. */
export function blocked(checkout: string, { changed, untracked }: Obstacles): string {
  const more = changed.length - MOST_TOLD;
  const named = changed.slice(0, MOST_TOLD).join(', ') + (more > 0 ? `, and ${more} more` : '');
  return [
    ...(changed.length === 0
      ? []
      : [
          `${checkout} has uncommitted changes to files that this landing changes (${named}): commit or stash them, then accept again.`,
        ]),
    ...(untracked.length === 0 ? [] : [overwritten(checkout, untracked)]),
  ].join(' ');
}

const SLASH = 0x2f;

/**
 * What stands in a checkout where a landing puts something, and that git does not track there: files it ignores among them,
 * which git itself would overwrite without a word. Path by path: something at the very place, a file where a directory is to
 * be, whatever lies below a directory that becomes a file, a left submodule's included, and a repository whose directory gets
 * files of ours. A file with the very content that lands is not in the way.
 */
export async function standInTheWay(checkout: string, entries: readonly Difference[]): Promise<string[]> {
  const tracked = new Set(entries.flatMap(({ path, from }) => (from ? [keyOf(path)] : [])));
  const found = new Map<string, Buffer>();
  const same: Difference[] = [];
  const repositories = new RepositoriesAbove(checkout);
  for (const entry of entries) {
    const { path, from, to } = entry;
    if (!to) continue;
    const inside = from ? undefined : await repositories.find(path);
    if (inside) {
      found.set(keyOf(inside), inside);
      continue;
    }
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

/** Which of a checkout's directories hold a repository of their own, each asked once. */
class RepositoriesAbove {
  readonly #checkout: string;
  readonly #asked = new Map<string, Promise<boolean>>();

  constructor(checkout: string) {
    this.#checkout = checkout;
  }

  /** The `.git` of the outermost repository that a path would lie in. */
  async find(path: Buffer): Promise<Buffer | undefined> {
    for (let end = path.indexOf(SLASH); end !== -1; end = path.indexOf(SLASH, end + 1)) {
      const own = Buffer.concat([path.subarray(0, end), Buffer.from('/.git')]);
      const asked =
        this.#asked.get(keyOf(own)) ?? look(this.#checkout, own).then((there) => there !== undefined);
      this.#asked.set(keyOf(own), asked);
      if (await asked) return own;
    }
    return undefined;
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
