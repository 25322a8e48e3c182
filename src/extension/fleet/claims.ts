import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** How long what one window told is not told again, by it or another one. Milliseconds. */
const QUIET_MS = 60_000;
/** When a claim is of no use any more. Milliseconds. */
const OLD_MS = 24 * 60 * 60 * 1000;

/**
 * Which window tells of something: the first that claims it, by a file that only one of them can make. `dir` is shared by all windows of
 * this user.
 */
export class Claims {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** True for the one window that may tell of `key` now. */
  async take(key: string, now = Date.now()): Promise<boolean> {
    await mkdir(this.#dir, { recursive: true });
    const file = join(this.#dir, createHash('sha256').update(key).digest('hex').slice(0, 32));
    const age = await ageOf(file, now);
    if (age !== undefined && age < QUIET_MS) return false;
    if (age !== undefined) await rm(file, { force: true });
    try {
      await (await open(file, 'wx')).close();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  /** Removes claims that are of no use any more. */
  async tidy(now = Date.now()): Promise<void> {
    await mkdir(this.#dir, { recursive: true });
    for (const name of await readdir(this.#dir)) {
      const file = join(this.#dir, name);
      if (((await ageOf(file, now)) ?? 0) > OLD_MS) await rm(file, { force: true });
    }
  }
}

async function ageOf(file: string, now: number): Promise<number | undefined> {
  try {
    return now - (await stat(file)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
