import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../call/context.ts';
import { namesIn, stateDir } from '../files/files.ts';
import { acquireLock, holding } from '../state/lock.ts';
import { isHeld } from '../state/lock-holder.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { removeOwnFile } from '../state/remove.ts';
import { isId } from './name.ts';

/** A start that has begun; whether it is still going its lock says. */
const StartRecord = z.object({ version: z.literal(1), id: z.string() });

const kind: Kind<z.infer<typeof StartRecord>> = { name: 'start', schema: StartRecord };

const locksDir = (commonDir: string) => join(stateDir(commonDir), 'locks');

/** Where a start shows that it is under way. */
export const startMarkPath = (commonDir: string, id: string) => join(locksDir(commonDir), `start-${id}.lock`);

const recordPath = (commonDir: string, id: string) => join(locksDir(commonDir), `start-${id}.json`);

/**
 * Shows that a start is under way, from before its first effect to after its last: so that nobody takes its branch or
 * directory for leftovers meanwhile. A start that dies leaves the mark, and by it the rest is known.
 */
export async function whileMarked<Value>(
  commonDir: string,
  id: string,
  ctx: Context,
  act: () => Promise<Value>,
): Promise<Value> {
  const lock = await acquireLock(startMarkPath(commonDir, id), {
    purpose: `the start of ${id}`,
    signal: ctx.signal,
    waitMs: 0,
  });
  return holding(lock, async () => {
    await writeRecordFile(commonDir, recordPath(commonDir, id), kind, { version: 1, id });
    try {
      return await act();
    } finally {
      await forgetStart(commonDir, id);
    }
  });
}

/** Removes what says that a start had begun. */
export async function forgetStart(commonDir: string, id: string): Promise<void> {
  await removeOwnFile(recordPath(commonDir, id));
}

/** The ids of starts that were cut off, and what lies where the mark of one would and is not ours. */
export async function startMarks(
  commonDir: string,
): Promise<{ interrupted: string[]; distrusted: { path: string; why: string }[] }> {
  const interrupted: string[] = [];
  const distrusted: { path: string; why: string }[] = [];
  for (const name of await namesIn(locksDir(commonDir))) {
    const [, id] = /^start-(.+)\.json$/.exec(name) ?? [];
    if (id === undefined) continue;
    const path = recordPath(commonDir, id);
    const found = await readRecordFile(commonDir, path, kind);
    if (!found) continue;
    if ('distrust' in found) distrusted.push({ path, why: found.distrust });
    else if (found.value.id !== id || !isId(id)) distrusted.push({ path, why: 'names another start' });
    else if (!(await isHeld(startMarkPath(commonDir, id)))) interrupted.push(id);
  }
  return { interrupted, distrusted };
}

/** The ids of starts that were cut off. */
export const interruptedStarts = async (commonDir: string): Promise<string[]> =>
  (await startMarks(commonDir)).interrupted;
