import { readdir } from 'node:fs/promises';
import { isObject } from '../../contract/values.ts';
import type { SessionRow } from '../../contract/verbs-fleet.ts';
import { errnoOf } from '../files/errno.ts';

export type Json = Record<string, unknown>;

/** A session's record on disk. */
export interface Found {
  id: string;
  file: string;
  /** Of a file that holds several sessions: what it says of this one, and when that last changed, in milliseconds. */
  told?: { changed: number; facts: Facts };
}

/** One thing a person asked. */
export interface Query {
  at: string | undefined;
  text: string;
  /** The record's own name, where one may stand in a file more than once. */
  key?: string | undefined;
}

/** What the two ends of a record hold, each oldest first; both are all of it where it is short. */
export interface Ends {
  head: Json[];
  tail: Json[];
  /** When the file last changed. Milliseconds. */
  changed: number;
}

/** What a record says of its session. */
export interface Facts extends Pick<SessionRow, 'state'> {
  cwd?: string | undefined;
  title?: string | undefined;
  needs_attention?: string | undefined;
  /** What it said to the person last. */
  said?: string | undefined;
  /** A part of another session, such as a sub-agent, or one in which nothing was asked: it is not listed by itself. */
  part?: true;
}

/** What could not be read, in words that follow the client's name. */
export type Unread = (why: string) => void;

/**
 * How one client keeps its sessions, seen on files that the client itself wrote. What an adapter does not know it says; it never
 * guesses.
 */
export interface Adapter {
  /** As hooks and `clientInfo` name it. */
  client: string;
  /** Every session there is a record of. */
  find(env: NodeJS.ProcessEnv, unread: Unread): Promise<Found[]>;
  /** Folders that say how its programs stand, beside the records. */
  programs?(env: NodeJS.ProcessEnv): string[];
  /** What the ends of a record say; `undefined` when nothing in it is known. */
  describe(ends: Ends, found: Found, env: NodeJS.ProcessEnv): Promise<Facts | undefined>;
  /** What a person asked in this one line of a record. */
  asked(line: Json): Query | undefined;
  /** Texts of which one is in each line that {@link asked} is about, so that the others need not be parsed. */
  marks: readonly string[];
  /**
   * Everything a person asked in one session, oldest first, and how many lines were too long to be looked into: of a record whose lines
   * do not stand alone. {@link asked} is not used then.
   */
  recall?(found: Found, signal: AbortSignal): Promise<{ queries: Query[]; skipped: number }>;
}

/** The names in a folder; none where it is absent, and said where it is there and cannot be read. */
export async function namesIn(folder: string, unread: Unread): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = errnoOf(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      unread(`${folder} cannot be read (${code ?? String(error)}).`);
    return [];
  }
}

/** How long a turn that is not over may leave no trace and still count as being worked on. Milliseconds. */
const QUIET = 10 * 60_000;

/** A turn that has begun and not ended: at work, unless it has been quiet for so long that its client may have been killed. */
export const open = ({ changed }: Ends): Facts['state'] =>
  Date.now() - changed < QUIET ? 'working' : 'unknown';

/** The state of a session whose turn is over, by its last words. */
export const over = (words: unknown): Pick<Facts, 'state' | 'needs_attention'> =>
  typeof words === 'string' && /[?？][\s"'”’)*_`]*$/.test(words)
    ? { state: 'waiting', needs_attention: 'asks a question' }
    : { state: 'idle' };

/** The last value that a rule finds, of lines that stand oldest first. */
export function lastIn<Value>(
  lines: readonly Json[],
  find: (line: Json) => Value | undefined,
): Value | undefined {
  for (const line of lines.toReversed()) {
    const value = find(line);
    if (value !== undefined) return value;
  }
  return undefined;
}

export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The texts among the parts of a message; `undefined` when it has none. */
export function partsText(parts: unknown, kinds: readonly (string | undefined)[]): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  const texts = parts
    .map(objectOf)
    .filter((one) => kinds.includes(textOf(one.type)) && typeof one.text === 'string')
    .map((one) => one.text as string);
  return texts.length > 0 ? texts.join('\n') : undefined;
}
