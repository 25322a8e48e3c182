import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn, stateDir } from '../files.ts';

/** How many runs' output a repository keeps. */
const KEPT = 40;
/** A run in which something was written less than this many milliseconds ago may still be going, and is never removed. */
const YOUNG_MS = 60 * 60 * 1000;

/** A new directory for one run's output, under the git common dir so that it outlives the worktree. */
export async function newRunDir(commonDir: string, verb: string): Promise<string> {
  const runs = join(stateDir(commonDir), 'runs');
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const dir = join(runs, `${stamp}-${verb}-${randomBytes(3).toString('hex')}`);
  await mkdir(dir, { recursive: true });
  // Output that cannot be removed (another user's, say) must not stop a run.
  await forgetOldRuns(runs).catch(() => undefined);
  return dir;
}

/** The output of the oldest runs beyond the number a repository keeps; none that may still be going. */
export async function oldRuns(runs: string): Promise<string[]> {
  const names = (await namesIn(runs)).sort();
  const old: string[] = [];
  for (const name of names.slice(0, Math.max(0, names.length - KEPT))) {
    const dir = join(runs, name);
    if (Date.now() - (await lastWrite(dir)) > YOUNG_MS) old.push(dir);
  }
  return old;
}

/** Removes the output of {@link oldRuns}. */
export async function forgetOldRuns(runs: string): Promise<void> {
  for (const dir of await oldRuns(runs)) await rm(dir, { recursive: true, force: true });
}

/** When the directory, or a file in it, was last written, in milliseconds since 1970; 0 when it is gone. */
async function lastWrite(dir: string): Promise<number> {
  const files = await namesIn(dir);
  const stamps = await Promise.all(
    [dir, ...files.map((file) => join(dir, file))].map((path) =>
      stat(path).then(
        (found) => found.mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...stamps);
}

/** The output file of a job; names of scopes may hold anything. */
export function outputFile(runDir: string, job: string, index: number): string {
  return join(
    runDir,
    `${String(index + 1).padStart(2, '0')}-${job.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)}.log`,
  );
}
