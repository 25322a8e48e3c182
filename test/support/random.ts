/** Pseudo-random choices from a seed (mulberry32), so that a failure can be run again. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to and without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** True one time in `n`. */
  oneIn(n: number): boolean {
    return this.next() * n < 1;
  }

  pick<Value>(from: readonly Value[]): Value {
    const found = from[Math.floor(this.next() * from.length)];
    if (found === undefined) throw new Error('There is nothing to choose from.');
    return found;
  }

  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Record<Name, number>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let at = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      at -= weight;
      if (at < 0) return name;
    }
    return this.pick(entries)[0];
  }
}
