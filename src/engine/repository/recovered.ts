import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptRef } from '../../contract/data.ts';
import { git } from '../git/core.ts';
import { shellWord } from '../words/shell-word.ts';

/** Where what a removal lets go is kept. */
export const RECOVERED = 'refs/discern/recovered/';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A ref of ours, and since when it keeps what it keeps. */
export interface Recovered {
  ref: string;
  commit: string;
  /** Milliseconds since 1970; absent where nothing of ours tells. */
  at?: number;
}

/**
 * The name of a new recovery ref. It holds the time, by which prune lets it go one day: reflogs expire, and a commit's date is
 * that of the work.
 */
export const recoveryRef = (name: string, end: string, now = Date.now()): string =>
  `${RECOVERED}${name}-${stamp(now)}-${end}`;

const stamp = (now: number) => new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');

/** The time in a name {@link recoveryRef} made; `undefined` in any other. */
export function timeIn(ref: string): number | undefined {
  const found = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(?:left-)?[0-9a-f]{6,10}$/.exec(ref);
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second] = found;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** Every recovery ref, the newest first. Those that another version named without a time have that of their reflog, or of a commit of ours. */
export async function listRecovered(cwd: string, commonDir: string): Promise<Recovered[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(committeremail)%00%(committerdate:unix)';
  const { stdout } = await git(cwd, ['for-each-ref', format, '--', RECOVERED]);
  const lines = stdout.toString('utf8').split('\n').filter(Boolean);
  const found = await Promise.all(
    lines.map(async (line): Promise<Recovered> => {
      const [ref = '', commit = '', email, date] = line.split('\0');
      const ours = email === '<discern@localhost>' ? Number(date) * 1000 : undefined;
      const at = timeIn(ref) ?? (await loggedAt(commonDir, ref)) ?? ours;
      return { ref, commit, ...(at !== undefined && { at }) };
    }),
  );
  return found.sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

/** When a ref was made, by the first line of its reflog (gitrepository-layout(5), `logs/refs`). */
export async function loggedAt(commonDir: string, ref: string): Promise<number | undefined> {
  const text = await readFile(join(commonDir, 'logs', ref), 'utf8').catch(() => '');
  const seconds = /^0+ [0-9a-f]+ .*> (\d+) [+-]\d{4}(?:\t|\n|$)/.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Those kept longer than `days`; none with 0, and none whose time nobody knows. */
export function expired(refs: readonly Recovered[], days: number, now = Date.now()): Recovered[] {
  if (days === 0) return [];
  return refs.filter(({ at }) => at !== undefined && now - at > days * DAY_MS);
}

/** A recovery ref as answers tell of it: with the one command that brings it back, and the one that lets it go. */
export function toldOf({ ref, commit, at }: Recovered): KeptRef {
  return {
    ref,
    commit,
    ...(at !== undefined && { kept_at: new Date(at).toISOString() }),
    restore: `git branch ${shellWord(`recovered/${ref.slice(RECOVERED.length)}`)} ${shellWord(ref)}`,
    remove: `git update-ref -d ${shellWord(ref)} ${commit}`,
  };
}
