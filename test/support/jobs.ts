import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Shell text for jobs of a test project. Jobs run in the project's root, so `..` is a place outside the checkout where
 * they may leave traces without dirtying it.
 */

/** Adds a line to the log. */
export const log = (line: string) => `echo ${line} >> ../log`;

/** The lines of the log, in the order they were written. */
export async function logged({ home }: { home: string }): Promise<string[]> {
  const text = await readFile(join(home, 'log'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Waits for a file, and fails when it never comes (a minute is far beyond what anything here takes). */
export const awaits = (file: string) =>
  `n=0; until test -e ../${file}; do n=$((n+1)); test $n -lt 1200 || exit 9; sleep 0.05; done`;

/** Shows itself and waits for the other: two jobs that meet can only pass when they run at the same time. */
export const meets = (mine: string, other: string) => `touch ../${mine}; ${awaits(other)}`;

/** A `discern.toml` of these `[jobs]`, each written as TOML value text. */
export function config(jobs: Record<string, string>, rest = ''): string {
  const lines = Object.entries(jobs).map(([name, value]) => `${name} = ${value}`);
  return `[project]\nname = "sample"\n[jobs]\n${lines.join('\n')}\n${rest}\n`;
}

/** A custom job as TOML inline table text. */
export const job = (stage: string, run: string | string[], timeout?: number) =>
  `{ stage = "${stage}", run = ${JSON.stringify(run)}${timeout === undefined ? '' : `, timeout = ${timeout}`} }`;
