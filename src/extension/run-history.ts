import type { GateRunView, PastRun } from '../contract/gate-view.ts';

/** How many runs are kept, and of how many the usual time is. */
const KEPT = 10;

/** The runs this window has seen end, in whole; their outputs are files that the engine keeps for longer. */
export class RunHistory {
  #runs: { run: GateRunView; past: PastRun }[] = [];
  /** Milliseconds that runs which judged all there was took, by verb, the newest first. */
  readonly #times = new Map<string, number[]>();

  /** The newest first. */
  get list(): readonly PastRun[] {
    return this.#runs.map(({ past }) => past);
  }

  run(call: number): GateRunView | undefined {
    return this.#runs.find(({ run }) => run.call === call)?.run;
  }

  add(run: GateRunView): void {
    const times = this.#times.get(run.verb) ?? [];
    const reused = run.jobs.filter((job) => job.reused !== undefined).length;
    const past: PastRun = {
      call: run.call,
      verb: run.verb,
      root: run.root,
      ok: run.ok === true,
      ended: Date.now(),
      elapsed: run.elapsed,
      ...(times.length > 0 && { usual: median(times) }),
      ran: run.jobs.filter(({ state }) => state !== 'skipped').length - reused,
      reused,
    };
    // A run that stopped, at a failure or by hand, says nothing of how long a whole one takes.
    if (run.ok) this.#times.set(run.verb, [run.elapsed, ...times].slice(0, KEPT));
    this.#runs = [{ run, past }, ...this.#runs].slice(0, KEPT);
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
