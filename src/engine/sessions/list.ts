import { lstat } from 'node:fs/promises';
import type { SessionRow, SessionsData } from '../../contract/verbs-fleet.ts';
import { oneLine } from '../../contract/visible.ts';
import { objectIn, readHead, readTail } from '../callers/record-file.ts';
import { errnoOf } from '../files/errno.ts';
import type { Adapter, Ends, Facts, Found, Json } from './adapter.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { vscode } from './vscode.ts';

const adapters: readonly Adapter[] = [claude, codex, copilot, gemini, opencode, vscode];

/** True of a client whose sessions are read. */
export const readsSessionsOf = (client: string): boolean => adapters.some((one) => one.client === client);

/** A session's record, with when it last changed. */
export interface Known extends Found {
  adapter: Adapter;
  size: number;
  /** Milliseconds. */
  changed: number;
}

type UnreadRows = NonNullable<SessionsData['unread']>;

/** The records of every session of this user, the last active first, and what is there and cannot be read. */
export async function knownSessions(env: NodeJS.ProcessEnv): Promise<{ known: Known[]; unread: UnreadRows }> {
  const unread: UnreadRows = [];
  const of = await Promise.all(
    adapters.map(async (adapter): Promise<(Known | undefined)[]> => {
      const say = (why: string) => unread.push({ client: adapter.client, why });
      const found = await adapter.find(env, say);
      return Promise.all(found.map((one) => dated(adapter, one, say)));
    }),
  );
  const known = of.flat().filter((one) => one !== undefined);
  return { known: known.sort((a, b) => b.changed - a.changed), unread };
}

async function dated(adapter: Adapter, found: Found, say: (why: string) => void): Promise<Known | undefined> {
  if (found.told) return { ...found, adapter, size: 0, changed: found.told.changed };
  try {
    const stats = await lstat(found.file);
    if (stats.isFile()) return { ...found, adapter, size: stats.size, changed: stats.mtimeMs };
    say(`${found.file} is not a regular file.`);
  } catch (error) {
    // A session without a record, or one that went meanwhile, is none.
    if (errnoOf(error) !== 'ENOENT')
      say(`${found.file} cannot be read (${errnoOf(error) ?? String(error)}).`);
  }
  return undefined;
}

/** Folders in which clients keep what says how their programs stand, beside the records. */
export const programFolders = (env: NodeJS.ProcessEnv): string[] =>
  adapters.flatMap((one) => one.programs?.(env) ?? []);

/** Bytes of each end that are read: enough for what a client writes first, and for its last turn. */
const HEAD_BYTES = 256 * 1024;
const TAIL_BYTES = 128 * 1024;

/** The ends of records that have not changed since they were read. */
const read = new Map<string, { size: number; changed: number; ends: Ends }>();
const MOST_READ = 200;

/**
 * What a record says of its session. Of the file only its ends are read, however long it is, and nothing while it has the size and
 * the time it had; `undefined` when it holds nothing that is known.
 */
export async function factsOf(one: Known, env: NodeJS.ProcessEnv): Promise<Facts | undefined> {
  const { file, size, changed, adapter, told } = one;
  if (told) return told.facts;
  const before = read.get(file);
  const same = before?.size === size && before.changed === changed;
  const ends = same ? before.ends : await endsOf(file, changed);
  if (ends === undefined) return undefined;
  read.delete(file);
  // A record that changed within this very moment may change again without a new time.
  if (Date.now() - changed > 2_000) read.set(file, { size, changed, ends });
  for (const oldest of read.keys()) {
    if (read.size <= MOST_READ) break;
    read.delete(oldest);
  }
  return adapter.describe(ends, one, env);
}

async function endsOf(file: string, changed: number): Promise<Ends | undefined> {
  const [head, tail] = await Promise.all([readHead(file, HEAD_BYTES), readTail(file, TAIL_BYTES)]);
  if (head === undefined || tail === undefined) return undefined;
  const first = head.text.split('\n');
  const last = tail.text.split('\n');
  // Lines that were cut by where reading began or ended.
  if (!head.whole) first.pop();
  if (!tail.whole) last.shift();
  const objects = (lines: string[]): Json[] => lines.map(objectIn).filter((one) => one !== undefined);
  return { head: objects(first), tail: objects(last), changed };
}

const TITLE_CHARACTERS = 120;

/** A session as it is listed, with nothing in its words that would move a cursor or begin a line. */
export function rowOf({ id, adapter, changed }: Known, facts: Facts): SessionRow {
  const title = facts.title && oneLine(facts.title.replace(/\s+/g, ' ').trim());
  return {
    id,
    client: adapter.client,
    ...(facts.cwd !== undefined && { cwd: facts.cwd }),
    ...(title && {
      title: title.length > TITLE_CHARACTERS ? `${title.slice(0, TITLE_CHARACTERS - 1)}…` : title,
    }),
    last_activity: new Date(changed).toISOString(),
    state: facts.state,
    ...(facts.needs_attention !== undefined && { needs_attention: facts.needs_attention }),
  };
}
