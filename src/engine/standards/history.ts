import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Standard } from '../../contract/config.ts';
import { readBounded } from '../files/bounded-file.ts';
import { orWhenAbsent, stateDir, writeFileAtomic } from '../files/files.ts';
import type { Repository } from '../repository/repository.ts';
import { foreign, foreignOnTheWay, madeOwnDir } from '../state/own-dir.ts';
import { isSealed, sealedLine } from '../state/seal.ts';

/** One measurement of a clean commit. */
const Measurement = z.object({
  name: z.string(),
  at: z.string(),
  commit: z.string(),
  value: z.number(),
  limit: z.number(),
  /** Of what was measured and how; a value is only ever compared with one of the same measure. */
  measure: z.string(),
});
export type Measurement = z.infer<typeof Measurement>;

/** Bytes the file may have before its older half is let go. */
const LARGEST = 512 * 1024;

/** How many values a result carries. */
const SHOWN = 20;

const digest = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** Names what a standard measures and how; its limit and margin are no part of that. */
export function measureOf(standard: Standard): string {
  const { metric, run, per, scale, direction, producer, extract, artifact } = standard;
  const source = [producer, extract, artifact];
  const read = source.some((one) => one !== undefined) ? source.map((one) => one ?? null) : [];
  return digest([metric, run, per ?? null, scale, direction, ...read]);
}

function historyPath({ commonDir, prefix }: Repository): string {
  return join(stateDir(commonDir), 'standards', `${digest(prefix)}.jsonl`);
}

/** A line of the file; its own members are the seal's. */
const Line = z.looseObject({ measured: Measurement });

/** What the seal of a line says it is. */
const KIND = 'measurement';

/**
 * Everything measured in this project, oldest first. A line that a kill cut short is skipped, and so is one that this user did
 * not write here: a value may stand for a measurement. Refuses `untrusted` where there is no file of ours to read.
 */
export async function readHistory(repo: Repository): Promise<Measurement[]> {
  const text = await readText(historyPath(repo));
  const found: Measurement[] = [];
  for (const line of text.split('\n')) {
    const parsed = Line.safeParse(parseLine(line));
    if (parsed.success && (await isSealed(repo.commonDir, KIND, parsed.data)))
      found.push(parsed.data.measured);
  }
  return found;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Half a line: the process that wrote it was killed.
    return undefined;
  }
}

/**
 * Keeps measurements. Each is one appended line that begins with a line end, so that worktrees may write at once and half
 * a line spoils no other.
 */
export async function keepMeasurements(repo: Repository, measured: readonly Measurement[]): Promise<void> {
  if (measured.length === 0) return;
  const path = historyPath(repo);
  await madeOwnDir(dirname(path));
  const lines = await Promise.all(measured.map((one) => sealedLine(repo.commonDir, KIND, { measured: one })));
  const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw ['ELOOP', 'ENXIO', 'EISDIR'].includes(error.code ?? '')
        ? foreign(path, 'is no regular file')
        : error;
    },
  );
  try {
    await file.appendFile(lines.map((line) => `\n${line}`).join(''));
  } finally {
    await file.close();
  }
  const text = await readText(path);
  if (text.length <= LARGEST) return;
  const half = text.slice(text.indexOf('\n', text.length - LARGEST / 2));
  await writeFileAtomic(path, half);
}

async function readText(path: string): Promise<string> {
  const link = await foreignOnTheWay(dirname(path));
  if (link !== undefined) throw foreign(link, 'is no directory');
  const found = await lstat(path).catch(orWhenAbsent(undefined));
  if (!found) return '';
  if (!found.isFile()) throw foreign(path, 'is no regular file');
  // Between two halvings many may write at once.
  const read = await readBounded(path, 8 * LARGEST);
  if (!read) return '';
  if ('problem' in read) throw foreign(path, read.problem);
  return read.text;
}

/** The last values of one standard, oldest first; measuring one commit again gives no second one. */
export function valuesOf(history: readonly Measurement[], standard: Standard): number[] {
  const measure = measureOf(standard);
  const byCommit = new Map<string, number>();
  for (const one of history) {
    if (one.name !== standard.name || one.measure !== measure) continue;
    byCommit.delete(one.commit);
    byCommit.set(one.commit, one.value);
  }
  return [...byCommit.values()].slice(-SHOWN);
}
