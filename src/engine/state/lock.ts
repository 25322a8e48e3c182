import { randomBytes } from 'node:crypto';
import { constants, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';
import { putNew } from '../files/files.ts';
import {
  clockOf,
  type Holder,
  isAlive,
  pidSpace,
  readHolder,
  startedAs,
  unlessForeign,
} from './lock-holder.ts';
import { foreign, madeOwnDir } from './own-dir.ts';

export interface LockOptions {
  /** In words, for whoever waits: "the gate in /a/b". */
  purpose: string;
  /** More to be known of the holder, for who reads {@link lockHolders}. */
  note?: string;
  signal: AbortSignal;
  /** Milliseconds to wait for another holder before refusing `busy`; absent waits until it is free. */
  waitMs?: number;
  /** Called once, when the lock turns out to be held. */
  onWait?: (message: string) => void;
}

/** That somebody else holds a lock, in a sentence. */
export interface Busy {
  readonly busy: string;
}

export interface Lock {
  /** True when another process held it first, so what was read before may be out of date. */
  waited: boolean;
  release(): Promise<void>;
}

const POLL_MS = 40;
const FOREIGN_POLL_MS = 500;
const HEARTBEAT_MS = 10_000;
/** How often a lock may turn out to be free again while it is being taken. */
const MOST_TRIES = 1_000;

/**
 * Takes a lock that exactly one process can hold, and that the death of its holder frees at once.
 *
 * The lock is a file naming its holder, put in place whole by link(2). It is stale when that process is gone. Taking a
 * stale lock over is itself done under a lock named for the dead holder, so of two processes that find it stale only
 * one replaces it, and neither can remove the other's fresh one. `docs/decisions/locks.md` says why no library.
 *
 * Resolves with who holds it after `waitMs`; refuses `cancelled`.
 */
export async function tryLock(path: string, options: LockOptions): Promise<Lock | Busy> {
  await madeOwnDir(dirname(path));
  const me: Holder = {
    pid: process.pid,
    started: startedAs(process.pid) ?? '',
    host: await pidSpace(),
    nonce: randomBytes(8).toString('hex'),
    purpose: options.purpose,
    ...(options.note !== undefined && { note: options.note }),
  };
  const from = Date.now();
  let waited = false;
  for (;;) {
    const holder = await tryAcquire(path, me);
    if (!holder) break;
    if (options.signal.aborted) throw new Refusal('cancelled', 'The call was cancelled while it waited.');
    const message = `Waiting for ${holder.purpose} (process ${holder.pid}).`;
    if (options.waitMs !== undefined && Date.now() - from >= options.waitMs) {
      return {
        busy: `${holder.purpose} is running in process ${holder.pid}: wait for it to end, then call again.`,
      };
    }
    if (!waited) options.onWait?.(message);
    waited = true;
    // Only the holder's signs of life are waited for, which come each ten seconds.
    await sleep(holder.host === me.host ? POLL_MS : FOREIGN_POLL_MS);
  }
  const beat = setInterval(() => {
    // The lock may be gone with the repository itself; the release then finds out.
    touch(path, me.nonce).catch(() => undefined);
  }, HEARTBEAT_MS);
  beat.unref();
  return {
    waited,
    async release() {
      clearInterval(beat);
      const holder = await readHolder(path).catch(unlessForeign);
      if (holder?.nonce === me.nonce) rmSync(path, { force: true });
    },
  };
}

/** {@link tryLock}, which refuses `busy` where somebody else holds the lock. */
export async function acquireLock(path: string, options: LockOptions): Promise<Lock> {
  return orRefuse(await tryLock(path, options));
}

/** The lock; refuses `busy` where somebody else holds it. */
export function orRefuse(lock: Lock | Busy): Lock {
  if ('busy' in lock) throw new Refusal('busy', lock.busy);
  return lock;
}

/** Acts while a lock is held, and releases it however that ends. */
export async function holding<Value>(lock: Lock, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } finally {
    await lock.release();
  }
}

/** One attempt: `undefined` when the lock is ours now, else its living holder. */
async function tryAcquire(path: string, me: Holder): Promise<Holder | undefined> {
  // Looking writes nothing: a wait of minutes must not keep whoever watches the git directory busy.
  const before = await readHolder(path);
  if (before?.host === me.host && before.pid > 0 && (await isAlive(before, path, clockOf(path))))
    return before;
  const mine = `${path}.${me.nonce}`;
  writeFileSync(mine, JSON.stringify(me), { flag: 'wx' });
  try {
    for (let tries = 0; ; tries++) {
      // Each time round somebody else has just let go of it; a name that is neither free nor a lock would go on for ever.
      if (tries >= MOST_TRIES) throw foreign(path, 'is neither free nor a lock');
      try {
        await putNew(mine, path);
        return undefined;
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
      const holder = await readHolder(path);
      if (!holder) continue;
      if (await isAlive(holder, path, clockOf(mine))) return holder;
      const rival = await takeOver(path, mine, holder, me);
      if (rival !== 'lost') return rival;
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Replaces a dead holder's lock, under a lock of its own, after looking again. */
async function takeOver(
  path: string,
  mine: string,
  dead: Holder,
  me: Holder,
): Promise<Holder | undefined | 'lost'> {
  const guard = `${path}.from-${dead.nonce}`;
  const rival = await tryAcquire(guard, { ...me, nonce: randomBytes(8).toString('hex') });
  if (rival) return rival;
  try {
    const now = await readHolder(path);
    if (now?.nonce !== dead.nonce || (await isAlive(now, path, clockOf(mine)))) return 'lost';
    const copy = `${mine}.take`;
    await putNew(mine, copy);
    renameSync(copy, path);
    return undefined;
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Dates our lock anew by the file system's clock, by writing the byte it begins with. */
async function touch(path: string, nonce: string): Promise<void> {
  if ((await readHolder(path))?.nonce !== nonce) return;
  const file = await open(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    await file.write('{', 0);
  } finally {
    await file.close();
  }
}
