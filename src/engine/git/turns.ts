import { cpus } from 'node:os';
import { Refusal } from '../call/refusal.ts';

/** How many gits one process runs at once; those asked for beyond wait for their turn, in order. */
export const MOST_AT_ONCE = Math.max(16, cpus().length * 4);

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Waits for a turn to run one git, and resolves with what ends it. Nothing that holds a turn waits for another, so this
 * cannot lock up with anything. Refuses `cancelled` as soon as `signal` aborts.
 */
export async function turn(signal?: AbortSignal): Promise<() => void> {
  if (running >= MOST_AT_ONCE) await inLine(signal);
  else running++;
  return () => {
    // The turn goes straight to the next in line: nobody who comes meanwhile gets ahead.
    const next = waiting.shift();
    if (next) next();
    else running--;
  };
}

function inLine(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const mine = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      waiting.splice(waiting.indexOf(mine), 1);
      reject(new Refusal('cancelled', 'The call was cancelled.'));
    };
    waiting.push(mine);
    signal?.addEventListener('abort', leave, { once: true });
  });
}
