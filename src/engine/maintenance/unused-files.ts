import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { count } from '../../contract/count.ts';
import type { Context } from '../call/context.ts';
import { exists, namesIn, stateDir } from '../files/files.ts';
import { forgetOldRuns, oldRuns, runsDir } from '../jobs/run-dir.ts';
import type { Repository } from '../repository/repository.ts';
import { holding, tryLock } from '../state/lock.ts';
import { isHeld } from '../state/lock-holder.ts';
import { isPrivateIndex } from '../state/private-index.ts';
import { removeOwnFile } from '../state/remove.ts';
import { outdatedRests } from '../worktree/leave-rest.ts';
import { forgetStart } from '../worktree/mark.ts';
import { realWorktreesDir } from '../worktree/place.ts';
import type { Cleanup } from './leftover.ts';
import { removeRegistration } from './strays.ts';

/** A half-written file is ours and nobody's any more after this long, in milliseconds. */
const ABANDONED_MS = 60 * 60 * 1000;

const halfWritten = /\.tmp$|^register-[0-9a-f]{8}$|\.lock\.[0-9a-f]{16}(\.take)?$/;

/** What the directories of worktrees will be once everything else is cleaned up. */
export interface Afterwards {
  gone: ReadonlySet<string>;
  back: ReadonlySet<string>;
}

/** What is known of worktrees' directories when everything has been cleaned up that is going to be. */
export function afterwards(done: readonly { removes?: string; restores?: string }[]): Afterwards {
  return {
    gone: new Set(done.flatMap(({ removes }) => (removes === undefined ? [] : [removes]))),
    back: new Set(done.flatMap(({ restores }) => (restores === undefined ? [] : [restores]))),
  };
}

/**
 * What processes that died left in our own directory: locks, and files they were writing. None of it stands in anybody's
 * way, since a dead process's lock is free; so `status` does not speak of it.
 */
export async function unusedFiles(repo: Repository, after: Afterwards): Promise<Cleanup[]> {
  const state = stateDir(repo.commonDir);
  const locks = join(state, 'locks');
  const found: Cleanup[] = [];
  for (const name of await namesIn(locks)) {
    const path = join(locks, name);
    if (!/\.lock(\.from-.+)?$/.test(name) || (await isHeld(path))) continue;
    if (!(await isOfLivingStart(repo, name, after))) found.push(freeLock(path, idOf(name)));
  }
  for (const dir of [
    state,
    locks,
    join(state, 'proofs'),
    join(state, 'proofs', 'latest'),
    join(state, 'own-checkouts'),
    join(state, 'receipts'),
    join(state, 'receipts', 'artifacts'),
  ]) {
    for (const name of await namesIn(dir)) {
      if (!halfWritten.test(name) && !isPrivateIndex(name)) continue;
      const path = join(dir, name);
      const written = await lstat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      );
      if (Date.now() - written < ABANDONED_MS) continue;
      found.push({
        action: 'remove file',
        detail: `${path}, which was never finished`,
        perform: () => removeUnfinished(path),
      });
    }
  }
  for (const { path, remove } of await outdatedRests(repo.commonDir)) {
    found.push({
      action: 'remove directory',
      detail: `${path}, kept of a start that failed more than 30 days ago`,
      perform: async () => {
        await remove();
        return undefined;
      },
    });
  }
  const old = await oldRuns(repo.commonDir);
  if (old.length > 0) {
    found.push({
      action: 'remove output',
      detail: `of ${count(old.length, 'old run')}, in ${runsDir(repo.commonDir)}`,
      perform: async () => {
        await forgetOldRuns(repo.commonDir);
        return undefined;
      },
    });
  }
  return found;
}

async function removeUnfinished(path: string): Promise<string | undefined> {
  if ((await lstat(path).catch(() => undefined))?.isDirectory()) {
    await removeRegistration(path);
    return undefined;
  }
  const why = await removeOwnFile(path);
  return why === undefined ? undefined : `${path} stays: it ${why}.`;
}

const idOf = (name: string) => /^start-(.+)\.lock$/.exec(name)?.[1];

/** The mark of a start that was cut off says something of its worktree for as long as that is there. */
async function isOfLivingStart(repo: Repository, name: string, { gone, back }: Afterwards): Promise<boolean> {
  const id = idOf(name);
  if (id === undefined) return false;
  const path = join(await realWorktreesDir(repo), id);
  return back.has(path) || (!gone.has(path) && (await exists(path)));
}

/** A dead holder's lock goes by being taken and released, as anybody may take it at the same moment. */
function freeLock(path: string, start?: string): Cleanup {
  return {
    action: 'remove lock',
    detail: `${path}, whose process is gone`,
    perform: async ({ commonDir }: Repository, ctx: Context) => {
      const lock = await tryLock(path, { purpose: 'a prune', signal: ctx.signal, waitMs: 0 });
      // Where someone has taken it meanwhile, it is in use.
      if ('busy' in lock) return undefined;
      await holding(lock, async () => {
        if (start !== undefined) await forgetStart(commonDir, start);
      });
      return undefined;
    },
  };
}
