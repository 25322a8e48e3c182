import { cancellable } from './cancellable.ts';

/** How long what is in flight may take to end when the server does, in milliseconds. */
const ENDING_MS = 1_800;

/** The life of a server process: the calls it has in flight, and their end with it. */
export class Life {
  #ending = false;
  readonly #inFlight = new Map<AbortController, Promise<unknown>>();

  /**
   * Counts a call as in flight until it is answered. Its signal aborts with its caller's, and when the process is about to end. It
   * is no dependent of a signal that outlives it: Node keeps something of each of those for as long as there is the one it depends on.
   */
  async follow<T>(caller: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { abort, signal } = cancellable(caller);
    if (this.#ending) abort.abort();
    const answer = call(signal);
    this.#inFlight.set(abort, answer);
    try {
      return await answer;
    } finally {
      this.#inFlight.delete(abort);
    }
  }

  /** Cancels every call and gives them a moment to end what they started. */
  async end(): Promise<void> {
    this.#ending = true;
    const answers = [...this.#inFlight.values()];
    for (const abort of this.#inFlight.keys()) abort.abort();
    await Promise.race([
      Promise.allSettled(answers),
      new Promise((resolve) => setTimeout(resolve, ENDING_MS).unref()),
    ]);
  }
}

/** Calls `end` at the first signal that asks the process to end; the process then ends when it is done with it. */
export function onEndingSignal(end: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
}

/** Characters of what is said of one error: callers have a hand in it. */
const LONGEST_COMPLAINT = 2_000;

/** Says something on stderr, on one line: a caller’s bytes in it must not write lines of their own. */
export function complain(error: Error): void {
  process.stderr.write(
    `discern mcp: ${error.message.slice(0, LONGEST_COMPLAINT).replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')}\n`,
  );
}
