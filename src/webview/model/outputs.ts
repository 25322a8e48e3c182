import type { FromGateView, GateJob } from '../../contract/gate-view.ts';
import type { Output } from './output.ts';

/** How long after an answer a running job's output is asked for again. */
const AGAIN_MS = 1000;

interface Asked {
  state: GateJob['state'];
  /** When the answer came, by `Date.now()`; undefined while it is awaited. */
  answered?: number;
}

/** The outputs of the jobs whose detail is open: asked for when first wanted, when the job ends, and as it runs. */
export class Outputs {
  readonly #post: (message: FromGateView) => void;
  readonly #texts = new Map<string, Output>();
  readonly #asked = new Map<string, Asked>();

  constructor(post: (message: FromGateView) => void) {
    this.#post = post;
  }

  get texts(): ReadonlyMap<string, Output> {
    return this.#texts;
  }

  forget(): void {
    this.#texts.clear();
    this.#asked.clear();
  }

  /** Takes an answer in. True when it changes what is to be shown. */
  receive(job: string, output: Output, now: number): boolean {
    const asked = this.#asked.get(job);
    if (asked) asked.answered = now;
    const known = this.#texts.get(job);
    if (known?.text === output.text && known.cut === output.cut) return false;
    this.#texts.set(job, output);
    return true;
  }

  /** Asks for what is wanted and not at hand, or no longer up to date. */
  want(jobs: readonly GateJob[], now: number): void {
    for (const { name, state } of jobs) {
      if (state === 'skipped') continue;
      const asked = this.#asked.get(name);
      const current = asked?.state === state;
      const due = state === 'running' && asked?.answered !== undefined && now - asked.answered >= AGAIN_MS;
      if (current && !due) continue;
      this.#asked.set(name, { state });
      this.#post({ type: 'output', job: name });
    }
  }
}
