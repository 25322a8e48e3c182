import { Refusal } from './refusal.ts';

/** A bounded number of turns at once; those asked for beyond wait for theirs, in order. */
export class Turns {
  readonly #most: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Waits for a turn, and resolves with what ends it. Refuses `cancelled` as soon as `signal` aborts. */
  async take(signal?: AbortSignal): Promise<() => void> {
    if (this.#running >= this.#most) await this.#inLine(signal);
    else this.#running++;
    return () => {
      // The turn goes straight to the next in line: nobody who comes meanwhile gets ahead.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    };
  }

  #inLine(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const mine = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(mine), 1);
        reject(new Refusal('cancelled', 'The call was cancelled.'));
      };
      this.#waiting.push(mine);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
