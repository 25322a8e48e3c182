import type { GateRunView } from '../../contract/gate-view.ts';

/** True when both are the same run. A server that was started again counts its calls anew, so the root is compared too. */
export const sameRun = (one: GateRunView | undefined, other: GateRunView | undefined): boolean =>
  one?.call === other?.call && one?.root === other?.root;

/** Milliseconds the run has taken at `now`, both on the clock of `Date.now()`; `received` is when its state came. */
export function elapsedAt(run: GateRunView, received: number, now: number): number {
  return run.running ? run.elapsed + Math.max(0, now - received) : run.elapsed;
}
