import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { isLooking } from '../call/looking.ts';
import { Refusal } from '../call/refusal.ts';
import { readBounded } from '../files/bounded-file.ts';
import { errnoOf } from '../files/errno.ts';
import { namesIn, placeAt } from '../files/files.ts';
import { procStat } from '../process/proc-stat.ts';
import { foreign } from './own-dir.ts';

/** Who holds a lock. `started` tells a process from a later one with the same pid; `host` is where its pid means it. */
const Holder = z.object({
  pid: z.number().int(),
  started: z.string(),
  host: z.string(),
  nonce: z.string().regex(/^[\w-]{1,64}$/),
  purpose: z.string(),
  note: z.string().optional(),
});
export type Holder = z.infer<typeof Holder>;

/** A lock from another host, whose processes we cannot see, counts as left behind after this long untouched. */
const FOREIGN_STALE_MS = 60_000;
/** A lock is written in an instant: one that still names nobody after this long is a leftover. */
const UNREADABLE_STALE_MS = 5_000;
/** The most bytes a lock has. */
const LARGEST = 64 * 1024;

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
export function unlessForeign(error: unknown): undefined {
  if (!Refusal.is(error) || error.slug !== 'untrusted') throw error;
}

/** What the time is, in milliseconds, by a clock that may have to be looked for. */
type Clock = () => Promise<number>;

/**
 * The clock of the file system that dates the locks, by a file that was just written: ours, or another holder's, may be minutes
 * off.
 */
export const clockOf =
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

/** The holder named in a lock file; one of pid 0 when it names none: cut off by a crash, or just being copied. */
export async function readHolder(path: string): Promise<Holder | undefined> {
  const read = await readBounded(path, LARGEST);
  // A link that leads nowhere is no lock either, though there is nothing to read.
  const found = placeAt(path);
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
export async function pidSpace(): Promise<string> {
  ownSpace ??= lookForSpace();
  return ownSpace;
}

/** It is the same for as long as a process lives. */
let ownSpace: string | undefined;

function lookForSpace(): string {
  try {
    const space = readlinkSync('/proc/self/ns/pid');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (space && boot) return `${boot} ${space}`;
  } catch {
    // No Linux, or a /proc that does not show it.
  }
  return hostname();
}

/** When a process was started; `undefined` where that cannot be told: /proc may show another namespace's processes. */
export function startedAs(pid: number): string | undefined {
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

export async function isAlive(holder: Holder, path: string, clock: Clock): Promise<boolean> {
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
  const found = placeAt(path);
  return found !== undefined && (await clock()) - found.mtimeMs < milliseconds;
}
