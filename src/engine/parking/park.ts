import { mkdir, rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { errnoOf } from '../files/errno.ts';
import { exists, namesIn } from '../files/files.ts';
import { adviceOn, causeOfErrno } from '../git/cause.ts';
import { git } from '../git/core.ts';
import { gitDirOf, textOf } from '../git/git-dir.ts';
import { waitForIndex } from '../landing/follow.ts';
import { lookForFixed } from '../removal/look.ts';
import { inTheWay } from '../removal/stock.ts';
import { lockCheckout } from '../repository/checkout.ts';
import { holding } from '../state/lock.ts';
import { foreign, madeOwnDir } from '../state/own-dir.ts';
import { inodeOf } from '../state/remove.ts';
import { shellWord } from '../words/shell-word.ts';
import {
  closeParked,
  type Parked,
  type ParkedRecord,
  parkedDir,
  placeOf,
  readParked,
  unparkWith,
  writeParked,
} from '../worktree/parked.ts';

/** git in the repository's own directory, named as such: `safe.bareRepository` forbids git to find it by standing in it. */
const gitIn = (commonDir: string, args: readonly string[]) =>
  git(commonDir, args, { env: { GIT_DIR: commonDir } });

/** A linked checkout, by where it is, or was, and git's own directory for it. */
export interface Parking {
  top: string;
  gitDir: string;
  commonDir: string;
  /** What people call it. */
  id: string;
}

/** How the reason begins for which git keeps a parked worktree locked, so that no prune of git's forgets it. */
const LOCKED = 'parked by discern';

/**
 * Takes a worktree's directory away, to where nobody comes by it: by one rename, so that every byte stays as it is, and on the same
 * disk. git's own directory for it, with its index, HEAD, reflogs and whatever is under way, stays where it is, locked. Resolves
 * with how it is written down, also where it is parked already.
 *
 * Refuses, before anything is moved: `locked_worktree`, `busy` while a gate or a git works there or another checkout lies in it,
 * `unavailable` where something is mounted in it or nothing may be written.
 */
export async function park(
  worktree: Parking,
  ctx: Context,
  /** Refuses what is not to be parked, while nobody else can be parking it. */
  judge: () => Promise<void>,
): Promise<Parked> {
  const lock = await lockCheckout(worktree, worktree, 'parking', ctx, 0);
  return holding(lock, () => parkLocked(worktree, judge));
}

async function parkLocked(worktree: Parking, judge: () => Promise<void>): Promise<Parked> {
  const { top, gitDir, commonDir, id } = worktree;
  const admin = basename(gitDir);
  const before = await readParked(commonDir, admin);
  if (before?.state === 'parked') return before;
  await judge();
  if (before) await settleBack(commonDir, before);
  await requireParkable(worktree);
  const ino = await inodeOf(top);
  if (ino === undefined) throw new Refusal('path_not_found', `${top} is not a directory any more.`);
  const record: ParkedRecord = {
    version: 1,
    admin,
    id,
    path: top,
    ino,
    beside: false,
    since: new Date().toISOString(),
  };
  await madeOwnDir(parkedDir(commonDir));
  await requireFree(commonDir, record);
  await writeParked(commonDir, record);
  try {
    await point('park.recorded');
    const reason = `${LOCKED}: ${unparkWith(record)}`;
    await gitIn(commonDir, ['worktree', 'lock', '--reason', reason, '--', top]);
    await point('park.locked');
    const moved = await moveAway(commonDir, record);
    await point('park.moved');
    return { ...moved, place: placeOf(commonDir, moved), state: 'parked' };
  } catch (error) {
    await settleBack(commonDir, record);
    throw error;
  }
}

async function requireParkable({ top, gitDir }: Parking): Promise<void> {
  const locked = await textOf(join(gitDir, 'locked'));
  if (locked !== undefined) {
    const why = locked.trim() === '' ? '' : ` (${locked.trim()})`;
    throw new Refusal(
      'locked_worktree',
      `${top} is locked${why}: run "git worktree unlock ${shellWord(top)}" if that is over, then park it. Nothing was moved.`,
    );
  }
  await waitForIndex(gitDir);
  const obstacles = await lookForFixed(top);
  const [first] = obstacles;
  if (!first) return;
  throw new Refusal(
    first.slug,
    `${top} cannot be parked: ${inTheWay(obstacles)}. Then park it again. Nothing was moved.`,
    { data: { files: obstacles.map(({ path }) => path) } },
  );
}

/** Nothing is ever moved over what is there already. */
async function requireFree(commonDir: string, record: ParkedRecord): Promise<void> {
  const place = placeOf(commonDir, record);
  if (await exists(place)) throw foreign(place, 'is there already');
}

/** Into our own directory, or where that is on another disk, beside where it was. */
async function moveAway(commonDir: string, record: ParkedRecord): Promise<ParkedRecord> {
  try {
    await rename(record.path, placeOf(commonDir, record));
    return record;
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw notMoved(record.path, error);
  }
  const beside = { ...record, beside: true };
  await requireFree(commonDir, beside);
  await writeParked(commonDir, beside);
  await point('park.beside');
  await rename(record.path, placeOf(commonDir, beside)).catch((error) => {
    throw notMoved(record.path, error);
  });
  return beside;
}

function notMoved(path: string, error: unknown): Refusal {
  const code = errnoOf(error);
  const cause = causeOfErrno(code);
  const next = cause === 'other' ? 'close what uses it, then call again' : adviceOn(cause, dirname(path));
  return new Refusal(
    cause === 'other' ? 'busy' : 'unavailable',
    `${path} could not be moved (${code ?? error}): ${next}. Nothing was moved.`,
  );
}

/**
 * Brings a parked worktree's directory back to where it was, and lets git have it as any other. Refuses `path_exists` where
 * something is there now, and `path_not_found` where its directory is not where it was put.
 */
export async function unpark(worktree: Parking, ctx: Context): Promise<Parked> {
  const lock = await lockCheckout(worktree, worktree, 'unparking', ctx, 0);
  return holding(lock, () => unparkLocked(worktree));
}

async function unparkLocked({ gitDir, commonDir, top }: Parking): Promise<Parked> {
  const parked = await readParked(commonDir, basename(gitDir));
  if (!parked) throw new Refusal('invalid_argument', `${top} is not parked: it is where it was.`);
  const { path, place, state } = parked;
  if (state === 'lost') {
    throw new Refusal(
      'path_not_found',
      `The directory of ${path} is no more where it was put, ${place}: move it back there, then call again.`,
    );
  }
  if (state === 'parked') await moveBack(parked);
  await point('unpark.moved');
  await settleBack(commonDir, parked);
  // git wrote down where the repository was, which may have been moved meanwhile.
  if ((await exists(gitDir)) && (await gitDirOf(path)) !== gitDir)
    await gitIn(commonDir, ['worktree', 'repair', '--', path]);
  return { ...parked, state: 'there' };
}

async function moveBack({ path, place }: Parked): Promise<void> {
  if ((await inodeOf(path)) !== undefined && (await namesIn(path)).length === 0) await rmdir(path);
  if (await exists(path)) {
    throw new Refusal(
      'path_exists',
      `Something is at ${path} now: move it away, then unpark again. Nothing was moved.`,
    );
  }
  await mkdir(dirname(path), { recursive: true });
  await rename(place, path).catch((error) => {
    throw notMoved(place, error);
  });
}

/** Ends what is written down of a worktree whose directory is where it was: git's lock goes, as far as it is ours, then the record. */
export async function settleBack(commonDir: string, { admin, path }: ParkedRecord): Promise<void> {
  const locked = await textOf(join(commonDir, 'worktrees', admin, 'locked'));
  if (locked?.startsWith(LOCKED)) await gitIn(commonDir, ['worktree', 'unlock', '--', path]);
  await point('unpark.unlocked');
  await closeParked(commonDir, admin);
}
