import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { namesIn, stateDir, writeFileAtomic } from '../files/files.ts';
import { madeOwnDir } from '../state/own-dir.ts';
import { gitDirOf, textOf } from './git-dir.ts';

/*
 * A git directory that was made apart (`git init --separate-git-dir`) does not say where its main checkout lies: only the
 * checkout's `.git` file knows the way. That file is also what proves a place, wherever the place was learned from.
 */

/** The most directories that are asked in one place. */
const MOST_ASKED = 500;

const remembered = (gitDir: string) => join(stateDir(gitDir), 'main-checkout');

/** Remembers where the main checkout of a repository lies, for a call that comes from another checkout. */
export async function rememberMain(gitDir: string, top: string): Promise<void> {
  const path = remembered(gitDir);
  if ((await textOf(path)) === top) return;
  await madeOwnDir(stateDir(gitDir));
  await writeFileAtomic(path, top);
}

/**
 * The main checkout of a git directory that lies apart: where it was last known, else beside the git directory or the
 * checkouts `linked` to it. `undefined` where none is found, or more than one.
 */
export async function findMain(gitDir: string, linked: readonly string[]): Promise<string | undefined> {
  const real = await realpath(gitDir).catch(() => gitDir);
  const isMain = async (path: string) => (await gitDirOf(path).catch(() => undefined)) === real;
  const known = await textOf(remembered(gitDir));
  if (known !== undefined && isAbsolute(known) && (await isMain(known))) return realpath(known);
  const places = new Set([
    dirname(gitDir),
    ...linked.flatMap((path) => [dirname(path), dirname(dirname(path))]),
  ]);
  const found = new Set<string>();
  for (const place of places) {
    const names = (await namesIn(place)).slice(0, MOST_ASKED);
    const main = await Promise.all(names.map((name) => isMain(join(place, name))));
    for (const [at, name] of names.entries()) if (main[at]) found.add(await realpath(join(place, name)));
  }
  const [one] = found;
  return found.size === 1 ? one : undefined;
}
