import { cpus } from 'node:os';
import { Refusal } from '../../engine/call/refusal.ts';

/** Connections that may be open at once; one more is closed at once. */
export const MOST_CONNECTIONS = 256;

/** How many wrong secrets one address may bring in a minute. */
const MOST_WRONG = 60;
const MINUTE_MS = 60_000;
/** Addresses that are watched at once. */
const MOST_ADDRESSES = 1_000;

/** Bounds how often secrets may be guessed: after too many wrong ones an address is not listened to until a minute is over. */
export class WrongSecrets {
  readonly #most: number;
  readonly #now: () => number;
  readonly #byAddress = new Map<string, { since: number; count: number }>();

  constructor({ most = MOST_WRONG, now = Date.now }: { most?: number; now?: () => number } = {}) {
    this.#most = most;
    this.#now = now;
  }

  /** The seconds for which an address is not listened to; 0 where it is. */
  waitOf(address: string): number {
    const found = this.#byAddress.get(address);
    if (!found || found.count < this.#most) return 0;
    const left = found.since + MINUTE_MS - this.#now();
    return left > 0 ? Math.ceil(left / 1000) : 0;
  }

  /** Counts one more wrong secret. */
  add(address: string): void {
    const now = this.#now();
    const found = this.#byAddress.get(address);
    const within = found !== undefined && now - found.since < MINUTE_MS;
    this.#byAddress.delete(address);
    this.#byAddress.set(address, within ? { ...found, count: found.count + 1 } : { since: now, count: 1 });
    // The one that was heard of longest ago goes.
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > MOST_ADDRESSES && oldest !== undefined) this.#byAddress.delete(oldest);
  }
}

/** Calls that may run commands at once; each has jobs in parallel by itself. */
const MOST_RUNNING = Math.max(4, cpus().length);
/** Calls that may wait for one of those to end. */
const MOST_WAITING = 64;

/** Bounds how many calls run commands at once, and how many wait for that. */
export class Slots {
  readonly #running: number;
  readonly #waiting: number;
  #taken = 0;
  readonly #queue: (() => void)[] = [];

  constructor({ running = MOST_RUNNING, waiting = MOST_WAITING } = {}) {
    this.#running = running;
    this.#waiting = waiting;
  }

  /** Runs `act` once there is room, in the order asked. Refuses `busy` when too many wait, and `cancelled`. */
  async within<Value>(signal: AbortSignal, onWait: () => void, act: () => Promise<Value>): Promise<Value> {
    if (this.#taken >= this.#running) await this.#wait(signal, onWait);
    else this.#taken++;
    try {
      return await act();
    } finally {
      const next = this.#queue.shift();
      // The slot goes from hand to hand.
      if (next) next();
      else this.#taken--;
    }
  }

  #wait(signal: AbortSignal, onWait: () => void): Promise<void> {
    if (this.#queue.length >= this.#waiting) {
      throw new Refusal(
        'busy',
        `This server runs ${this.#running} calls that run commands, and ${this.#queue.length} wait: call again when some have ended.`,
      );
    }
    onWait();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(enter), 1);
        reject(new Refusal('cancelled', 'The call was cancelled while it waited.'));
      };
      const enter = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      if (signal.aborted) {
        reject(new Refusal('cancelled', 'The call was cancelled while it waited.'));
        return;
      }
      this.#queue.push(enter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
