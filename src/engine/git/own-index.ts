import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDir } from '../files/files.ts';
import { foreignOnTheWay, madeOwnDir } from '../state/own-dir.ts';
import { isSealed, sealed } from '../state/seal.ts';
import { submodule } from './compare.ts';
import { listTree } from './ls-tree.ts';
import type { Place } from './place.ts';

/** One file of a commit, and how the file in the checkout was when it was last found to be that. */
export interface OwnEntry {
  /** Relative to the git top, one character a byte. */
  key: string;
  mode: string;
  id: string;
  /** The stamps the file had; empty while it has to be read. */
  stamp: string;
  /** It was equal only as git's conversions write it, so that it has to be read again where they change. */
  converted: boolean;
}

/** The files of one commit as one checkout has them: an index of ours, which no git, flag or filter of anyone's writes. */
export interface OwnIndex {
  commit: string;
  /** What decided how files were converted ({@link readConversions}); empty where none was. */
  conversions: string;
  entries: OwnEntry[];
}

/** A checkout, and the environment in which git works on it where its files alone do not say. */
export interface Checkout extends Pick<Place, 'top' | 'gitDir' | 'commonDir'> {
  env?: Record<string, string>;
}

const KIND = 'own-index';
const LARGEST = 512 * 1024 * 1024;

/** Of a linked checkout it goes with git's own directory for it; else it lies in a directory of ours, `own`. */
function placeOf({ gitDir, commonDir }: Checkout): { path: string; own?: string } {
  if (gitDir !== commonDir) return { path: join(gitDir, 'discern-vscode.tree') };
  const own = stateDir(commonDir);
  return { path: join(own, 'tree'), own };
}

interface Header {
  version: number;
  commit: string;
  conversions: string;
  sum: string;
}

const sumOf = (body: string) => createHash('sha256').update(body, 'latin1').digest('hex');

/**
 * Reads the index we keep of a checkout. `undefined` when there is none, and for one that is damaged, of another version, or that
 * did not come to be here: it is made anew then.
 */
export async function loadOwnIndex(checkout: Checkout): Promise<OwnIndex | undefined> {
  const { path, own } = placeOf(checkout);
  // Behind a link lies nothing of ours.
  if (own !== undefined && (await foreignOnTheWay(own)) !== undefined) return undefined;
  const text = readWhole(path);
  const line = text?.indexOf('\0') ?? -1;
  if (text === undefined || line === -1) return undefined;
  let header: Header;
  try {
    header = JSON.parse(text.slice(0, line));
  } catch {
    return undefined;
  }
  const body = text.slice(line + 1);
  if (header?.version !== 1 || header.sum !== sumOf(body)) return undefined;
  if (!(await isSealed(checkout.commonDir, KIND, header))) return undefined;
  return { commit: header.commit, conversions: header.conversions, entries: parseEntries(body) };
}

function readWhole(path: string): string | undefined {
  let file: number;
  try {
    // Neither a link nor a pipe is a file of ours.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(file);
    return found.isFile() && found.size <= LARGEST ? readFileSync(file, 'latin1') : undefined;
  } finally {
    closeSync(file);
  }
}

/** Lines of `<mode> <id> <r|c> <stamp>\t<path>`, ended by NUL. */
function parseEntries(body: string): OwnEntry[] {
  return body
    .split('\0')
    .slice(0, -1)
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', id = '', how = '', stamp = ''] = line.slice(0, tab).split(' ');
      return { key: line.slice(tab + 1), mode, id, stamp, converted: how === 'c' };
    });
}

const lineOf = ({ key, mode, id, stamp, converted }: OwnEntry) =>
  `${mode} ${id} ${converted ? 'c' : 'r'} ${stamp}\t${key}\0`;

/**
 * One look that will write the index anew. It begins before the first file is read: a file whose last change is older than
 * `began` cannot change again without another stamp, so only such a one is believed by its stamps next time.
 */
export class Writing {
  readonly #path: string;
  readonly #temporary: string;
  readonly #commonDir: string;
  /** When the look began, by the clock of the file system. */
  readonly began: bigint;

  private constructor(path: string, temporary: string, commonDir: string, began: bigint) {
    this.#path = path;
    this.#temporary = temporary;
    this.#commonDir = commonDir;
    this.began = began;
  }

  /** `undefined` where nothing may be written: then each look reads what it has to. */
  static async begin(checkout: Checkout): Promise<Writing | undefined> {
    const { path, own } = placeOf(checkout);
    const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
    try {
      if (own !== undefined) await madeOwnDir(own);
      const file = await open(temporary, 'wx');
      try {
        const { mtimeNs } = await file.stat({ bigint: true });
        return new Writing(path, temporary, checkout.commonDir, mtimeNs);
      } finally {
        await file.close();
      }
    } catch {
      // A git directory that cannot be written to, a directory of ours that is a stranger's, or a disk that is full: the answer is
      // the same, only not remembered.
      return undefined;
    }
  }

  /** Puts the index in place as a whole; of two that write at once either is true. */
  async finish({ commit, conversions, entries }: OwnIndex): Promise<void> {
    const body = entries.map(lineOf).join('');
    try {
      const header = await sealed(this.#commonDir, KIND, {
        version: 1,
        commit,
        conversions,
        sum: sumOf(body),
      });
      const file = await open(this.#temporary, 'w');
      try {
        await file.writeFile(`${header}\0${body}`, 'latin1');
      } finally {
        await file.close();
      }
      await rename(this.#temporary, this.#path);
    } catch {
      // As above: what is not remembered is read again.
      await rm(this.#temporary, { force: true });
    }
  }

  async abandon(): Promise<void> {
    await rm(this.#temporary, { force: true });
  }
}

/** The files of a commit, as the commit has them, with what `known` remembers of those that are the same there. */
export async function entriesOf(
  { top, env }: Checkout,
  commit: string,
  known: readonly OwnEntry[] = [],
  signal?: AbortSignal,
): Promise<OwnEntry[]> {
  const listed = await listTree(top, commit, { env, signal });
  const before = new Map(known.map((entry) => [entry.key, entry]));
  return listed.map(({ mode, id, path }) => {
    const key = path.toString('latin1');
    const same = before.get(key);
    return same?.mode === mode && same.id === id ? same : { key, mode, id, stamp: '', converted: false };
  });
}

/** The bytes of a path, as the file system takes them. */
export const pathOf = (key: string): Buffer => Buffer.from(key, 'latin1');

/** Whether an entry names a commit of another repository. */
export const isGitlink = ({ mode }: Pick<OwnEntry, 'mode'>) => mode === submodule;
