import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { isWindowPipe } from '../../contract/window-address.ts';
import { isThere } from '../process/alive.ts';
import { stateDir } from './state-dir.ts';

/**
 * A window of VS Code whose server others may join: one private file a window, written by its server, read by whatever an agent
 * host starts. Both may be of different versions, so unknown fields are ignored, and another `version` is told, not joined.
 */
export interface WindowRecord {
  version: 1;
  /** The window socket, or on Windows its pipe. */
  socket: string;
  /** The folders that are open in the window, absolute. */
  folders: string[];
  /** The server's process. */
  pid: number;
  /** The server's own version, for a word about it. */
  server: string;
  /** The window's state file, where it keeps one: it lies in VS Code's own folder for this user. */
  state?: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Far more than a window's folders need. */
const MOST_BYTES = 64 * 1024;

/** More windows than this at once are no person's. */
const MOST_WINDOWS = 64;

const ours = /^window-\d+-[0-9a-f]{8}\.json$/;

/** Where the records lie; nothing where this user has no home. */
function windowsDir(env: NodeJS.ProcessEnv): string | undefined {
  const state = stateDir(env);
  return state && join(state, 'windows');
}

/** The record of one window, kept as long as its server serves. */
export class WindowEntry {
  readonly #path: string;
  #record: WindowRecord;

  private constructor(path: string, record: WindowRecord) {
    this.#path = path;
    this.#record = record;
    this.#write();
  }

  /** Writes a window's record for the user alone; `undefined` where this user has no home to keep it in. Throws what cannot be written. */
  static open(
    env: NodeJS.ProcessEnv,
    window: Pick<WindowRecord, 'socket' | 'folders' | 'server' | 'state'>,
  ): WindowEntry | undefined {
    const dir = windowsDir(env);
    if (dir === undefined) return undefined;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (process.platform !== 'win32') chmodSync(dir, 0o700);
    const path = join(dir, `window-${process.pid}-${randomBytes(4).toString('hex')}.json`);
    return new WindowEntry(path, { version: 1, ...window, pid: process.pid, at: Date.now() });
  }

  /** Folders were opened or closed. */
  update(folders: string[]): void {
    this.#record = { ...this.#record, folders };
    this.#write();
  }

  close(): void {
    rmSync(this.#path, { force: true });
  }

  #write(): void {
    const temporary = `${this.#path}.tmp`;
    writeFileSync(temporary, JSON.stringify(this.#record), { mode: 0o600 });
    renameSync(temporary, this.#path);
  }
}

/** A record that was found, with the file it stands in; or a window of a version we do not speak. */
export type FoundWindow = { file: string; window: WindowRecord } | { file: string; strange: string };

/**
 * The windows of this user that are open now, the newest first. What a file says is a stranger's word: it has to be a small plain file
 * of this user's that nobody else may write, and name a socket of this user's in a folder that is this user's alone. Records of
 * processes that have ended are removed; every other file that is not as it has to be is passed over and stays.
 */
export function openWindows(env: NodeJS.ProcessEnv): FoundWindow[] {
  const dir = windowsDir(env);
  const found: FoundWindow[] = [];
  for (const name of dir === undefined ? [] : namesIn(dir)) {
    const file = join(dir ?? '', name);
    const value = ownJson(file);
    if (value === undefined) continue;
    const record = value as Partial<WindowRecord>;
    if (typeof record.version === 'number' && record.version !== 1) {
      found.push({ file, strange: typeof record.server === 'string' ? record.server.slice(0, 40) : '' });
      continue;
    }
    if (!isRecord(record)) continue;
    if (!isThere(record.pid)) rmSync(file, { force: true });
    else if (isOwnSocket(record.socket)) found.push({ file, window: record });
  }
  const time = (one: FoundWindow) => ('window' in one ? one.window.at : 0);
  return found.sort((a, b) => time(b) - time(a));
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => ours.test(name))
      .slice(0, MOST_WINDOWS);
  } catch {
    // No window has been opened yet, or nobody may look.
    return [];
  }
}

/** The value of a small JSON file that is this user's alone to write; `undefined` for every other. */
function ownJson(file: string): unknown {
  try {
    const found = lstatSync(file);
    if (!found.isFile() || found.size > MOST_BYTES || !isOwn(found, 0o022)) return undefined;
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Half-written, gone meanwhile or no JSON: no window.
    return undefined;
  }
}

/** Whether something is this user's, and none of these rights is given to others. */
function isOwn({ uid, mode }: { uid: number; mode: number }, others: number): boolean {
  if (process.platform === 'win32') return true;
  return uid === process.getuid?.() && (mode & others) === 0;
}

function isRecord(value: Partial<WindowRecord>): value is WindowRecord {
  const { version, socket, folders, pid, server, at, state } = value;
  return (
    version === 1 &&
    isText(socket) &&
    Array.isArray(folders) &&
    folders.length <= 1000 &&
    folders.every((one) => isText(one) && isAbsolute(one)) &&
    Number.isSafeInteger(pid) &&
    (pid ?? 0) > 1 &&
    isText(server) &&
    (state === undefined || (isText(state) && isAbsolute(state))) &&
    typeof at === 'number' &&
    Number.isFinite(at)
  );
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 4096 && !value.includes('\0');

/** Only a socket that nobody but this user can have made or reached. */
function isOwnSocket(socket: string): boolean {
  if (process.platform === 'win32') return isWindowPipe(socket);
  if (!isAbsolute(socket)) return false;
  const [found, folder] = [socket, dirname(socket)].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  return (
    found?.isSocket() === true && isOwn(found, 0) && folder?.isDirectory() === true && isOwn(folder, 0o077)
  );
}
