import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { KnownAgent } from '../../contract/launchable.ts';
import { oneLine } from '../../contract/visible.ts';
import { readBounded } from '../files/bounded-file.ts';
import { orWhenAbsent, writeFileAtomic } from '../files/files.ts';
import { scrubbedEnv } from '../process/env.ts';
import { endGroup } from '../process/group.ts';
import { programOnPath } from '../process/program.ts';
import { stateDir } from '../user/state-dir.ts';

/** The program of an agent client, as {@link programOnPath} finds it: none of a repository's own. */
export const programOfAgent = (client: KnownAgent, env: NodeJS.ProcessEnv): string | undefined =>
  programOnPath(client, env.PATH, true);

/** What a program says of its version, or why that is not known. */
export type Version = { version: string } | { problem: string };

/** How long a program may take to say its version, in milliseconds, and how many characters of that are read. */
const PATIENCE_MS = 15_000;
const MOST_SAID = 4_096;

/** How long a version is believed while the file stays the same: what a small starter runs may be renewed behind it. Milliseconds. */
const BELIEVED_MS = 24 * 60 * 60_000;

const Remembered = z.object({
  version: z.literal(1),
  programs: z.record(
    z.string(),
    z.object({ size: z.number(), changed: z.number(), asked: z.number(), version: z.string().max(60) }),
  ),
});
type Programs = z.infer<typeof Remembered>['programs'];

const MOST_BYTES = 64 * 1024;
const MOST_PROGRAMS = 40;

/**
 * The versions of programs, asked all at once by `--version`. What was answered is remembered in the user's own folder for state, by the
 * path, size and time of the program, for a day; a failure is not. Never rejects but when cancelled.
 */
export async function versionsOf(
  programs: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Map<string, Version>> {
  const state = stateDir(env);
  const file = state && join(state, 'agents.json');
  const known = file === undefined ? {} : await remembered(file);
  const now = Date.now();
  const fresh: Programs = {};
  const asked = await Promise.all(
    programs.map(async (program): Promise<[string, Version]> => {
      const there = await stat(program).catch(orWhenAbsent(undefined));
      if (!there) return [program, { problem: 'it is not there any more' }];
      const { size, mtimeMs: changed } = there;
      const before = Object.hasOwn(known, program) ? known[program] : undefined;
      const same = before?.size === size && before.changed === changed;
      if (same && before.asked <= now && now - before.asked < BELIEVED_MS) return [program, before];
      const said = await askVersion(program, signal);
      if ('version' in said) fresh[program] = { size, changed, asked: now, ...said };
      return [program, said];
    }),
  );
  if (file !== undefined && Object.keys(fresh).length > 0) await remember(file, { ...known, ...fresh });
  return new Map(
    asked.map(([program, said]) => [program, 'version' in said ? { version: said.version } : said]),
  );
}

async function remembered(file: string): Promise<Programs> {
  const read = await readBounded(file, MOST_BYTES, { links: false });
  if (read === undefined || 'problem' in read) return {};
  try {
    return Remembered.parse(JSON.parse(read.text)).programs;
  } catch {
    // What is broken or of another release is asked anew, and written over.
    return {};
  }
}

/** The program is asked again next time where this cannot be written: it only saves time. */
async function remember(file: string, programs: Programs): Promise<void> {
  const newest = Object.entries(programs).sort(([, a], [, b]) => b.asked - a.asked);
  const record = { version: 1, programs: Object.fromEntries(newest.slice(0, MOST_PROGRAMS)) };
  await writeFileAtomic(file, `${JSON.stringify(record)}\n`).catch(() => undefined);
}

/** Starts a program with `--version`, outside of any project, and ends it with all it started when it takes too long. */
async function askVersion(program: string, signal: AbortSignal): Promise<Version> {
  const child = spawn(program, ['--version'], {
    cwd: tmpdir(),
    env: scrubbedEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said.out = (said.out + chunk).slice(0, MOST_SAID);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said.err = (said.err + chunk).slice(0, MOST_SAID);
  });
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(`it could not be started (${error.message})`));
    // What it leaves running may hold its output open: its own end is enough.
    child.on('exit', (code) =>
      setTimeout(() => resolve(code === 0 ? undefined : `it ended with ${code}`), 50),
    );
  });
  const timer = new AbortController();
  const late = sleep(PATIENCE_MS, 'late' as const, { signal: AbortSignal.any([signal, timer.signal]) }).catch(
    () => 'late' as const,
  );
  const how = await Promise.race([ended, late]);
  timer.abort();
  if (how === 'late' && child.pid !== undefined) await endGroup(child.pid);
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  signal.throwIfAborted();
  if (how === 'late') return { problem: `it did not answer within ${PATIENCE_MS / 1000} s` };
  if (how !== undefined) return { problem: oneLine(how) };
  const version = versionIn(said.out) ?? versionIn(said.err);
  return version === undefined ? { problem: 'what it answers has no version in it' } : { version };
}

/** The version in what a program says: the first word of numbers with dots between them. */
export function versionIn(text: string): string | undefined {
  return /(?<![\w.])v?(\d{1,9}(?:\.\d{1,9}){1,3}(?:[-+][0-9A-Za-z.-]{1,30})?)(?!\w)/
    .exec(text)?.[1]
    ?.replace(/\.$/, '');
}
