import { isAbsolute, join, normalize } from 'node:path';
import * as z from 'zod';
import { landingWays } from '../../contract/settings.ts';
import type { QueueEntry } from '../../contract/verbs-queue.ts';
import { point } from '../faults/faults.ts';
import { namesIn, stateDir } from '../files/files.ts';
import { acquireLock, holding } from '../state/lock.ts';
import { isHeld } from '../state/lock-holder.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { removeOwnFile } from '../state/remove.ts';

/** Entries that are over and still told. */
const MOST_OVER = 50;

const absolute = z.string().refine((path) => isAbsolute(path) && normalize(path) === path);

/** One entry of the queue of landings, a file of its own: what damages one leaves the others. */
const Entry = z.object({
  version: z.literal(1),
  number: z.number().int().min(1),
  /** Its git top, and the project root in it. */
  worktree: absolute,
  root: absolute,
  branch: z.string().nullable(),
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  /** The trunk's commit when it was queued: a trunk that has that no more was rewound since. */
  onto: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .exactOptional(),
  how: z.enum(landingWays).exactOptional(),
  since: z.string(),
  for: z.string(),
  /** A person's word was asked for about this very commit, and given. */
  agreed: z.boolean(),
  state: z.enum(['waiting', 'held', 'landed', 'out']),
  /** What who drives the queue has seen of it, or does with it; nothing where nobody does. */
  judged: z.enum(['proving', 'green', 'red', 'landing']).exactOptional(),
  reason: z.string().exactOptional(),
  error: z.string().exactOptional(),
  landed: z.string().exactOptional().describe('The commit it landed as.'),
});
export type Entry = z.infer<typeof Entry>;

const kind: Kind<Entry> = { name: 'queue-entry', schema: Entry };

const queueDir = (commonDir: string) => join(stateDir(commonDir), 'queue');
const entryPath = (commonDir: string, number: number) => join(queueDir(commonDir), `q${number}.json`);
const lockPath = (commonDir: string) => join(stateDir(commonDir), 'locks', 'queue.lock');

/** Held by the one process that gates and lands the queue. */
export const driverLockPath = (commonDir: string) => join(stateDir(commonDir), 'locks', 'queue-run.lock');

export interface Queue {
  /** In the order in which they came. */
  entries: Entry[];
  /** Files in their place that are not ours to act on: they are told, and stay. */
  damaged: { path: string; why: string }[];
}

/** True of an entry that has a place. */
export const hasPlace = ({ state }: Entry): boolean => state === 'waiting' || state === 'held';

const numberOf = (name: string) => Number(/^q([1-9]\d{0,14})\.json$/.exec(name)?.[1] ?? 0);

/** Every entry, read back as if a stranger had written it. Changes nothing. */
export async function readQueue(commonDir: string): Promise<Queue> {
  const names = (await namesIn(queueDir(commonDir))).filter((name) => numberOf(name) > 0);
  const queue: Queue = { entries: [], damaged: [] };
  for (const name of names.sort((a, b) => numberOf(a) - numberOf(b))) {
    const path = join(queueDir(commonDir), name);
    const found = await readRecordFile(commonDir, path, kind);
    if (!found) continue;
    if ('distrust' in found) queue.damaged.push({ path, why: found.distrust });
    else if (found.value.number !== numberOf(name)) queue.damaged.push({ path, why: 'names another entry' });
    else queue.entries.push(found.value);
  }
  return queue;
}

/** The place of each entry that has one, by its number. */
export const placesOf = (entries: readonly Entry[]): Map<number, number> =>
  new Map(entries.filter(hasPlace).map(({ number }, index) => [number, index + 1]));

/** Acts while nobody else changes the queue. It takes a moment, and is never cut short by a cancelled call. */
async function exclusively<Value>(commonDir: string, act: (queue: Queue) => Promise<Value>): Promise<Value> {
  const lock = await acquireLock(lockPath(commonDir), {
    purpose: 'a change of the queue',
    signal: new AbortController().signal,
  });
  return holding(lock, async () => act(await readQueue(commonDir)));
}

const write = (commonDir: string, entry: Entry) =>
  writeRecordFile(commonDir, entryPath(commonDir, entry.number), kind, entry);

/** The entries of a worktree that is queued again, at another commit: they stand for what nobody wants landed any more. */
export const outdatedBy = (entries: readonly Entry[], worktree: string): Entry[] =>
  entries.filter((one) => hasPlace(one) && one.worktree === worktree);

/**
 * Adds an entry at the end, unless `existing` answers one that stands for it. The number is above that of every file there, so a
 * damaged one is never written over.
 */
export async function addEntry(
  commonDir: string,
  make: Omit<Entry, 'version' | 'number' | 'state' | 'since'>,
  existing: (entries: readonly Entry[]) => Entry | undefined,
): Promise<Entry> {
  return exclusively(commonDir, async ({ entries }) => {
    const there = existing(entries);
    if (there) return there;
    const numbers = (await namesIn(queueDir(commonDir))).map(numberOf);
    const number = Math.max(0, ...numbers) + 1;
    const since = new Date().toISOString();
    const entry: Entry = { version: 1, number, since, state: 'waiting', ...make };
    // First the new one: a kill in between leaves two, of which the older falls out, and never none.
    await write(commonDir, entry);
    for (const old of outdatedBy(entries, make.worktree)) {
      const reason = `queued again as q${number}, at ${make.commit.slice(0, 10)}`;
      await write(commonDir, { ...old, state: 'out', error: 'busy', reason });
    }
    await point('queue.added');
    const over = entries.filter((one) => !hasPlace(one));
    for (const old of over.slice(0, Math.max(0, over.length - MOST_OVER)))
      await removeOwnFile(entryPath(commonDir, old.number));
    return entry;
  });
}

/**
 * Changes an entry that has a place still; resolves with it as it is then, or `undefined` where it has none, or `unless` says no of it as
 * it is at that moment. That it landed is written down even of one that was taken out while it did.
 */
export async function changeEntry(
  commonDir: string,
  number: number,
  change: Partial<Pick<Entry, 'state' | 'judged' | 'reason' | 'error' | 'landed'>>,
  unless: (entry: Entry) => boolean = () => false,
): Promise<Entry | undefined> {
  return exclusively(commonDir, async ({ entries }) => {
    const found = entries.find((one) => one.number === number);
    if (!found || !(hasPlace(found) || change.state === 'landed') || unless(found)) return undefined;
    const { reason: _, error: __, judged: ___, ...kept } = found;
    const next = { ...kept, ...change };
    await write(commonDir, next);
    return next;
  });
}

/**
 * Says of an entry that it lands now, which nobody is to answer otherwise from then on; false where it does not wait any more, so that
 * it may not.
 */
export const beginLanding = async (commonDir: string, number: number): Promise<boolean> =>
  (await changeEntry(commonDir, number, { judged: 'landing' }, ({ state }) => state !== 'waiting')) !==
  undefined;

/** Says of what has a place for a worktree that it landed, where that was by an `accept` of its own. */
export async function landedByHand(commonDir: string, worktree: string, landed: string): Promise<void> {
  for (const { number } of outdatedBy((await readQueue(commonDir)).entries, worktree))
    await changeEntry(commonDir, number, { state: 'landed', landed });
}

/** Entries as they are told: those with a place in order, then those that are over, the last first. */
export async function toldEntries(commonDir: string, entries: readonly Entry[]): Promise<QueueEntry[]> {
  const places = placesOf(entries);
  const driven = places.size > 0 && (await isHeld(driverLockPath(commonDir)));
  const told = (entry: Entry): QueueEntry => {
    const { number, state, judged, worktree, branch, commit, since, reason, error, landed } = entry;
    const place = places.get(number);
    const seen = driven && state === 'waiting' && judged !== undefined && judged !== 'red';
    return {
      entry: `q${number}`,
      ...(place !== undefined && { place }),
      state: seen ? judged : state,
      worktree,
      branch,
      commit,
      since,
      for: entry.for,
      ...(reason !== undefined && { reason }),
      ...(error !== undefined && { error }),
      ...(landed !== undefined && { landed_commit: landed }),
    };
  };
  return [
    ...entries.filter(hasPlace).map(told),
    ...entries
      .filter((one) => !hasPlace(one))
      .reverse()
      .map(told),
  ];
}

/** The entry that goes by a name, a branch or a worktree: one that has a place before one that is over, then the newest. */
export function entryNamed(entries: readonly Entry[], name: string): Entry | undefined {
  const matching = entries.filter(
    ({ number, branch, worktree, root }) =>
      `q${number}` === name || branch === name || worktree === name || root === name,
  );
  return matching.findLast(hasPlace) ?? matching.at(-1);
}

/** The commit that a worktree's work landed as through the queue, if it was the last thing that came of it. */
export async function landedThroughQueue(commonDir: string, top: string): Promise<string | undefined> {
  const { entries } = await readQueue(commonDir);
  return entries.findLast(({ worktree }) => worktree === top)?.landed;
}
