import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readBounded } from '../files/bounded-file.ts';
import { placeSeen, writeNewFile } from '../files/files.ts';

/** What our directories are called. */
const OURS = 'discern-vscode';

const KEY = /^[0-9a-f]{64}\n$/;

/** The user's own directories for state, the first that can be written to: outside of every repository. */
function keyDirs(): string[] {
  const { env, platform } = process;
  const home = homedir();
  const own =
    platform === 'win32'
      ? (env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'))
      : platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : env.XDG_STATE_HOME?.startsWith('/')
          ? env.XDG_STATE_HOME
          : join(home, '.local', 'state');
  // Where a sandbox keeps the home directory from being written to.
  return [join(own, OURS), join(tmpdir(), `discern-vscode-${process.getuid?.() ?? 'user'}`)];
}

const isOwn = (uid: number) => process.getuid === undefined || process.getuid() === uid;

async function readKey(dir: string): Promise<string | undefined> {
  const place = placeSeen(dir);
  if (!place?.isDirectory() || !isOwn(place.uid)) return undefined;
  const found = placeSeen(join(dir, 'key'));
  if (!found?.isFile() || !isOwn(found.uid)) return undefined;
  const read = await readBounded(join(dir, 'key'), 128);
  return read && 'text' in read && KEY.test(read.text) ? read.text : undefined;
}

/** The user's own directory for what belongs to no repository: the one that has the key. Called `discern-vscode` like our other ones. */
export async function ownStateDir(): Promise<string> {
  const { dir } = await keyToSealWith();
  return basename(dir) === OURS ? dir : join(dir, OURS);
}

async function keyToSealWith(): Promise<{ dir: string; key: string }> {
  let failure: unknown;
  for (const dir of keyDirs()) {
    const known = await readKey(dir);
    if (known !== undefined) return { dir, key: known };
    try {
      await writeNewFile(join(dir, 'key'), `${randomBytes(32).toString('hex')}\n`, dir, 0o600);
    } catch (error) {
      // Another process may have made it in the same instant.
      failure = error;
    }
    const made = await readKey(dir);
    if (made !== undefined) return { dir, key: made };
  }
  throw new Error(
    `No key to mark what discern writes down can be kept in ${keyDirs().join(' or ')} (${failure}): make one of them writable.`,
  );
}

const mac = (key: string, kind: string, text: string) =>
  createHmac('sha256', key).update(`${kind}\n${text}`).digest();

/** A digest of a text that only this user can make, so that what it was cannot be guessed from it. */
export async function keyedDigest(text: string): Promise<string> {
  return mac((await keyToSealWith()).key, 'digest', text).toString('hex');
}

interface At {
  path: string;
  ino: string;
}

async function whereIs(commonDir: string): Promise<At> {
  const path = realpathSync.native(commonDir);
  return { path, ino: String(lstatSync(path, { bigint: true }).ino) };
}

/**
 * A record of ours as it is written: with the place of its repository, and a seal over both that only this user's key makes.
 * So a record that came with a repository, by whatever way, is told from one that was written here.
 */
export async function sealed(commonDir: string, kind: string, record: object): Promise<string> {
  const content = { ...record, at: await whereIs(commonDir) };
  const seal = mac((await keyToSealWith()).key, kind, JSON.stringify(content)).toString('hex');
  return `${JSON.stringify({ ...content, seal }, null, 2)}\n`;
}

/** Whether a record was sealed by this user, for this repository: at this path, or moved here as a whole. */
export async function isSealed(commonDir: string, kind: string, record: object): Promise<boolean> {
  const { seal, ...content } = record as { seal?: unknown; at?: Partial<At> };
  if (typeof seal !== 'string' || !/^[0-9a-f]{64}$/.test(seal)) return false;
  const { path, ino } = await whereIs(commonDir);
  if (content.at?.path !== path && content.at?.ino !== ino) return false;
  return fits(kind, JSON.stringify(content), seal);
}

/** Keys that were read once: they stay this user's, and looking at a hundred records need not read them a hundred times. */
const known = new Set<string>();

async function fits(kind: string, text: string, seal: string): Promise<boolean> {
  const given = Buffer.from(seal, 'hex');
  const does = (key: string) => timingSafeEqual(mac(key, kind, text), given);
  for (const key of known) if (does(key)) return true;
  for (const dir of keyDirs()) {
    const key = await readKey(dir);
    if (key === undefined) continue;
    // Another look may have made it known while this one read it: it is tried all the same.
    known.add(key);
    if (does(key)) return true;
  }
  return false;
}

/** A line of a file of ours that only grows: sealed by itself, for this repository. */
export async function sealedLine(commonDir: string, kind: string, record: object): Promise<string> {
  return JSON.stringify(JSON.parse(await sealed(commonDir, kind, record)));
}
