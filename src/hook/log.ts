import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../contract/values.ts';
import { stateDir } from '../engine/user/state-dir.ts';

/** Beyond this the log begins anew; the one before it is kept as `hook.log.1`. */
const MOST_BYTES = 256 * 1024;

/** Adds one line to our log; where it cannot be written, to stderr, which clients keep for whoever looks. Never throws. */
export function log(env: NodeJS.ProcessEnv, what: string, error: unknown): void {
  const why = messageOf(error);
  const line = `${new Date().toISOString()} ${plain(what)}: ${plain(why)}\n`;
  try {
    const dir = stateDir(env);
    if (dir === undefined) throw new Error('This user has no home to keep a state folder in.');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const file = join(dir, 'hook.log');
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) renameSync(file, `${file}.1`);
    appendFileSync(file, line, { mode: 0o600 });
  } catch (unwritable) {
    process.stderr.write(
      `discern hook: ${line}discern hook: no log could be written: ${String(unwritable)}\n`,
    );
  }
}

/** One line, whatever a client or a file name put into it. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�').slice(0, 500);
