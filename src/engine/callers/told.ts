import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isObject } from '../../contract/values.ts';
import { stateDir } from '../user/state-dir.ts';

/**
 * What a hook of ours told about where a session stands: one private file a session, written by `discern hook`, read by the
 * server. Both may be of different versions, so unknown fields are ignored and another `version` says nothing.
 */
export interface Told {
  version: 1;
  /** The client, as the server names it: `claude`, `copilot`, … */
  client: string;
  /** The session, by the client's own id. */
  session: string;
  /** Absolute. */
  cwd: string;
  /** The hook event that told. */
  event: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** The client itself declared a move into a worktree; else `cwd` is its shell's directory. */
  declared?: true;
  /** The version of the discern whose hook told. */
  by?: string;
}

/** What a version may look like; anything else in its place is no version. */
const versionForm = /^[0-9A-Za-z.+-]{1,40}$/;

/** Far more than a path and an id need. */
const MOST_BYTES = 16 * 1024;

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 30 * DAY_MS;

/** How many files one writer looks at for their age. */
const MOST_LOOKED_AT = 64;

const clientName = /^[a-z][a-z0-9-]{0,31}$/;
const ours = /^[a-z][a-z0-9-]{0,31}-[0-9a-f]{32}\.json(?:\.[0-9a-z]+\.tmp)?$/;

/** Where the files lie; nothing where this user has no home. */
export function callersDir(env: NodeJS.ProcessEnv): string | undefined {
  const state = stateDir(env);
  return state && join(state, 'callers');
}

/** The file of a session. Its id is the client's: it may hold anything, so only its digest becomes a name. */
function fileOf(client: string, session: string): string {
  const digest = createHash('sha256').update(session).digest('hex').slice(0, 32);
  return `${client}-${digest}.json`;
}

/**
 * Writes down where a session stands, atomically, for the user alone. Rejects what could not be read back and what cannot be
 * written; the caller decides what that means. The first word of a session also takes away what is 30 days old.
 */
export async function tell(
  env: NodeJS.ProcessEnv,
  told: Pick<Told, 'client' | 'session' | 'cwd' | 'event' | 'declared' | 'by'> & { at?: number },
): Promise<void> {
  const dir = callersDir(env);
  if (dir === undefined) throw new Error('This user has no home to keep a state folder in.');
  const { client, session, cwd, event, declared, by, at = Date.now() } = told;
  const record: Told = {
    version: 1,
    client,
    session,
    cwd,
    event,
    at,
    ...(declared ? { declared } : {}),
    ...(by === undefined ? {} : { by }),
  };
  const text = JSON.stringify(record);
  if (!isTold(record) || Buffer.byteLength(text) > MOST_BYTES) throw new Error('Not a record of a caller.');
  openFolder(dir);
  const path = join(dir, fileOf(client, session));
  const known = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const temporary = `${path}.${process.pid.toString(36)}${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (!known) forgetOld(dir);
}

/** The folder, for the user alone whatever the umask and whoever made its parents. */
function openFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32' && (statSync(dir).mode & 0o077) !== 0) chmodSync(dir, 0o700);
}

/**
 * Removes files of ours that are 30 days old. It looks at so many only, from anywhere on: with each new session another part
 * of a large folder has its turn.
 */
function forgetOld(dir: string): void {
  const names = readdirSync(dir).filter((name) => ours.test(name));
  const from = names.length > MOST_LOOKED_AT ? Math.floor(Math.random() * names.length) : 0;
  const now = Date.now();
  for (const name of [...names.slice(from), ...names.slice(0, from)].slice(0, MOST_LOOKED_AT)) {
    const path = join(dir, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() && now - found.mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}

/** Forgets a session that has ended. A file that cannot be removed rejects. */
export async function forget(env: NodeJS.ProcessEnv, client: string, session: string): Promise<void> {
  const dir = callersDir(env);
  if (dir === undefined || !clientName.test(client)) return;
  rmSync(join(dir, fileOf(client, session)), { force: true });
}

/**
 * What a hook told of a session; nothing when none did, or when what is there is half-written, too large, no plain file,
 * somebody else's, of another version or of another session. Never rejects: a word that cannot be read is no word.
 */
export async function told(
  env: NodeJS.ProcessEnv,
  client: string,
  session: string,
): Promise<Told | undefined> {
  const record = recordOf(env, client, session);
  return isTold(record) && record.client === client && record.session === session ? pick(record) : undefined;
}

/**
 * Which discern's hook told of a session: its version where it said one, and whether the form of its word is ours. `undefined` where
 * no hook told.
 */
export function toldBy(
  env: NodeJS.ProcessEnv,
  client: string,
  session: string,
): { by: string | undefined; known: boolean } | undefined {
  const record = recordOf(env, client, session);
  if (!isObject(record)) return undefined;
  const { version, by } = record;
  if (typeof version !== 'number') return undefined;
  return { by: typeof by === 'string' && versionForm.test(by) ? by : undefined, known: isTold(record) };
}

function recordOf(env: NodeJS.ProcessEnv, client: string, session: string): unknown {
  const dir = callersDir(env);
  if (dir === undefined || !clientName.test(client)) return undefined;
  try {
    const text = readOwn(join(dir, fileOf(client, session)));
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Absent, half-written or nobody's to read: no word.
    return undefined;
  }
}

/** The content of a small plain file that this user owns. Opening waits for nobody and follows no link. */
function readOwn(path: string): string | undefined {
  // Windows has neither flag; there only `lstat` can tell.
  if (!lstatSync(path).isFile()) return undefined;
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = openSync(path, flags);
  try {
    const { size, uid } = fstatSync(file);
    if (size > MOST_BYTES || (process.getuid && uid !== process.getuid())) return undefined;
    const bytes = Buffer.alloc(MOST_BYTES + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return length > MOST_BYTES ? undefined : bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}

function pick({ version, client, session, cwd, event, at, declared, by }: Told): Told {
  const named = typeof by === 'string' && versionForm.test(by) ? { by } : {};
  return {
    version,
    client,
    session,
    cwd,
    event,
    at,
    ...(declared === true ? { declared } : {}),
    ...named,
  };
}

function isTold(value: unknown): value is Told {
  const one = (value ?? {}) as Partial<Told>;
  return (
    one.version === 1 &&
    typeof one.client === 'string' &&
    clientName.test(one.client) &&
    isText(one.session) &&
    isText(one.cwd) &&
    isAbsolute(one.cwd) &&
    isText(one.event) &&
    typeof one.at === 'number' &&
    Number.isFinite(one.at)
  );
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0');
