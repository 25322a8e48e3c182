import { lstat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { namesIn, stateDir } from '../files/files.ts';
import { acquireLock, holding } from '../state/lock.ts';
import { readRecordFile, writeRecordFile } from '../state/record.ts';
import { removeOwnFile } from '../state/remove.ts';
import { type Counts, countsKind, keyOf, type Receipt, receiptKind } from './receipt.ts';

/** How many receipts a repository keeps, and how many bytes of what jobs made. */
const MOST_RECEIPTS = 400;
const MOST_BYTES = 1024 * 1024 * 1024;
/** A copy whose receipt is not written yet is younger than this, in milliseconds; one from the future is not. */
const YOUNG_MS = 60 * 60 * 1000;

const dirOf = (commonDir: string) => join(stateDir(commonDir), 'receipts');
export const artifactsDir = (commonDir: string) => join(dirOf(commonDir), 'artifacts');
const pathOf = (commonDir: string, key: string) => join(dirOf(commonDir), `${key}.json`);
const countsPath = (commonDir: string) => join(dirOf(commonDir), 'counts.json');

/** The receipt of that name: written by this user in this repository, whole, and of the very parts it is named for. */
export async function readReceipt(commonDir: string, key: string): Promise<Receipt | undefined> {
  const found = await readRecordFile(commonDir, pathOf(commonDir, key), receiptKind);
  if (!found || !('value' in found)) return undefined;
  const { value } = found;
  const told = value.artifacts.map(({ path }) => path);
  const isWhole = value.outcome === 'failed' || told.join('\0') === value.parts.artifacts.join('\0');
  return value.key === key && keyOf(value.parts) === key && isWhole ? value : undefined;
}

/** Every receipt of one job of a project, the latest first. */
export async function receiptsOf(commonDir: string, project: string, job: string): Promise<Receipt[]> {
  const keys = (await namesIn(dirOf(commonDir))).flatMap(
    (name) => /^([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? [],
  );
  const all = await Promise.all(keys.map((key) => readReceipt(commonDir, key)));
  return all
    .filter((one) => one !== undefined)
    .filter(({ parts }) => parts.job === job && parts.project === project)
    .sort((a, b) => b.ended - a.ended);
}

export async function readCounts(commonDir: string): Promise<Counts> {
  const found = await readRecordFile(commonDir, countsPath(commonDir), countsKind);
  return found && 'value' in found ? found.value : { version: 1, jobs: {} };
}

/** What one run adds to what is known. */
export interface Additions {
  receipts: readonly Receipt[];
  /** What was known by those keys when the run began. */
  seen: ReadonlyMap<string, Receipt>;
  /** The keys of the receipts that stood in. */
  used: readonly string[];
  reused: readonly string[];
  disagreed: readonly string[];
}

/**
 * Writes down what a run found, under one lock for all worktrees. A failure stands against the pass of every run that did not
 * know of it when it began, whoever writes first. No clock is asked: clocks jump, and those of two containers differ.
 */
export async function addReceipts(
  commonDir: string,
  { receipts, seen, used, reused, disagreed }: Additions,
  signal: AbortSignal,
): Promise<void> {
  const lock = await acquireLock(join(stateDir(commonDir), 'locks', 'receipts.lock'), {
    purpose: 'keeping results',
    signal,
  });
  await holding(lock, async () => {
    for (const receipt of receipts) {
      const before = await readReceipt(commonDir, receipt.key);
      const isNews = before !== undefined && !isDeepStrictEqual(before, seen.get(receipt.key));
      if (isNews && before.outcome === 'failed' && receipt.outcome === 'passed') continue;
      // One that is damaged, of another version or somebody else's is worth nothing.
      if (!before) await removeOwnFile(pathOf(commonDir, receipt.key));
      await writeRecordFile(commonDir, pathOf(commonDir, receipt.key), receiptKind, receipt);
    }
    const now = new Date();
    // One that another run has pruned meanwhile is no loss.
    for (const key of used) await utimes(pathOf(commonDir, key), now, now).catch(() => undefined);
    if (reused.length + disagreed.length > 0) await count(commonDir, reused, disagreed);
    if (receipts.length > 0) await prune(commonDir);
  });
}

async function count(commonDir: string, reused: readonly string[], disagreed: readonly string[]) {
  const counts = await readCounts(commonDir);
  const jobs = new Map(Object.entries(counts.jobs));
  const of = (name: string) => jobs.get(name) ?? { reused: 0, disagreed: 0 };
  for (const name of reused) jobs.set(name, { ...of(name), reused: of(name).reused + 1 });
  for (const name of disagreed) jobs.set(name, { ...of(name), disagreed: of(name).disagreed + 1 });
  await writeRecordFile(commonDir, countsPath(commonDir), countsKind, {
    version: 1,
    jobs: Object.fromEntries([...jobs].slice(-MOST_RECEIPTS)),
  });
}

/** Removes the receipts that were of use longest ago, beyond what a repository keeps, and copies that belong to none. */
async function prune(commonDir: string): Promise<void> {
  const [receipts, copies] = await Promise.all([
    listed(dirOf(commonDir), /^([0-9a-f]{64})\.json$/),
    listed(artifactsDir(commonDir), /^([0-9a-f]{64})-/),
  ]);
  const bytes = new Map<string, number>();
  for (const { key, size } of copies) bytes.set(key, (bytes.get(key) ?? 0) + size);
  receipts.sort((a, b) => b.at - a.at);
  const kept = new Set<string>();
  let sum = 0;
  for (const { key, path } of receipts) {
    const more = bytes.get(key) ?? 0;
    // One that is too large by itself must not take the others with it.
    if (kept.size < MOST_RECEIPTS && sum + more <= MOST_BYTES) {
      kept.add(key);
      sum += more;
    } else await removeOwnFile(path);
  }
  for (const { key, path, at } of copies) {
    const isOrphan =
      !kept.has(key) && (receipts.some((one) => one.key === key) || Math.abs(Date.now() - at) > YOUNG_MS);
    if (isOrphan) await removeOwnFile(path);
  }
}

async function listed(dir: string, pattern: RegExp) {
  const found = (await namesIn(dir)).flatMap((name) => {
    const key = pattern.exec(name)?.[1];
    return key === undefined ? [] : [{ key, path: join(dir, name) }];
  });
  const all = await Promise.all(
    found.map(async (one) => {
      const stats = await lstat(one.path).catch(() => undefined);
      return stats ? [{ ...one, at: stats.mtimeMs, size: stats.size }] : [];
    }),
  );
  return all.flat();
}
