import { cpus } from 'node:os';
import { Turns } from '../call/turns.ts';

/** How many gits one process runs at once. */
export const MOST_AT_ONCE = Math.max(16, cpus().length * 4);

const turns = new Turns(MOST_AT_ONCE);

/**
 * Waits for a turn to run one git, and resolves with what ends it. Nothing that holds a turn waits for another, so this
 * cannot lock up with anything. Refuses `cancelled` as soon as `signal` aborts.
 */
export const turn = (signal?: AbortSignal): Promise<() => void> => turns.take(signal);
