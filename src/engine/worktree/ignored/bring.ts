import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Brought } from '../../../contract/data.ts';
import type { Context } from '../../call/context.ts';
import { Refusal } from '../../call/refusal.ts';
import { point } from '../../faults/faults.ts';
import { errnoOf } from '../../files/errno.ts';
import { orWhenAbsent, putNew } from '../../files/files.ts';
import type { Repository } from '../../repository/repository.ts';
import { stampOf } from '../leave-rest.ts';
import { choose } from './choose.ts';
import { copyTree, newTally, type Tally } from './copy-tree.ts';
import type { Wanted } from './wanted.ts';

/** How many paths, and how many reasons, an answer tells. */
const MOST_PATHS = 10;
const MOST_TOLD = 3;

/** How many files are copied between two words of progress. */
const FILES_A_WORD = 2_000;

/** What came along into a new worktree. */
export interface Bringing {
  brought?: Brought;
  hints: string[];
}

/**
 * Brings what a checkout has and git ignores into a new worktree of it, as far as it is wanted. Each thing is copied aside and put in
 * its place whole, and nothing that is there is touched. One that cannot be copied stays out, and a hint says why: a worktree without
 * it can still be worked in.
 *
 * `stamps` gets what each file of it was when it came, by its absolute path, so that a start that fails takes it back and no file that
 * was changed since.
 *
 * Refuses `cancelled`. What was copied aside is gone afterwards, and after a kill goes with the worktree's own git directory.
 */
export async function bring(
  repo: Repository,
  fresh: Repository,
  wanted: readonly Wanted[],
  stamps: Map<string, string>,
  ctx: Context,
): Promise<Bringing> {
  if (wanted.length === 0) return { hints: [] };
  const { paths, secrets } = await choose(repo, fresh, wanted, ctx.signal);
  const tally = newTally();
  const put: string[] = [];
  const stage = new Stage(fresh);
  const onFile = () => {
    if (tally.files % FILES_A_WORD === 0) {
      ctx.emit({ type: 'progress', message: `Brought ${tally.files} ignored files along.` });
    }
  };
  try {
    for (const path of paths) {
      if (ctx.signal.aborted) throw cancelled();
      const name = path.replace(/\/$/, '');
      const before = { ...tally, left: [...tally.left] };
      try {
        if (!(await readyFor(fresh.top, name, tally))) continue;
        const copied = await stage.place(join(repo.top, name), join(fresh.top, name), {
          source: repo.top,
          tally,
          stamps,
          signal: ctx.signal,
          onFile,
        });
        if (!copied) continue;
        put.push(path);
      } catch (error) {
        if (ctx.signal.aborted) throw cancelled();
        const code = errnoOf(error);
        if (code === undefined) throw error;
        Object.assign(tally, before, { left: [...before.left, `${path} (${code})`] });
      }
    }
  } finally {
    await stage.clear();
  }
  await point('start.brought');
  const hints = hintsOf(repo.top, tally, secrets);
  if (put.length === 0) return { hints };
  const brought: Brought = {
    paths: put.slice(0, MOST_PATHS),
    ...(put.length > MOST_PATHS && { more: put.length - MOST_PATHS }),
    files: tally.files,
    bytes: tally.bytes,
    how: tally.shared ? 'reflink' : 'copy',
  };
  return { brought, hints };
}

const cancelled = () => new Refusal('cancelled', 'start was cancelled; the worktree was removed.');

function hintsOf(
  source: string,
  { pointing, pointingAt, left }: Tally,
  secrets: readonly string[],
): string[] {
  const some = (all: readonly string[]) =>
    all.slice(0, MOST_TOLD).join(', ') +
    (all.length > MOST_TOLD ? ` and ${all.length - MOST_TOLD} more` : '');
  const hints: string[] = [];
  if (pointing > 0) {
    const [verb, such] = pointing === 1 ? ['names', ''] : ['name', 'such as '];
    hints.push(
      `${pointing} of what came along still ${verb} ${source} (${such}${relative(source, pointingAt ?? source)}), and may act there: make it anew in [worktree.setup].steps.`,
    );
  }
  if (left.length > 0) {
    hints.push(`Did not come along: ${some(left.map((one) => one.replace(`${source}/`, '')))}.`);
  }
  if (secrets.length > 0) {
    hints.push(`Secrets did not come along: ${some(secrets)}. Only those [worktree].env_files names do.`);
  }
  return hints;
}

/** Makes the directories a path lies in. False where something is there already, or where a link leads elsewhere. */
async function readyFor(top: string, path: string, tally: Tally): Promise<boolean> {
  const parts = path.split('/');
  let at = top;
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    await mkdir(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(at)).isDirectory()) {
      tally.left.push(`${path} (${relative(top, at)} is not a directory in the new worktree)`);
      return false;
    }
  }
  return (await lstat(join(top, path)).catch(orWhenAbsent(undefined))) === undefined;
}

async function stamp(path: string, stamps: Map<string, string>): Promise<void> {
  const was = await stampOf(path);
  if (was !== undefined) stamps.set(path, was);
}

/** Where things are copied aside: in the worktree's git directory, which goes with the worktree whatever happens. */
class Stage {
  readonly #top: string;
  #dir: string;
  #made = false;

  constructor({ gitDir, top }: Repository) {
    this.#top = top;
    this.#dir = join(gitDir, 'discern-bringing');
  }

  /** Copies one thing and puts it in its place. False when there is something by then. */
  async place(from: string, to: string, options: Parameters<typeof copyTree>[2]): Promise<boolean> {
    const found = await lstat(from);
    if (found.isSymbolicLink()) {
      await symlink(await readlink(from), to);
      await stamp(to, options.stamps);
      options.tally.files++;
      return true;
    }
    const before = { ...options.tally, left: [...options.tally.left] };
    try {
      return await this.#through(from, to, options);
    } catch (error) {
      const beside = join(this.#top, `.discern-bringing-${randomBytes(4).toString('hex')}`);
      if (errnoOf(error) !== 'EXDEV' || dirname(this.#dir) === this.#top) throw error;
      // The worktree lies on another disk than the repository.
      await this.clear();
      this.#dir = beside;
      Object.assign(options.tally, before);
      return this.#through(from, to, options);
    }
  }

  async #through(from: string, to: string, options: Parameters<typeof copyTree>[2]): Promise<boolean> {
    if (!this.#made) await mkdir(this.#dir);
    this.#made = true;
    const aside = join(this.#dir, randomBytes(4).toString('hex'));
    try {
      const copies = new Map<string, string>();
      await copyTree(from, aside, { ...options, stamps: copies });
      const copied = await lstat(aside).catch(orWhenAbsent(undefined));
      if (!copied) return false;
      await point('start.bringing');
      if (copied.isDirectory()) {
        await rename(aside, to);
        for (const [path, was] of copies) options.stamps.set(to + path.slice(aside.length), was);
      } else {
        await putNew(aside, to);
        await rm(aside);
        await stamp(to, options.stamps);
      }
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST' || errnoOf(error) === 'ENOTEMPTY') return false;
      throw error;
    } finally {
      await rm(aside, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** Removes what is left of it. */
  async clear(): Promise<void> {
    if (!this.#made) return;
    this.#made = false;
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 3 });
  }
}
