import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { namesIn, stateDir } from '../files/files.ts';
import { madeOwnDir } from '../state/own-dir.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { inodeOf, type NamedTree, removeNamedTree } from '../state/remove.ts';

/** How many runs' output a repository keeps. */
const KEPT = 40;
/** A run in which something was written less than this many milliseconds ago may still be going, and is never removed. */
const YOUNG_MS = 60 * 60 * 1000;

/** What names a directory as one that a run of ours made; it lies in there. */
const RunRecord = z.object({ version: z.literal(1), name: z.string(), ino: z.string() });

const kind: Kind<z.infer<typeof RunRecord>> = { name: 'run', schema: RunRecord };

/** Where the output of runs lies. */
export const runsDir = (commonDir: string) => join(stateDir(commonDir), 'runs');
const recordPath = (dir: string) => join(dir, 'run.json');

/** A new directory for one run's output, under the git common dir so that it outlives the worktree. */
export async function newRunDir(commonDir: string, verb: string): Promise<string> {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const dir = join(runsDir(commonDir), `${stamp}-${verb}-${randomBytes(3).toString('hex')}`);
  await makeRunDir(commonDir, dir);
  // Output that cannot be removed (another user's, say) must not stop a run.
  await forgetOldRuns(commonDir).catch(() => undefined);
  return dir;
}

/** Makes the directory, and writes down that it is ours. */
export async function makeRunDir(commonDir: string, dir: string): Promise<void> {
  await madeOwnDir(dir);
  const record = { version: 1 as const, name: basename(dir), ino: (await inodeOf(dir)) ?? '' };
  await writeRecordFile(commonDir, recordPath(dir), kind, record);
}

/**
 * The output of the oldest runs beyond the number a repository keeps; none that may still be going, and nothing that no run of
 * ours has written down as its own.
 */
export async function oldRuns(commonDir: string): Promise<NamedTree[]> {
  const runs = runsDir(commonDir);
  const names = (await namesIn(runs)).sort();
  const old: NamedTree[] = [];
  for (const name of names.slice(0, Math.max(0, names.length - KEPT))) {
    const dir = join(runs, name);
    const found = await readRecordFile(commonDir, recordPath(dir), kind);
    if (!found || 'distrust' in found || found.value.name !== name) continue;
    if (Date.now() - (await lastWrite(dir)) > YOUNG_MS)
      old.push({ path: dir, within: runs, ino: found.value.ino });
  }
  return old;
}

/** Removes the output of {@link oldRuns}. */
export async function forgetOldRuns(commonDir: string): Promise<void> {
  for (const run of await oldRuns(commonDir)) await removeNamedTree(run);
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
