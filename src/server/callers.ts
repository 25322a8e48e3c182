import { traits } from '../contract/traits.ts';
import type { Verb } from '../contract/verbs.ts';

/** What one accepted call has to wait for, and who waits for it. */
export interface Turn {
  /** Resolves when the call may bind its root. */
  bind: Promise<void>;
  /** Resolves when every call accepted before this one that may move the held root has ended. */
  earlier: Promise<void>;
  /** Must be called when the call has its result and any re-aim is done. */
  finish: () => void;
}

/**
 * Keeps one caller's calls in the order they were accepted where that matters: while a call is in flight that may move the
 * held root, later calls without `path` wait for it, so that a pipelined `start`, `done` gates the new worktree (contract §3). Other
 * calls run side by side; re-aims happen in the order of their calls, so the held root never depends on which ended first.
 */
export class CallOrder {
  #moved: Promise<void> = Promise.resolve();

  /** Accepts a call. Must be called in the order of arrival, before anything is awaited. */
  accept(verb: Verb, withPath: boolean): Turn {
    const earlier = this.#moved;
    const bind = withPath ? Promise.resolve() : earlier;
    if (!traits[verb].movesHeldRoot) return { bind, earlier, finish: () => undefined };
    let finish: () => void = () => undefined;
    const own = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#moved = Promise.all([earlier, own]).then(() => undefined);
    return { bind, earlier, finish };
  }
}
