import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';
import { placeAt } from '../files/files.ts';

/** What our directory in a repository's git directory is called. */
const OURS = 'discern-vscode';

/** The directories from our own one in a git directory down to `dir`, outermost first. */
function chainTo(dir: string): string[] {
  const chain: string[] = [];
  for (let at = dir; ; at = dirname(at)) {
    chain.unshift(at);
    if (basename(at) === OURS) return chain;
    if (dirname(at) === at) throw new Error(`${dir} does not lie in a directory of discern's`);
  }
}

/** The directories we make in our own one. */
const OWN = [
  '',
  ...['locks', 'proofs', 'proofs/latest', 'runs', 'standards', 'removals', 'resources', 'kept'],
  ...['receipts', 'receipts/artifacts', 'own-checkouts', 'parked'],
];

/** The paths of those of our directories that are there and are none, such as a link; only the first where it is all of them. */
export async function foreignOwnDirs(ours: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of OWN) {
    const path = name === '' ? ours : join(ours, name);
    const place = placeAt(path);
    if (!place || place.isDirectory()) continue;
    found.push(path);
    // What lies behind it is not ours to judge.
    if (name === '') break;
  }
  return found;
}

/** What to do about something that lies where a file or directory of ours would, and that no discern has put there. */
export const foreign = (path: string, what: string) => new Foreign(path, what);

/** Refuses `untrusted` about one path. */
export class Foreign extends Refusal {
  readonly path: string;

  constructor(path: string, what: string) {
    super(
      'untrusted',
      `${path} ${what}, so discern did not put it there: look at it, move it away, then call again.`,
    );
    this.path = path;
  }
}

/**
 * Makes a directory in our own one, and never through a link: what a repository came with must not aim what we write or delete
 * elsewhere. Refuses `untrusted`, naming what is in the way.
 */
export async function madeOwnDir(dir: string): Promise<void> {
  for (const at of chainTo(dir)) {
    // Looked at first: it is there but for once.
    if (placeAt(at) === undefined) makeUnlessThere(at);
    if (!placeAt(at)?.isDirectory()) throw foreign(at, 'is not a directory');
  }
}

function makeUnlessThere(dir: string): void {
  try {
    mkdirSync(dir);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** The first directory on the way to `dir` that is there and is none of ours, such as a link; `undefined` where all is well. */
export async function foreignOnTheWay(dir: string): Promise<string | undefined> {
  for (const at of chainTo(dir)) {
    const found = placeAt(at);
    if (!found) return undefined;
    if (!found.isDirectory()) return at;
  }
  return undefined;
}
