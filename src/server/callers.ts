/** Verbs whose success may move the held root. */
const moving = new Set(['start', 'accept']);

/**
 * Keeps one caller's calls in the order they were accepted where that matters: while a `start` or `accept` is in flight,
 * later calls without `path` wait for it, so that a pipelined `start`, `done` gates the new worktree (contract §3). Other
 * calls run side by side.
 */
export class CallOrder {
  #moved: Promise<void> = Promise.resolve();

  /**
   * Accepts a call. Must be called in the order of arrival, before anything is awaited. `turn` resolves when the call may
   * bind its root; `finish` must be called when it has its result and any re-aim is done.
   */
  accept(verb: string, withPath: boolean): { turn: Promise<void>; finish: () => void } {
    const before = this.#moved;
    const turn = withPath ? Promise.resolve() : before;
    if (!moving.has(verb)) return { turn, finish: () => undefined };
    let finish: () => void = () => undefined;
    const own = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#moved = Promise.all([before, own]).then(() => undefined);
    return { turn, finish };
  }
}
