import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf } from './errno.ts';

/** Our own directory under the git common dir: proofs, locks, run output, journals (contract §6). */
export const stateDir = (commonDir: string) => join(commonDir, 'discern-vscode');

export const exists = async (path: string): Promise<boolean> => existsSync(path);

/** What stands at a path, a link as such; `undefined` where nothing does. Throws where that cannot be told. */
export const placeAt = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

/** {@link placeAt}, for whom what cannot be looked at is not there. */
export function placeSeen(path: string): Stats | undefined {
  try {
    return placeAt(path);
  } catch {
    return undefined;
  }
}

/** The names in a directory; none where there is none, or none that may be read. */
export const namesIn = (dir: string): Promise<string[]> => readdir(dir).catch(() => []);

/** For what stands in a file or directory that need not be there: one that is there and cannot be read still rejects. */
export const orWhenAbsent =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return value;
    throw error;
  };

const onDisk = promisify(fsync);

/** Writes a file nobody has yet, and waits until the disk has it. */
async function writeWhole(path: string, content: string, mode = 0o666): Promise<void> {
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, content);
    await onDisk(file);
  } finally {
    closeSync(file);
  }
}

/** Writes a file so that a reader, or a crash, sees the old content or the new, never a part. */
export async function writeFileAtomic(path: string, content: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeWhole(temporary, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Writes a new file so that it is there whole or not at all, and never in place of another. `aside` is a directory of ours for
 * what is not whole yet. Rejects with EEXIST where there is a file of that name.
 */
export async function writeNewFile(
  path: string,
  content: string,
  aside: string,
  mode = 0o666,
): Promise<void> {
  mkdirSync(aside, { recursive: true });
  const temporary = join(aside, `${basename(path)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
  try {
    await writeWhole(temporary, content, mode);
    await putNew(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** How a file system says that it has no hard links, or none to another one. */
const unlinkable = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV']);

/** Puts a whole file at a name nobody has, or rejects with EEXIST; by copy where no hard link can be. */
export async function putNew(file: string, name: string): Promise<void> {
  try {
    linkSync(file, name);
  } catch (error) {
    const code = errnoOf(error);
    if (!unlinkable.has(code ?? '')) throw error;
    await copyFile(file, name, constants.COPYFILE_EXCL);
  }
}
