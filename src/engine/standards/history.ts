import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Standard } from '../../contract/config.ts';
import { stateDir, writeFileAtomic } from '../files.ts';
import type { Repository } from '../repository.ts';

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

/** Everything measured in this project, oldest first. A line that a kill cut short is skipped. */
export async function readHistory(repo: Repository): Promise<Measurement[]> {
  const text = await readText(historyPath(repo));
  return text.split('\n').flatMap((line) => {
    const parsed = Measurement.safeParse(parseLine(line));
    return parsed.success ? [parsed.data] : [];
  });
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
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, measured.map((one) => `\n${JSON.stringify(one)}`).join(''));
  const text = await readText(path);
  if (text.length <= LARGEST) return;
  const half = text.slice(text.indexOf('\n', text.length - LARGEST / 2));
  await writeFileAtomic(path, half);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
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
