import type { Context } from '../call/context.ts';
import { recoverOwnCheckouts } from '../landing/own-checkout.ts';
import { changeEntry, driverLockPath, type Entry, readQueue } from '../queue/entries.ts';
import { type Repository, rootIn } from '../repository/repository.ts';
import { holding, tryLock } from '../state/lock.ts';
import { Run } from './queue-run.ts';
import { settled } from './queue-settle.ts';

/**
 * Gates and lands what waits in the queue, until nothing does or `stop` aborts. Each entry is judged on the combination before it,
 * several at once, and lands in the order of the places. One that fails falls out once all before it have landed or fallen out, and
 * those behind it are combined anew at once. Resolves with the names of what landed. One process does this at a time: `elsewhere` where
 * another does. The entry of the worktree `but` is left alone, with those behind it.
 */
export async function driveQueue(
  repo: Repository,
  ctx: Context,
  stop: AbortSignal,
  but?: string,
): Promise<readonly string[] | 'elsewhere'> {
  const drove = await alone(repo, ctx, async (home) => {
    const run = new Run(home, ctx, stop, { gates: true, ...(but !== undefined && { but }) });
    try {
      await recoverOwnCheckouts(repo, ctx);
      await run.drive();
    } finally {
      await run.end();
    }
    return run.went;
  });
  return drove ?? 'elsewhere';
}

/**
 * Settles an entry whose landing was cut off, as far as it came; `undefined` where it has not landed, and `elsewhere` where another
 * process runs the queue.
 */
export async function settleCutOff(
  repo: Repository,
  entry: Entry,
  ctx: Context,
): Promise<string | undefined | 'elsewhere'> {
  const ended = await alone(repo, ctx, async (home) => {
    const over = await settled(repo, home, entry, ctx);
    const landed = over && 'landed' in over ? over.landed : undefined;
    await changeEntry(repo.commonDir, entry.number, landed ? { state: 'landed', landed } : {});
    return { landed };
  });
  return ended === undefined ? 'elsewhere' : ended.landed;
}

/**
 * Lands what is at the head of the queue as long as no gate has to run for it, and nothing of `repo`'s own worktree. Resolves with
 * their names; whatever keeps one from landing leaves it and those behind it as they are.
 */
export async function landReady(repo: Repository, ctx: Context): Promise<string[]> {
  const { entries } = await readQueue(repo.commonDir);
  if (!entries.some(({ state }) => state === 'waiting')) return [];
  const run = await alone(repo, ctx, async (home) => {
    const ready = new Run(home, ctx, ctx.signal, { gates: false, but: repo.top });
    await ready.drive();
    return ready;
  });
  return run?.went ?? [];
}

/** Acts as the one process that runs the queue; `undefined` where another is that. */
async function alone<Value>(
  repo: Repository,
  ctx: Context,
  act: (home: string) => Promise<Value>,
): Promise<Value | undefined> {
  const lock = await tryLock(driverLockPath(repo.commonDir), {
    purpose: 'the queue of landings',
    signal: ctx.signal,
    waitMs: 0,
  });
  if ('busy' in lock) return undefined;
  const home = repo.landing ? rootIn(repo, repo.landing.path) : repo.root;
  return holding(lock, () => act(home));
}
