import { randomBytes } from 'node:crypto';
import { constants, readlinkSync } from 'node:fs';
import { lstat, open, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { isLooking } from '../call/looking.ts';
import { Refusal } from '../call/refusal.ts';
import { readBounded } from '../files/bounded-file.ts';
import { errnoOf } from '../files/errno.ts';
import { namesIn, orWhenAbsent, putNew } from '../files/files.ts';
import { procStat } from '../process/proc-stat.ts';
import { foreign, madeOwnDir } from './own-dir.ts';

/** Who holds a lock. `started` tells a process from a later one with the same pid; `host` is where its pid means it. */
const Holder = z.object({
  pid: z.number().int(),
  started: z.string(),
  host: z.string(),
  nonce: z.string().regex(/^[\w-]{1,64}$/),
  purpose: z.string(),
  note: z.string().optional(),
});
type Holder = z.infer<typeof Holder>;

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
/** A lock from another host, whose processes we cannot see, counts as left behind after this long untouched. */
const FOREIGN_STALE_MS = 60_000;
/** A lock is written in an instant: one that still names nobody after this long is a leftover. */
const UNREADABLE_STALE_MS = 5_000;
/** The most bytes a lock has. */
const LARGEST = 64 * 1024;
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
      if (holder?.nonce === me.nonce) await rm(path, { force: true });
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

export interface LockHolder {
  file: string;
  purpose: string;
  note?: string;
  pid: number;
  alive: boolean;
  /** Its pid means a process here. */
  here: boolean;
}

/** Who holds, or held, the locks in a directory; `alive` says which. Only looks. */
export async function lockHolders(dir: string): Promise<LockHolder[]> {
  // No directory, no locks.
  const names = (await namesIn(dir)).filter((name) => name.endsWith('.lock'));
  const holders = await Promise.all(
    names.map(async (file) => {
      const path = join(dir, file);
      const holder = await readHolder(path).catch(unlessForeign);
      if (!holder) return [];
      const alive = await isAlive(holder, path, clockBeside(path));
      const { purpose, note, pid, host } = holder;
      return [
        { file, purpose, pid, alive, here: host === (await pidSpace()), ...(note !== undefined && { note }) },
      ];
    }),
  );
  return holders.flat();
}

/** True while a living process holds the lock: a look only, nothing is taken. */
export async function isHeld(path: string): Promise<boolean> {
  const holder = await readHolder(path).catch(unlessForeign);
  return holder !== undefined && (await isAlive(holder, path, clockBeside(path)));
}

/** Who only looks finds no holder in what is no lock. */
function unlessForeign(error: unknown): undefined {
  if (!Refusal.is(error) || error.slug !== 'untrusted') throw error;
}

/** One attempt: `undefined` when the lock is ours now, else its living holder. */
async function tryAcquire(path: string, me: Holder): Promise<Holder | undefined> {
  // Looking writes nothing: a wait of minutes must not keep whoever watches the git directory busy.
  const before = await readHolder(path);
  if (before?.host === me.host && before.pid > 0 && (await isAlive(before, path, clockOf(path))))
    return before;
  const mine = `${path}.${me.nonce}`;
  await writeWhole(mine, me);
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
    await rm(mine, { force: true });
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
    await rename(copy, path);
    return undefined;
  } finally {
    await rm(guard, { force: true });
  }
}

/** What the time is, in milliseconds, by a clock that may have to be looked for. */
type Clock = () => Promise<number>;

/**
 * The clock of the file system that dates the locks, by a file that was just written: ours, or another holder's, may be minutes
 * off.
 */
const clockOf =
  (file: string): Clock =>
  async () =>
    (await lstat(file)).mtimeMs;

/** The same for who only looks: by a file of its own, else, where nothing may be written, our clock. */
const clockBeside =
  (path: string): Clock =>
  async () => {
    if (isLooking()) return Date.now();
    const probe = `${path}.${randomBytes(8).toString('hex')}`;
    try {
      await writeFile(probe, '', { flag: 'wx' });
      return (await lstat(probe)).mtimeMs;
    } catch {
      return Date.now();
    } finally {
      await rm(probe, { force: true });
    }
  };

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

async function writeWhole(path: string, holder: Holder): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(JSON.stringify(holder));
  } finally {
    await file.close();
  }
}

/** The holder named in a lock file; one of pid 0 when it names none: cut off by a crash, or just being copied. */
async function readHolder(path: string): Promise<Holder | undefined> {
  const read = await readBounded(path, LARGEST);
  // A link that leads nowhere is no lock either, though there is nothing to read.
  const found = await lstat(path).catch(orWhenAbsent(undefined));
  if (found && !found.isFile()) throw foreign(path, 'is not a regular file');
  if (!read) return undefined;
  if ('problem' in read) {
    if (!found) return undefined;
    throw foreign(path, read.problem);
  }
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch {
    value = undefined;
  }
  const holder = Holder.safeParse(value);
  if (holder.success) return holder.data;
  return { pid: 0, started: '', host: '', nonce: 'unreadable', purpose: 'an unreadable lock' };
}

/**
 * Where a pid means a process: the pid namespace (namespaces(7)) of one running kernel, by the id of its boot, since a container
 * that shares the repository, or another machine with the same name, has other processes under the same pids. Elsewhere than on
 * Linux the host's name.
 */
async function pidSpace(): Promise<string> {
  const [space, boot] = await Promise.all([
    readlink('/proc/self/ns/pid').catch(() => ''),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
  ]);
  return space && boot ? `${boot.trim()} ${space}` : hostname();
}

/** When a process was started; `undefined` where that cannot be told: /proc may show another namespace's processes. */
function startedAs(pid: number): string | undefined {
  if (process.platform !== 'linux' || !procIsOurs()) return undefined;
  return procStat(pid)?.started;
}

/** Whether /proc was mounted in our pid namespace, and so shows processes by the pids we see (proc(5)). */
function procIsOurs(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid);
  } catch {
    return false;
  }
}

async function isAlive(holder: Holder, path: string, clock: Clock): Promise<boolean> {
  if (holder.pid <= 0) return touchedWithin(path, UNREADABLE_STALE_MS, clock);
  if (holder.host !== (await pidSpace())) return touchedWithin(path, FOREIGN_STALE_MS, clock);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
  if (process.platform !== 'linux' || !procIsOurs() || holder.started === '') return true;
  return startedAs(holder.pid) === holder.started;
}

async function touchedWithin(path: string, milliseconds: number, clock: Clock): Promise<boolean> {
  const found = await lstat(path).catch(orWhenAbsent(undefined));
  return found !== undefined && (await clock()) - found.mtimeMs < milliseconds;
}
