import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CheckoutPlace, checkoutOf } from '../engine/callers/checkout-of.ts';
import { exists } from '../engine/files/files.ts';
import { gitDirOf } from '../engine/git/git-dir.ts';

/** The discern project a directory lies in. */
export interface HookProject extends CheckoutPlace {
  /** Where `discern.toml` stands, at `top` or below it. */
  root: string;
}

/** The project a directory lies in: the nearest `discern.toml` up to its checkout's top; `undefined` outside of any. */
export async function projectAt(cwd: string): Promise<HookProject | undefined> {
  const place = await checkoutOf(cwd);
  if (!place) return undefined;
  for (let root = await realpath(cwd); ; root = dirname(root)) {
    if (await exists(join(root, 'discern.toml'))) return { ...place, root };
    if (root === place.top || root === dirname(root)) return undefined;
  }
}

/** The branch a checkout is on, by its HEAD file; `undefined` where it is detached or unborn in a way we do not read. */
export async function branchOf({ top }: CheckoutPlace): Promise<string | undefined> {
  const gitDir = (await gitDirOf(top)) ?? join(top, '.git');
  const head = await readFile(join(gitDir, 'HEAD'), 'utf8').catch(() => '');
  return /^ref: refs\/heads\/(.+?)\r?\n?$/s.exec(head)?.[1];
}
