import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';

/** Bytes read at once, and of the longest line that is looked into. */
const CHUNK = 1024 * 1024;
const LONGEST_LINE = 32 * 1024 * 1024;

/** How far a record was read: up to the end of its last whole line. */
interface Mark {
  ino: number;
  /** Bytes from the beginning of the file. */
  offset: number;
  /** The bytes before the offset, by which the same file is known again. */
  before: Buffer;
}

const FINGERPRINT = 64;

/** What is made of the lines of one kind of record, a line at a time. */
export interface Reader<State> {
  /** Before the first line. */
  fresh(): State;
  /** One that changes with the next lines, and leaves the other as it is. */
  copy(state: State): State;
  /** A whole line, `undefined` where it is too long to be looked into; or the last one, which may be half-written. */
  line(state: State, line: Buffer | undefined): void;
  /** Characters that it holds. */
  size(state: State): number;
}

/** How many records are remembered, and how many characters of all of them: those that were read last. */
const MOST_REMEMBERED = 200;
const MOST_CHARACTERS = 16_000_000;

/**
 * Records of lines that grow. Each is read a piece at a time, so that its length costs no memory; and what was made of it stays known,
 * so that the next reading begins where this one ended, if the file has only grown since.
 */
export class GrowingRecords<State> {
  readonly #known = new Map<string, { mark: Mark; state: State; size: number }>();
  readonly #reader: Reader<State>;

  constructor(reader: Reader<State>) {
    this.#reader = reader;
  }

  /** What is made of all lines there are now. Refuses `unavailable` where the file cannot be read. */
  async read(file: string, signal: AbortSignal): Promise<State> {
    const { fresh, copy, line } = this.#reader;
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error) => {
      throw new Refusal('unavailable', `${file} cannot be read (${errnoOf(error) ?? error}).`);
    });
    try {
      const known = this.#known.get(file);
      const { ino, size: bytes } = await handle.stat();
      const grown = known !== undefined && (await hasGrown(handle, known.mark, ino, bytes));
      const mark = grown ? { ...known.mark } : { ino, offset: 0, before: Buffer.alloc(0) };
      const state = grown ? copy(known.state) : fresh();
      const rest = await eachLine(handle, mark, signal, (one) => line(state, one));
      this.#remember(file, mark, state);
      // The last line may be half-written, or whole and only without its end: the next reading begins before it.
      const whole = copy(state);
      if (rest !== undefined && rest.length > 0) line(whole, rest);
      return whole;
    } finally {
      await handle.close();
    }
  }

  #remember(file: string, mark: Mark, state: State): void {
    this.#known.delete(file);
    this.#known.set(file, { mark, state, size: this.#reader.size(state) });
    let characters = [...this.#known.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [oldest, { size }] of this.#known) {
      if (this.#known.size <= MOST_REMEMBERED && characters <= MOST_CHARACTERS) break;
      this.#known.delete(oldest);
      characters -= size;
    }
  }
}

async function hasGrown(
  handle: FileHandle,
  { ino: before, offset, before: bytes }: Mark,
  ino: number,
  size: number,
): Promise<boolean> {
  if (before !== ino || offset > size) return false;
  const now = Buffer.alloc(bytes.length);
  await handle.read(now, 0, now.length, offset - now.length);
  return now.equals(bytes);
}

/** Hands over each whole line from a mark on, which moves along; resolves with what is left. */
async function eachLine(
  handle: FileHandle,
  mark: Mark,
  signal: AbortSignal,
  take: (line: Buffer | undefined) => void,
): Promise<Buffer | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const put = (part: Buffer) => {
    length += part.length;
    // Of a line that is too long nothing is kept.
    if (length > LONGEST_LINE) parts = [];
    else parts.push(Buffer.from(part));
  };
  const line = () => (length > LONGEST_LINE ? undefined : Buffer.concat(parts));
  const chunk = Buffer.alloc(CHUNK);
  for (let position = mark.offset; ; ) {
    if (signal.aborted)
      throw new Refusal('cancelled', 'Reading the session was cancelled; nothing was changed.');
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) return line();
    let from = 0;
    for (;;) {
      const end = chunk.subarray(0, bytesRead).indexOf(10, from);
      if (end === -1) break;
      put(chunk.subarray(from, end));
      take(line());
      parts = [];
      length = 0;
      from = end + 1;
      mark.offset = position + from;
      mark.before = Buffer.from(chunk.subarray(Math.max(0, from - FINGERPRINT), from));
    }
    put(chunk.subarray(from, bytesRead));
    position += bytesRead;
  }
}
