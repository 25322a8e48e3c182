import { setMaxListeners } from 'node:events';

/** A call's own means of ending it, `abort`, and the signal that also heeds its caller's. */
export function cancellable(caller: AbortSignal): { abort: AbortController; signal: AbortSignal } {
  const abort = new AbortController();
  const signal = AbortSignal.any([caller, abort.signal]);
  // Every process a verb runs listens to it; Node takes more than ten listeners for a leak and warns.
  setMaxListeners(0, signal);
  return { abort, signal };
}
