import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';
import { type OwnEntry, pathOf } from './own-index.ts';
import type { Abilities } from './truth.ts';

/** How much is read before others get their turn, in bytes. */
const CHUNK = 1024 * 1024;

/** How a file of a checkout is, next to what the commit has. */
export interface Found {
  /** `unlike`: a file of the right kind with other bytes, which a conversion may explain. */
  state: 'same' | 'unlike' | 'changed' | 'absent';
  stamp: string;
  /** The time of its last change, in nanoseconds since 1970. */
  changedAt: bigint;
}

const absent: Found = { state: 'absent', stamp: '', changedAt: 0n };

const stampOf = ({ size, ino, mtimeNs, ctimeNs }: BigIntStats) => `${size}.${ino}.${mtimeNs}.${ctimeNs}`;

/** Looks at the files of one checkout, each once. */
export class Contents {
  readonly #top: string;
  readonly #can: Abilities;
  readonly #directories = new Map<string, boolean>();

  constructor(top: string, can: Abilities) {
    this.#top = top;
    this.#can = can;
  }

  /** A path of the checkout; text where it is ASCII, which is most of the time and faster. */
  at(key: string): string | Buffer {
    const path = `${this.#top}/${key}`;
    return /[^\0-\x7f]/.test(key) ? Buffer.concat([Buffer.from(`${this.#top}/`), pathOf(key)]) : path;
  }

  /** The stamps of what stands at a path and below real directories only; `undefined` when nothing does. */
  look(key: string): { stamp: string; stats: BigIntStats } | undefined {
    if (!this.#hasDirectory(key)) return undefined;
    const stats = lstat(this.at(key));
    return stats && { stamp: stampOf(stats), stats };
  }

  /** Behind a link lies another directory than the commit's. */
  #hasDirectory(key: string): boolean {
    const slash = key.lastIndexOf('/');
    if (slash === -1) return true;
    const directory = key.slice(0, slash);
    let real = this.#directories.get(directory);
    if (real === undefined) {
      real = this.#hasDirectory(directory) && lstat(this.at(directory))?.isDirectory() === true;
      this.#directories.set(directory, real);
    }
    return real;
  }

  /** Reads a file and compares it, byte by byte as it is, with what the commit has. */
  async read(entry: OwnEntry, signal?: AbortSignal): Promise<Found> {
    const seen = this.look(entry.key);
    if (!seen || seen.stats.isDirectory()) return absent;
    const { stats, stamp } = seen;
    const found = (state: Found['state']): Found => ({ state, stamp, changedAt: stats.ctimeNs });
    const path = this.at(entry.key);
    if (entry.mode === '120000') {
      if (stats.isSymbolicLink()) {
        const target = readlinkSync(path, { encoding: 'buffer' });
        return found(hashOf(entry.id, target) === entry.id ? 'same' : 'changed');
      }
      if (this.#can.symlinks) return found('changed');
    }
    if (!stats.isFile()) return found('changed');
    const runs = (stats.mode & 0o100n) !== 0n;
    const mode = entry.mode === '120000' || !this.#can.modes || runs === (entry.mode === '100755');
    if (!mode) return found('changed');
    const id = await hashOfFile(path, stats.size, entry.id, signal);
    if (id === entry.id) {
      // What was written while it was read has other stamps by now.
      const after = this.look(entry.key);
      return { ...found('same'), ...(after?.stamp !== stamp && { stamp: '' }) };
    }
    return found(entry.mode === '120000' ? 'changed' : 'unlike');
  }
}

function lstat(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOTDIR' || code === 'ENOENT') return undefined;
    throw error;
  }
}

const hasher = (id: string) => createHash(id.length === 64 ? 'sha256' : 'sha1');

const hashOf = (id: string, bytes: Buffer) =>
  hasher(id).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** The id git would give a file's bytes; empty for one that cannot be read. */
async function hashOfFile(
  path: string | Buffer,
  size: bigint,
  like: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    // Not to be read, or gone this instant: it is not what the commit has.
    return '';
  }
  try {
    const hash = hasher(like).update(`blob ${size}\0`);
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, Number(size) + 1));
    for (let all = 0; ; ) {
      const read = readSync(file, chunk);
      if (read === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, read));
      all += read;
      // One that grows while it is read is another.
      if (all > size) return '';
      if (read === CHUNK) {
        await turn();
        if (signal?.aborted) throw new Refusal('cancelled', 'The call was cancelled.');
      }
    }
  } finally {
    closeSync(file);
  }
}
