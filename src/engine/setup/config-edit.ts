import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { decodeUtf8 } from '../config/decode.ts';
import { orWhenAbsent } from '../files/files.ts';
import type { Edited } from './json-edit.ts';

const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Edits one of the user's files: whole or not at all, with its mode, through a link to where it really lies. Resolves with whether
 * anything changed. Refuses `unavailable` what is no text we can read, what `edit` refuses, a file its owner made read-only, and one
 * that changed meanwhile. With `check` it refuses the same and writes nothing.
 */
export async function editConfig(
  path: string,
  edit: (text: string) => Edited,
  check = false,
): Promise<boolean> {
  const file = await realpath(path).catch(orWhenAbsent(path));
  const found = await stat(file).catch(orWhenAbsent(undefined));
  if (found && !found.isFile()) throw refusal(`${path} is not a regular file`);
  if (found && found.size > MOST_BYTES) throw refusal(`${path} has ${found.size} bytes, too many to edit`);
  const bytes = found ? await readFile(file) : Buffer.alloc(0);
  const decoded = decodeUtf8(bytes);
  if ('problem' in decoded) throw refusal(`${path}: ${decoded.problem.message}`);
  const edited = edit(decoded.text);
  if ('problem' in edited) throw refusal(`${path} ${edited.problem}`);
  if (edited.text === decoded.text) return false;
  // A rename asks the folder alone, so nobody else would refuse this.
  if (found && (found.mode & 0o200) === 0) throw refusal(`${path} is read-only`);
  if (check) return true;
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(edited.text);
      await handle.chmod(found ? found.mode & 0o7777 : 0o600);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const now = await readFile(file).catch(orWhenAbsent(Buffer.alloc(0)));
    if (!now.equals(bytes)) throw refusal(`${path} was changed by somebody else just now`);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return true;
}

const refusal = (what: string) =>
  new Refusal(
    'unavailable',
    `${what}: nothing was written. "--print-config" shows what to put there by hand.`,
  );
