import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { Standard } from '../../contract/config.ts';
import { stateDir } from '../files/files.ts';
import type { Repository } from '../repository/repository.ts';
import { addLines, parseLine, readGrown } from '../state/grown-file.ts';
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
  const text = await readGrown(historyPath(repo), LARGEST);
  const found: Measurement[] = [];
  for (const line of text.split('\n')) {
    const parsed = Line.safeParse(parseLine(line));
    if (parsed.success && (await isSealed(repo.commonDir, KIND, parsed.data)))
      found.push(parsed.data.measured);
  }
  return found;
}

/** Keeps measurements, one line each. */
export async function keepMeasurements(repo: Repository, measured: readonly Measurement[]): Promise<void> {
  if (measured.length === 0) return;
  const lines = await Promise.all(measured.map((one) => sealedLine(repo.commonDir, KIND, { measured: one })));
  await addLines(historyPath(repo), lines, LARGEST);
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
