import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { checkoutOf } from '../../engine/callers/checkout-of.ts';
import { gitDirOf } from '../../engine/git/git-dir.ts';
import { findRoot } from '../../engine/repository/root.ts';
import { HeldRoot } from '../held-root.ts';
import { findSpawnRoot, type SpawnRootOptions } from '../spawn-root.ts';

export interface Launch extends Pick<SpawnRootOptions, 'env' | 'cwd'> {
  /** What `--root` named, as often as it was given. */
  flags: readonly string[];
}

/**
 * The projects a server without a held root was started for: what `--root` named, each of them, else the first that is found
 * in the contract's order (§3). Only they and their worktrees are served; no call acts on one it does not name.
 */
export class LaunchRoots {
  readonly #launch: Launch;
  /** By the flag that named it; by nothing what was found otherwise. */
  readonly #known = new Map<string | undefined, HeldRoot>();

  constructor(launch: Launch) {
    this.#launch = launch;
  }

  /**
   * The roots as they stand. One that was removed, as a worktree is when it lands, is found again through its repository; one
   * that was no project is looked for again. `lost` says in sentences what was named and is none.
   */
  async now(): Promise<{ roots: string[]; lost: string[] }> {
    const { flags, env, cwd } = this.#launch;
    const lost: string[] = [];
    for (const flag of flags) lost.push(...(await this.#find(flag, { flag, env: {}, cwd, namedOnly: true })));
    if (this.#known.size === 0) lost.push(...(await this.#find(undefined, { env, cwd })));
    const roots: string[] = [];
    for (const one of this.#known.values()) {
      const root = (await one.missing()) ? await one.home() : (one.root ?? undefined);
      if (root === undefined) lost.push(`${one.root} is gone, and so is its repository.`);
      else roots.push(root);
    }
    return { roots: [...new Set(roots)], lost };
  }

  /**
   * True for a directory of one of these projects or of their worktrees, by the repository it lies in and the project's place
   * in it. A directory that merely calls itself a worktree of one of them is none: the repository has to know it.
   */
  async serves(directory: string): Promise<boolean> {
    await this.now();
    const place = await checkoutOf(directory);
    if (!place) return false;
    const real = await realpath(directory);
    const below = relative(place.top, real).split(sep).join('/');
    for (const one of this.#known.values()) {
      const known = await one.repository();
      if (!known || known.commonDir !== place.commonDir) continue;
      const inside = known.prefix === '' || below === known.prefix || below.startsWith(`${known.prefix}/`);
      if (inside && (!place.linked || (await isKnownCheckout(place.top)))) return true;
    }
    return false;
  }

  /** Looks for one that is not known yet; resolves with what was tried in vain. */
  async #find(flag: string | undefined, options: Omit<SpawnRootOptions, 'findRoot'>): Promise<string[]> {
    if (this.#known.has(flag)) return [];
    const spawn = await findSpawnRoot({ ...options, findRoot });
    if (spawn.root !== null) {
      const one = new HeldRoot();
      one.begin(spawn);
      this.#known.set(flag, one);
      return [];
    }
    return spawn.candidates.flatMap(({ mechanism, value, outcome }) =>
      value === undefined ? [] : [`${mechanism} ${value}: ${outcome}`],
    );
  }
}

/** True when the git directory a linked checkout names points back at it (gitrepository-layout(5), `gitdir`). */
async function isKnownCheckout(top: string): Promise<boolean> {
  const gitDir = await gitDirOf(top);
  if (gitDir === undefined) return false;
  const back = await readFile(join(gitDir, 'gitdir'), 'utf8').catch(() => undefined);
  if (back === undefined) return false;
  const named = dirname(resolve(gitDir, back.trim()));
  return (await realpath(named).catch(() => named)) === top;
}
