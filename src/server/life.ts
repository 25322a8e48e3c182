/** How long what is in flight may take to end when the server does, in milliseconds. */
const ENDING_MS = 1_800;

/** The life of a server process: the calls it has in flight, and their end with it. */
export class Life {
  readonly #ending = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();

  /** Aborts every call when the process is about to end. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Counts a call as in flight until it is answered. */
  follow<T>(answer: Promise<T>): Promise<T> {
    this.#inFlight.add(answer);
    answer.finally(() => this.#inFlight.delete(answer)).catch(() => undefined);
    return answer;
  }

  /** Cancels every call and gives them a moment to end what they started. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.race([
      Promise.allSettled([...this.#inFlight]),
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
