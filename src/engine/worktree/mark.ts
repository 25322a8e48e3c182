import { join } from 'node:path';
import type { Context } from '../context.ts';
import { namesIn, stateDir } from '../files.ts';
import { acquireLock, holding, isHeld } from '../lock.ts';

const locksDir = (commonDir: string) => join(stateDir(commonDir), 'locks');

/** Where a start shows that it is under way. */
export const startMarkPath = (commonDir: string, id: string) => join(locksDir(commonDir), `start-${id}.lock`);

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
  return holding(lock, act);
}

/** The ids of starts that were cut off. */
export async function interruptedStarts(commonDir: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await namesIn(locksDir(commonDir))) {
    const [, id] = /^start-(.+)\.lock$/.exec(name) ?? [];
    if (id !== undefined && !(await isHeld(startMarkPath(commonDir, id)))) found.push(id);
  }
  return found;
}
