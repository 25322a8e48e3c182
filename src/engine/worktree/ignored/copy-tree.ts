import type { Stats } from 'node:fs';
import {
  chmod,
  constants,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  symlink,
  utimes,
} from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { errnoOf } from '../../files/errno.ts';
import { mountsWithin } from '../../files/mounts.ts';
import { stampOf } from '../leave-rest.ts';
import { isSecretName } from './choose.ts';

/** What copying came to, told up while it goes on. */
export interface Tally {
  files: number;
  bytes: number;
  /** True once the file system shared blocks instead of copying them; `undefined` before the first file. */
  shared: boolean | undefined;
  /** Files and links that name the checkout they were copied from, by their path there. */
  pointing: number;
  pointingAt: string | undefined;
  /** What was left out inside, each with why. */
  left: string[];
}

export const newTally = (): Tally => ({
  files: 0,
  bytes: 0,
  shared: undefined,
  pointing: 0,
  pointingAt: undefined,
  left: [],
});

export interface CopyOptions {
  /** The checkout that is copied from: a path to it inside a copy is told. */
  source: string;
  tally: Tally;
  /** Gets what each copy is, by its path. */
  stamps: Map<string, string>;
  signal: AbortSignal;
  /** Called now and then. */
  onFile: () => void;
}

/** How many directories are copied at once. */
const AT_ONCE = 8;

/** Files larger than this are not looked into for paths. */
const MOST_LOOKED_INTO = 64 * 1024;

const slash = Buffer.from('/');

/**
 * Copies a file, a symlink or a directory with all in it to a path where nothing is. Blocks are shared where the file system can; modes
 * and times of files stay, since build tools go by them. Symlinks stay links and are never followed; what is mounted inside, linked
 * checkouts, env files and what is no file are left out. Rejects on the first thing that cannot be copied, or when `signal` aborts.
 */
export async function copyTree(from: string, to: string, options: CopyOptions): Promise<void> {
  const found = await lstat(from);
  const { tally } = options;
  if (!found.isDirectory()) {
    await copyOne(Buffer.from(from), Buffer.from(to), found, options);
    return;
  }
  const barred = new Set((await mountsWithin(from)).map((point) => point.toString('latin1')));
  if (barred.has(Buffer.from(from).toString('latin1'))) {
    throw Object.assign(new Error('something is mounted there'), { code: 'EXDEV' });
  }
  const open = [{ from: Buffer.from(from), to: Buffer.from(to), mode: found.mode }];
  while (open.length > 0) {
    const settled = await Promise.allSettled(open.splice(-AT_ONCE).map(directory));
    // All have settled, so nothing writes there any more.
    const failure = settled.find((one) => one.status === 'rejected');
    if (failure) throw failure.reason;
  }

  async function directory(place: { from: Buffer; to: Buffer; mode: number }): Promise<void> {
    const entries = await readdir(place.from, { withFileTypes: true, encoding: 'buffer' });
    if (entries.some((entry) => entry.name.toString() === '.git' && !entry.isDirectory())) {
      tally.left.push(`${place.from} (a checkout of a repository)`);
      return;
    }
    await mkdir(place.to);
    for (const { name } of entries) {
      options.signal.throwIfAborted();
      const source = Buffer.concat([place.from, slash, name]);
      const target = Buffer.concat([place.to, slash, name]);
      const one = await lstat(source).catch(unlessGone);
      if (!one) continue;
      if (isSecretName(name.toString())) tally.left.push(`${source} (an env file)`);
      else if (!one.isDirectory()) await copyOne(source, target, one, options);
      else if (barred.has(source.toString('latin1')) || one.dev !== found.dev) {
        tally.left.push(`${source} (something is mounted there)`);
      } else open.push({ from: source, to: target, mode: one.mode });
    }
    // Whoever made it must be able to remove it again.
    await chmod(place.to, (place.mode & 0o777) | 0o700);
  }
}

async function copyOne(from: Buffer, to: Buffer, found: Stats, options: CopyOptions): Promise<void> {
  const { tally, source } = options;
  if (found.isSymbolicLink()) {
    const target = await readlink(from, { encoding: 'buffer' });
    await symlink(target, to);
    await stamp(to, options);
    tally.files++;
    if (names(target, source)) point(from, options);
    return;
  }
  if (!found.isFile()) {
    tally.left.push(`${from} (no file)`);
    return;
  }
  try {
    await copyBytes(from, to, tally);
  } catch (error) {
    // It went while its directory was copied, as caches' files do.
    if (errnoOf(error) === 'ENOENT' && (await lstat(from).catch(unlessGone)) === undefined) return;
    throw error;
  }
  await utimes(to, found.atimeMs / 1000, found.mtimeMs / 1000);
  await stamp(to, options);
  tally.files++;
  tally.bytes += found.size;
  if (found.size <= MOST_LOOKED_INTO && mayName(from.toString()) && names(await readFile(to), source)) {
    point(from, options);
  }
  options.onFile();
}

async function stamp(copy: Buffer, { stamps }: CopyOptions): Promise<void> {
  const path = copy.toString();
  const was = await stampOf(path);
  if (was !== undefined) stamps.set(path, was);
}

const { COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE } = constants;

async function copyBytes(from: Buffer, to: Buffer, tally: Tally): Promise<void> {
  if (tally.shared === undefined) {
    // The first file tells which it is: what falls back by itself does not say so.
    try {
      await copyFile(from, to, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
      tally.shared = true;
      return;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'EEXIST') throw error;
      tally.shared = false;
    }
  }
  await copyFile(from, to, COPYFILE_EXCL | COPYFILE_FICLONE);
}

function point(from: Buffer, { tally }: CopyOptions): void {
  tally.pointing++;
  tally.pointingAt ??= from.toString();
}

/** Files in which tools write absolute paths: scripts of virtual environments and packages, and what build tools keep. */
function mayName(path: string): boolean {
  const dir = basename(dirname(path));
  return (
    dir === 'bin' ||
    dir === '.bin' ||
    dir === 'Scripts' ||
    /^(pyvenv\.cfg|CMakeCache\.txt|build\.ninja|direct_url\.json|.+\.(pth|egg-link|cmake|d))$/.test(
      basename(path),
    )
  );
}

/** True when bytes hold a path, or one below it: not one that only begins like it. */
function names(bytes: Buffer, path: string): boolean {
  for (let at = bytes.indexOf(path); at !== -1; at = bytes.indexOf(path, at + 1)) {
    const after = bytes[at + Buffer.byteLength(path)];
    if (after === undefined || !/[\w.-]/.test(String.fromCharCode(after))) return true;
  }
  return false;
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
