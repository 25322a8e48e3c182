import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { isObject } from '../../contract/values.ts';

/** The end of a record that is read, in bytes: a session's last lines, never the whole of it. */
const TAIL_BYTES = 64 * 1024;

/**
 * The end of a file that belongs to this user, with whether that is the whole of it. `undefined` for what is missing,
 * unreadable, no plain file, or another user's: other programs' records are looked at, never waited for.
 */
export const readTail = (path: string, most = TAIL_BYTES) => readEnd(path, most, 'tail');

/** The beginning of a file, under the same conditions as {@link readTail}. */
export const readHead = (path: string, most = TAIL_BYTES) => readEnd(path, most, 'head');

async function readEnd(
  path: string,
  most: number,
  end: 'head' | 'tail',
): Promise<{ text: string; whole: boolean } | undefined> {
  try {
    if (!(await lstat(path)).isFile()) return undefined;
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { size, uid } = await handle.stat();
      if (process.getuid && uid !== process.getuid()) return undefined;
      const length = Math.min(size, most);
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await handle.read(buffer, 0, length, end === 'head' ? 0 : size - length);
      return { text: buffer.toString('utf8', 0, bytesRead), whole: length === size };
    } finally {
      await handle.close();
    }
  } catch {
    // No record is no evidence; it is never an error of the call.
    return undefined;
  }
}

/** The objects in the end of a JSON Lines file, the last first. A half-written or foreign line is passed over. */
export async function* lastObjects(path: string, most?: number): AsyncGenerator<Record<string, unknown>> {
  const tail = await readTail(path, most);
  if (tail === undefined) return;
  const lines = tail.text.split('\n');
  // The first line may begin before what was read.
  if (!tail.whole) lines.shift();
  for (const line of lines.reverse()) {
    const one = objectIn(line);
    if (one) yield one;
  }
}

/** The JSON object a text is; `undefined` when it is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The user's home by the environment a client gave us, else by the system. */
export function homeOfUser(env: NodeJS.ProcessEnv): string | undefined {
  const named = process.platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (named !== undefined && isAbsolute(named)) return named;
  try {
    return homedir();
  } catch {
    // A user without an entry has none.
    return undefined;
  }
}

/** An absolute directory a record names; `undefined` for anything else. */
export function directoryNamed(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 4096 && isAbsolute(value) && !value.includes('\0')
    ? value
    : undefined;
}

/** True when two names are of one directory: behind a symlink, a client and the system call it differently. */
export async function isSamePlace(one: string, other: string | undefined): Promise<boolean> {
  if (other === undefined || one === other) return one === other;
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => undefined)));
  return a !== undefined && a === b;
}
