/** What stands between two newlines of a stream, or that it is too long to be kept. */
export type Line =
  | { kind: 'line'; bytes: Buffer }
  /** Longer than allowed: how it begins, and, once its end has come, how it ends. What was between is gone. */
  | { kind: 'overlong'; head: Buffer; tail?: Buffer };

const NEWLINE = 0x0a;

/** How much of an overlong line is kept at either end, in bytes: where a message has its id. */
const KEPT = 1024;

/**
 * Parts a stream of bytes into lines, each at most `longest` bytes. A longer one is told of twice, when it has become too long
 * and when it ends, and costs no memory however long it is. What was pushed and not asked for yet is kept: `waiting` bytes.
 */
export class LineReader {
  readonly #longest: number;
  #chunks: Buffer[] = [];
  #at = 0;
  #waiting = 0;
  #pieces: Buffer[] = [];
  #length = 0;
  #overlong: { head: Buffer; tail: Buffer } | undefined;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Bytes that were pushed and not looked at yet. */
  get waiting(): number {
    return this.#waiting;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
  }

  /** The next line; `undefined` until more comes. */
  next(): Line | undefined {
    for (let chunk = this.#chunks[this.#at]; chunk !== undefined; chunk = this.#chunks[this.#at]) {
      const end = chunk.indexOf(NEWLINE);
      const piece = end === -1 ? chunk : chunk.subarray(0, end);
      this.#waiting -= end === -1 ? chunk.length : end + 1;
      if (end === -1) this.#drop();
      else this.#chunks[this.#at] = chunk.subarray(end + 1);
      const became = this.#add(piece);
      if (end !== -1) return this.#finish();
      if (became) return { kind: 'overlong', head: became.head };
    }
    return undefined;
  }

  /** Passes to the next chunk; those that were read are let go of from time to time, not each by each. */
  #drop(): void {
    this.#at++;
    if (this.#at < this.#chunks.length && this.#at < 1024) return;
    this.#chunks = this.#chunks.slice(this.#at);
    this.#at = 0;
  }

  /** Adds to the line under way; answers what is kept of it when it has just become too long. */
  #add(piece: Buffer): { head: Buffer } | undefined {
    this.#length += piece.length;
    if (this.#overlong) {
      this.#overlong.tail = lastOf([this.#overlong.tail, piece]);
      return undefined;
    }
    this.#pieces.push(piece);
    if (this.#length <= this.#longest) return undefined;
    const whole = this.#pieces;
    this.#pieces = [];
    this.#overlong = { head: firstOf(whole), tail: lastOf(whole) };
    return this.#overlong;
  }

  #finish(): Line {
    const [pieces, overlong] = [this.#pieces, this.#overlong];
    this.#pieces = [];
    this.#length = 0;
    this.#overlong = undefined;
    if (overlong) return { kind: 'overlong', ...overlong };
    return { kind: 'line', bytes: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces) };
  }
}

/** The first bytes of several pieces, copied, so that the rest can go. */
function firstOf(pieces: readonly Buffer[]): Buffer {
  const some: Buffer[] = [];
  for (let n = 0, left = KEPT; n < pieces.length && left > 0; n++) {
    const piece = (pieces[n] as Buffer).subarray(0, left);
    some.push(piece);
    left -= piece.length;
  }
  return Buffer.concat(some);
}

/** The last bytes of several pieces, copied. */
function lastOf(pieces: readonly Buffer[]): Buffer {
  const some: Buffer[] = [];
  for (let n = pieces.length - 1, left = KEPT; n >= 0 && left > 0; n--) {
    const piece = pieces[n] as Buffer;
    const end = piece.subarray(Math.max(0, piece.length - left));
    some.unshift(end);
    left -= end.length;
  }
  return Buffer.concat(some);
}
