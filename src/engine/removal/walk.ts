import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { mountsWithin } from '../files/mounts.ts';
import { pathText } from '../git/core.ts';

/** A repository, or a checkout of one, that a walk came by. */
export interface Inner {
  /** Its git directory; `undefined` where its `.git` file names none that is there. */
  gitDir?: string;
  /** Its work tree; absent in a bare one. */
  workTree?: string;
  /** What its `.git` file says, where it has one. */
  named?: string;
}

export interface Inside {
  inner: Inner[];
  /** Mount points at or below the directory. The walk stays out of them. */
  mounts: string[];
}

/** How many directories are read at once: the disk is asked in parallel, and other calls get their turn. */
const AT_ONCE = 8;

/** Of a repository only these lead nowhere: objects and refs are git's own. */
const INSIDE_GIT = new Set(['objects', 'refs', 'logs', 'hooks', 'info', 'lfs', 'rr-cache']);

/**
 * Every repository and mount below a directory, ignored directories included: what a recursive deletion would come by. Follows
 * no symlink and enters no mount. It reads each directory once, which is less than the deletion that follows will do.
 */
export async function findInside(directory: string): Promise<Inside> {
  const points = await mountsWithin(directory);
  const found: Inside = { inner: [], mounts: points.map(pathText) };
  if (points.some((point) => point.toString('utf8') === directory)) return found;
  const barred = new Set(points.map((point) => point.toString('latin1')));
  const device = process.platform === 'linux' ? undefined : (await lstat(directory)).dev;
  const open: Place[] = [{ path: Buffer.from(directory), top: true, git: false }];
  let running = 0;
  await new Promise<void>((done, failed) => {
    const next = (): void => {
      if (running === 0 && open.length === 0) done();
      while (running < AT_ONCE) {
        const place = open.pop();
        if (!place) return;
        running++;
        look(place).then(() => {
          running--;
          next();
        }, failed);
      }
    };
    next();
  });
  return found;

  async function look({ path, top, git }: Place): Promise<void> {
    const entries = await readdir(path, { withFileTypes: true, encoding: 'buffer' }).catch(unlessGone);
    const inGit = git || (!top && isGitDirectory(entries));
    if (inGit && !git) found.inner.push({ gitDir: path.toString('utf8') });
    for (const entry of entries) {
      const below = Buffer.concat([path, Buffer.from('/'), entry.name]);
      const name = entry.name.toString('latin1');
      if (name === '.git' && !inGit) {
        if (!top) await meet(path, below, entry);
      } else if (entry.isDirectory() && !barred.has(below.toString('latin1'))) {
        if (inGit && INSIDE_GIT.has(name)) continue;
        if (device !== undefined && (await lstat(below)).dev !== device) found.mounts.push(pathText(below));
        // A repository in the `modules` of another is one of its own.
        else open.push({ path: below, top: false, git: false });
      }
    }
  }

  async function meet(workTree: Buffer, own: Buffer, entry: Dirent<Buffer>): Promise<void> {
    const inner: Inner = { workTree: workTree.toString('utf8') };
    if (entry.isDirectory()) {
      inner.gitDir = own.toString('utf8');
      open.push({ path: own, top: false, git: true });
    } else {
      const named = entry.isSymbolicLink() ? own.toString('utf8') : await namedIn(own, inner.workTree ?? '');
      if (named === undefined) return;
      inner.named = named;
      const real = await realpath(named).catch(() => undefined);
      if (real !== undefined) inner.gitDir = real;
    }
    found.inner.push(inner);
  }
}

interface Place {
  path: Buffer;
  top: boolean;
  /** Known to be a git directory. */
  git: boolean;
}

/** What makes a directory one of git's (gitrepository-layout(5)): the very test git makes. */
function isGitDirectory(entries: readonly Dirent<Buffer>[]): boolean {
  const has = (name: string, directory: boolean) =>
    entries.some(
      (entry) =>
        entry.name.toString('latin1') === name &&
        (entry.isSymbolicLink() || entry.isDirectory() === directory),
    );
  return has('HEAD', false) && has('objects', true) && has('refs', true);
}

/** Where a `.git` file leads; `undefined` for a file that is no such thing. */
async function namedIn(file: Buffer, workTree: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const named = /^gitdir: (.+?)\r?\n?$/s.exec(text)?.[1];
  return named === undefined ? undefined : resolve(workTree, named);
}

/** A directory that goes while it is looked at holds nothing any more. One that may not be read keeps its secret, and rejects. */
function unlessGone(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}
