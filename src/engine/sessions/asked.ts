import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Refusal } from '../call/refusal.ts';
import { objectIn } from '../callers/record-file.ts';
import type { Query } from './adapter.ts';
import type { Known } from './list.ts';

/** Bytes read at once, and of the longest line that is looked into. */
const CHUNK = 1024 * 1024;
const LONGEST_LINE = 32 * 1024 * 1024;

/** What was read of a record up to the end of its last whole line. */
interface Reading {
  ino: number;
  /** Bytes from the beginning of the file. */
  offset: number;
  /** The bytes before the offset, by which the same file is known again. */
  before: Buffer;
  queries: Query[];
  /** Lines that were too long to be looked into. */
  skipped: number;
  /** Characters of all queries. */
  characters: number;
}

const readings = new Map<string, Reading>();
const MOST_READINGS = 16;
const MOST_CHARACTERS = 8_000_000;
const FINGERPRINT = 64;

/**
 * Everything the person asked in a session, oldest first and whole. The record is read a piece at a time, so that its length costs
 * no memory; and what was read stays known, so that the next reading begins where this one ended.
 */
export async function askedIn(
  one: Known,
  signal: AbortSignal,
): Promise<{ queries: Query[]; skipped: number }> {
  const { file, adapter } = one;
  if (adapter.recall) return { queries: await adapter.recall(one, signal), skipped: 0 };
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const reading = await begin(handle, file);
    const marks = adapter.marks.map((mark) => Buffer.from(mark));
    const queryIn = (line: Buffer): Query | undefined => {
      if (!marks.some((mark) => line.includes(mark))) return undefined;
      const record = objectIn(line.toString('utf8'));
      return record && adapter.asked(record);
    };
    const rest = await eachLine(handle, reading, signal, (line) => {
      const query = line === undefined ? undefined : queryIn(line);
      if (line === undefined) reading.skipped++;
      if (query === undefined) return;
      reading.queries.push(query);
      reading.characters += query.text.length;
    });
    keep(file, reading);
    // Its last line may be half-written, or whole and only without its end.
    const last = rest === undefined ? undefined : queryIn(rest);
    return { queries: once(last ? [...reading.queries, last] : reading.queries), skipped: reading.skipped };
  } finally {
    await handle.close();
  }
}

/** The reading to go on with: the one before, if the file has only grown since, else a new one. */
async function begin(handle: FileHandle, file: string): Promise<Reading> {
  const { ino, size } = await handle.stat();
  const known = readings.get(file);
  if (known && known.ino === ino && known.offset <= size) {
    const now = Buffer.alloc(known.before.length);
    await handle.read(now, 0, now.length, known.offset - now.length);
    if (now.equals(known.before)) return { ...known, queries: [...known.queries] };
  }
  return { ino, offset: 0, before: Buffer.alloc(0), queries: [], skipped: 0, characters: 0 };
}

function keep(file: string, reading: Reading): void {
  readings.delete(file);
  if (reading.characters > MOST_CHARACTERS) return;
  readings.set(file, reading);
  const [oldest] = readings.keys();
  if (readings.size > MOST_READINGS && oldest !== undefined) readings.delete(oldest);
}

/** Hands over each whole line from the reading's offset on, `undefined` for one that is too long; resolves with what is left. */
async function eachLine(
  handle: FileHandle,
  reading: Reading,
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
  for (let position = reading.offset; ; ) {
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
      reading.offset = position + from;
      reading.before = Buffer.from(chunk.subarray(Math.max(0, from - FINGERPRINT), from));
    }
    put(chunk.subarray(from, bytesRead));
    position += bytesRead;
  }
}

/** How close two records of one text are of the same asking: clients write some twice. Milliseconds. */
const SAME = 2_000;

/** Each asking once: by its own name, else by its text and time. */
function once(queries: readonly Query[]): Query[] {
  const keys = new Set<string>();
  const times = new Map<string, number>();
  return queries.filter(({ key, text, at }) => {
    const time = Date.parse(at ?? '');
    const before = times.get(text);
    times.set(text, time);
    if (key !== undefined && keys.has(key)) return false;
    if (key !== undefined) keys.add(key);
    return !(before !== undefined && Math.abs(time - before) < SAME);
  });
}
