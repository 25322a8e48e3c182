import { randomBytes } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, normalize } from 'node:path';
import * as z from 'zod';
import type { Context } from '../call/context.ts';
import { point } from '../faults/faults.ts';
import { exists, namesIn, stateDir } from '../files/files.ts';
import { addWorktree } from '../git/worktree.ts';
import { type Repository, rootIn } from '../repository/repository.ts';
import { acquireLock, holding } from '../state/lock.ts';
import { isHeld } from '../state/lock-holder.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { inodeOf, removeOwnFile } from '../state/remove.ts';
import type { CommandsResult } from '../worktree/commands.ts';
import { identify } from '../worktree/identify.ts';
import { bring } from '../worktree/ignored/bring.ts';
import { wantedOf } from '../worktree/ignored/wanted.ts';
import { homeCheckout, makeDirectories, realWorktreesDir, worktreesDir } from '../worktree/place.ts';
import { opened, setUp } from '../worktree/set-up.ts';
import { takeBack } from '../worktree/take-back.ts';

/** A checkout of our own that is being used, so that one whose process died can be removed. */
const Record = z.object({
  version: z.literal(1),
  id: z.string().regex(/^combined-[0-9a-f]{6}$/),
  path: z.string().refine((path) => isAbsolute(path) && normalize(path) === path),
  ino: z.string().exactOptional().describe('Its inode, once it is there.'),
  /** Directories that were made for it. */
  directories: z.array(z.string()),
});
type Record = z.infer<typeof Record>;

const kind: Kind<Record> = { name: 'own-checkout', schema: Record };

const recordsDir = (commonDir: string) => join(stateDir(commonDir), 'own-checkouts');
const recordPath = (commonDir: string, id: string) => join(recordsDir(commonDir), `${id}.json`);
const lockPath = (commonDir: string, id: string) => join(stateDir(commonDir), 'locks', `${id}.lock`);

/** A checkout of our own, ready for the gate; `setup.failed` where it could not be made so. */
export interface OwnCheckout {
  root: string;
  setup: CommandsResult;
}

/**
 * Makes a checkout of a commit as a start would, with its own name, port, ignored files, resources and setup, hands it to `act`, and
 * removes all of it whatever came of that. It is written down before there is anything of it, so that whoever comes after a kill
 * removes just that directory. `home` is the checkout that ignored files and values come from.
 */
export async function withOwnCheckout<Value>(
  home: Repository,
  commit: string,
  ctx: Context,
  act: (own: OwnCheckout) => Promise<Value>,
): Promise<Value> {
  const { commonDir } = home;
  const id = `combined-${randomBytes(3).toString('hex')}`;
  const lock = await acquireLock(lockPath(commonDir, id), {
    purpose: 'a gate of what is to land',
    signal: ctx.signal,
    waitMs: 0,
  });
  return holding(lock, async () => {
    const dir = worktreesDir(home);
    const isThere = await exists(dir);
    let record: Record = {
      version: 1,
      id,
      path: join(isThere ? await realpath(dir) : dir, id),
      directories: isThere ? [] : [dir],
    };
    await write(commonDir, record);
    await point('combine.recorded');
    try {
      await makeDirectories(dir);
      const path = join(await realWorktreesDir(home), id);
      await mkdir(path);
      record = { ...record, path, ino: (await inodeOf(path)) ?? '' };
      await write(commonDir, record);
      await point('combine.claimed');
      await addWorktree(home.top, path, commit, ctx.signal);
      await point('combine.added');
      return await act(await makeReady(home, { id, path, commit }, ctx));
    } finally {
      await point('combine.judged');
      await clear(home, record, ctx);
    }
  });
}

async function makeReady(
  home: Repository,
  { id, path, commit }: { id: string; path: string; commit: string },
  ctx: Context,
): Promise<OwnCheckout> {
  const root = rootIn(home, path);
  const target = { id, path, branch: '', base: commit, baseCommit: commit };
  const { gitDir, record } = await identify(home, target, ctx);
  const fresh = await opened(home, { path, branch: null, baseCommit: commit }, root, gitDir);
  const { wanted } = await wantedOf(home);
  const { hints } = await bring(home, fresh, wanted, new Map(), ctx);
  const { setup } = await setUp(home, fresh, record, { wrote: new Map(), verb: 'accept' }, ctx);
  return { root, setup: { ...setup, hints: [...hints, ...setup.hints] } };
}

const write = (commonDir: string, record: Record) =>
  writeRecordFile(commonDir, recordPath(commonDir, record.id), kind, record);

/** Removes what a record names, if it is still that. A setup step or a job is all that has written into it. */
async function clear(
  repo: Repository,
  { id, path, ino = '', directories }: Record,
  ctx: Context,
): Promise<void> {
  const home = homeCheckout(repo);
  const there = await exists(path);
  const resources = { id, root: rootIn(repo, there ? path : home) };
  const from = { top: home === path ? repo.commonDir : home, commonDir: repo.commonDir };
  const made = { directories, branch: false, checkout: ino, throwaway: true, resources };
  await takeBack(from, { path, branch: '', baseCommit: '' }, made, ctx, undefined);
  await point('combine.cleared');
  await removeOwnFile(recordPath(repo.commonDir, id));
}

/** The checkouts of ours whose process died, and record files that are not ours to act on. */
export async function leftOwnCheckouts(
  commonDir: string,
): Promise<{ left: Record[]; distrusted: { path: string; why: string }[] }> {
  const left: Record[] = [];
  const distrusted: { path: string; why: string }[] = [];
  for (const name of (await namesIn(recordsDir(commonDir))).filter((one) => one.endsWith('.json'))) {
    const path = join(recordsDir(commonDir), name);
    const found = await readRecordFile(commonDir, path, kind);
    if (!found) continue;
    if ('distrust' in found) distrusted.push({ path, why: found.distrust });
    else if (name !== `${found.value.id}.json` || basename(found.value.path) !== found.value.id)
      distrusted.push({ path, why: 'names another checkout' });
    else if (!(await isHeld(lockPath(commonDir, found.value.id)))) left.push(found.value);
  }
  return { left, distrusted };
}

/** Removes the checkouts of ours whose process died; resolves with what was done, in sentences. */
export async function recoverOwnCheckouts(repo: Repository, ctx: Context): Promise<string[]> {
  const done: string[] = [];
  for (const { id } of (await leftOwnCheckouts(repo.commonDir)).left) {
    const lock = await acquireLock(lockPath(repo.commonDir, id), {
      purpose: 'a removal',
      signal: ctx.signal,
    });
    await holding(lock, async () => {
      const found = await readRecordFile(repo.commonDir, recordPath(repo.commonDir, id), kind);
      if (!found || !('value' in found)) return;
      await clear(repo, found.value, ctx);
      done.push(
        `A checkout of discern's own that an interrupted accept had made is removed (${found.value.path}).`,
      );
    });
  }
  return done;
}
