import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Interrupt = (typeof signals)[number];

/**
 * Launchers such as npx pass a Ctrl-C on that the terminal has sent to us already. A second one this soon, in
 * milliseconds, is not a person's.
 */
const ECHO_MS = 250;

/**
 * Ends a run when a signal asks for it. The first signal aborts, so that everything that was started is ended and what was
 * made is taken back; a second one leaves at once.
 */
export class Interruption {
  readonly #abort = new AbortController();
  #by: Interrupt | undefined;
  #at = 0;

  /** `onFirst` is told of the first signal, `onSecond` is called before leaving at the second. */
  constructor(onFirst: () => void, onSecond: () => void) {
    for (const name of signals) {
      process.on(name, () => {
        const now = performance.now();
        if (this.#by === undefined) {
          this.#by = name;
          this.#at = now;
          onFirst();
          this.#abort.abort();
        } else if (now - this.#at >= ECHO_MS) {
          onSecond();
          process.exit(this.exitCode);
        }
      });
    }
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** 128 and the signal's number, as shells report it (POSIX.1-2017, XCU 2.8.2); `undefined` while there was none. */
  get exitCode(): number | undefined {
    return this.#by && 128 + constants.signals[this.#by];
  }
}
