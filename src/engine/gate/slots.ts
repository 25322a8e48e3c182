import { randomBytes } from 'node:crypto';
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../call/refusal.ts';
import { namesIn } from '../files/files.ts';
import { procStat } from '../process/proc-stat.ts';
import { acquireLock, holding, type Lock } from '../state/lock.ts';
import { type LockHolder, lockHolders } from '../state/lock-holder.ts';
import { ownStateDir } from '../state/seal.ts';

/*
 * Test runs of one machine's user go through one queue of tickets, whatever process, window or worktree they are of. A ticket is
 * a lock file of its own, whose name has its number: the death of its holder frees it at once. A run may begin while fewer
 * living tickets stand before its own than its project allows at once. docs/decisions/slots.md says more.
 */

/** What a ticket says of its run. */
export interface Ticket {
  /** In words that follow "for": "the tests of done in /a/b". */
  purpose: string;
  /** How long such runs take, in milliseconds, where it is known. */
  expectedMs?: number | undefined;
}

export interface SlotOptions extends Ticket {
  /** How many runs there may be at once; 0 is no limit. */
  limit: number;
  signal: AbortSignal;
  onWait: (message: string) => void;
}

/** A place among the test runs; `env` tells gates that its jobs start that they run under it. */
export interface Slot {
  env: Record<string, string>;
  release(): Promise<void>;
}

/** Names the ticket a job runs under. */
const UNDER = 'DISCERN_TEST_SLOT';
/** The longest a run waits between two looks at the queue, in milliseconds, and how much longer for each run before it. */
const LONGEST_POLL_MS = 500;
const POLL_MS = 50;
/** How long somebody else may take to draw a ticket. */
const DRAW_WAIT_MS = 10_000;

/** The slot of a run that need not wait. */
export const unqueued: Slot = { env: {}, release: async () => undefined };
const ticketName = /^(\d{15})-[0-9a-f]{8}\.lock$/;

/** `DISCERN_SLOTS_DIR`, for containers that share a machine or must not, else the user's own directory. */
async function slotsDir(): Promise<string> {
  const named = process.env.DISCERN_SLOTS_DIR;
  if (named === undefined || !isAbsolute(named)) return join(await ownStateDir(), 'slots');
  await mkdir(named, { recursive: true });
  return join(named, 'discern-vscode', 'slots');
}

/**
 * Waits for a slot, in the order of asking, and says for whom it waits. A run inside another run's test job has that one's slot:
 * it would else wait for itself. Refuses `cancelled`, and gives its place up then.
 */
export async function takeSlot(options: SlotOptions): Promise<Slot> {
  const { limit, signal, onWait } = options;
  if (limit === 0) return unqueued;
  const dir = await slotsDir();
  const queue = join(dir, 'queue');
  const before = await lockHolders(queue);
  if (before.some((one) => one.alive && isUnder(one))) return unqueued;
  const { file, lock } = await draw(dir, queue, options);
  const since = join(queue, sinceOf(file));
  const release = async () => {
    await rm(since, { force: true });
    await lock.release();
  };
  try {
    let said = '';
    for (;;) {
      const ahead = (await lockHolders(queue)).filter((one) => one.alive && isTicket(one) && one.file < file);
      if (ahead.length < limit) break;
      if (signal.aborted)
        throw new Refusal('cancelled', 'The call was cancelled while it waited for a test slot.');
      ahead.sort((a, b) => (a.file < b.file ? -1 : 1));
      const who = ahead.map((one) => one.file).join();
      if (who !== said) onWait(await waitingWords(queue, ahead, limit));
      said = who;
      await pause(Math.min(LONGEST_POLL_MS, POLL_MS * (ahead.length - limit + 1)), signal);
    }
    await writeFile(since, '');
    return { env: { [UNDER]: file }, release };
  } catch (error) {
    await release();
    throw error;
  }
}

const isTicket = ({ file }: LockHolder) => ticketName.test(file);
const sinceOf = (file: string) => file.replace(/lock$/, 'since');

/** Puts a new ticket behind all others, and takes away those whose holders died. */
async function draw(dir: string, queue: string, ticket: SlotOptions): Promise<{ file: string; lock: Lock }> {
  const { purpose, expectedMs, signal } = ticket;
  const drawing = { purpose: 'drawing a ticket for a test run', signal, waitMs: DRAW_WAIT_MS };
  return holding(await acquireLock(join(dir, 'order.lock'), drawing), async () => {
    const holders = await lockHolders(queue);
    const living = new Set(holders.filter(({ alive }) => alive).map(({ file }) => file));
    let last = 0;
    for (const name of await namesIn(queue)) {
      const number = Number(ticketName.exec(name.replace(/since$/, 'lock'))?.[1]);
      if (!(number > 0)) continue;
      last = Math.max(last, number);
      // A name is never used again, so what is removed here is nobody's.
      if (!living.has(name.replace(/since$/, 'lock'))) await rm(join(queue, name), { force: true });
    }
    const file = `${String(last + 1).padStart(15, '0')}-${randomBytes(4).toString('hex')}.lock`;
    const note = expectedMs === undefined ? {} : { note: String(Math.round(expectedMs)) };
    return { file, lock: await acquireLock(join(queue, file), { purpose, signal, ...note }) };
  });
}

/** Whether this process runs in a job of the ticket's holder. */
function isUnder({ file, pid, here }: LockHolder): boolean {
  if (process.env[UNDER] === file) return true;
  if (!here || !ticketName.test(file)) return false;
  // A job may have been started with an environment of its own.
  for (let at = procStat(process.pid)?.parent; at !== undefined && at > 1; at = procStat(at)?.parent)
    if (at === pid) return true;
  return false;
}

async function waitingWords(queue: string, ahead: readonly LockHolder[], limit: number): Promise<string> {
  const [first] = ahead;
  if (!first) return 'Waiting for a test slot.';
  const more = ahead.length - 1;
  const others = more === 0 ? '' : ` and ${more} more`;
  const long = await expected(queue, ahead, limit);
  const about =
    long === undefined ? '; how long such runs take is not known yet' : `; about ${inWords(long)}`;
  return `Waiting for a test slot, behind ${first.purpose} (process ${first.pid})${others}${about}.`;
}

/** How long it is until all these have ended but one less than `limit`, in milliseconds, as far as each is known. */
async function expected(
  queue: string,
  ahead: readonly LockHolder[],
  limit: number,
): Promise<number | undefined> {
  let sum = 0;
  for (const { file, note } of ahead) {
    const whole = note === undefined ? Number.NaN : Number(note);
    if (!(whole >= 0)) return undefined;
    const began = await lstat(join(queue, sinceOf(file))).catch(() => undefined);
    // A clock that jumped back would have it take longer than it does.
    const gone = began ? Math.max(0, Date.now() - began.mtimeMs) : 0;
    sum += Math.max(0, whole - gone);
  }
  return sum / limit;
}

function inWords(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

const pause = (milliseconds: number, signal: AbortSignal) =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);
