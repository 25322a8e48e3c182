import { createHash } from 'node:crypto';
import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../files/errno.ts';
import { isAsRemembered as isAsOurs } from './differences.ts';
import { IgnoreRules } from './ignored.ts';
import { type IndexEntry, parseIndex } from './index-file.ts';
import { isGitlink, type OwnIndex, pathOf } from './own-index.ts';

/** A checkout of more files than this is left to git, which looks at them with many threads. */
const MOST_FILES = 2_000;

/** A file whose stamps cannot tell is read, up to this many bytes. */
const MOST_BYTES = 1024 * 1024;

/**
 * True when a checkout provably is as its commit has it, with nothing untracked: the index is of the commit's tree, every
 * file carries the very stamps the index remembers (or, where it was written in the same instant, holds the very bytes), and
 * whatever else lies there is ignored. False says nothing: ask git.
 *
 * It exists because `status` looks into every worktree, and a git for each is what takes the time.
 */
export function isProvablyClean(checkout: {
  top: string;
  gitDir: string;
  commonDir: string;
  /** The id of the commit's tree. */
  tree: string;
}): boolean {
  const { top, gitDir, commonDir, tree } = checkout;
  const file = join(gitDir, 'index');
  let written: bigint;
  let bytes: Buffer;
  try {
    written = statSync(file, { bigint: true }).mtimeNs;
    bytes = readFileSync(file);
  } catch {
    return false;
  }
  const index = parseIndex(bytes, MOST_FILES);
  if (index?.tree !== tree) return false;
  try {
    return (
      index.entries.every((entry) => isAsRemembered(join(top, entry.path), entry, written)) &&
      holdsNothingElse(top, commonDir, index.entries)
    );
  } catch (error) {
    // Something moved under our eyes, or may not be read.
    if (errnoOf(error) !== undefined) return false;
    throw error;
  }
}

/**
 * {@link isProvablyClean}, where an index of ours says how the files of `commit` were when they were compared: it is believed
 * instead of the user's, which only tells that nothing is staged.
 */
export async function isProvablyAsOurs(
  checkout: { top: string; gitDir: string; commonDir: string; tree: string },
  commit: string,
  ours: OwnIndex,
): Promise<boolean> {
  const { top, gitDir, commonDir, tree } = checkout;
  if (ours.commit !== commit || ours.entries.length > MOST_FILES || ours.entries.some(isGitlink))
    return false;
  try {
    const bytes = readFileSync(join(gitDir, 'index'));
    if (parseIndex(bytes, MOST_FILES)?.tree !== tree || !(await isAsOurs(checkout, ours))) return false;
    return holdsNothingElse(
      top,
      commonDir,
      ours.entries.map(({ key }) => ({ path: pathOf(key).toString('utf8') })),
    );
  } catch (error) {
    // As above.
    if (errnoOf(error) !== undefined) return false;
    throw error;
  }
}

function isAsRemembered(path: string, entry: IndexEntry, written: bigint): boolean {
  const found = lstatSync(path, { bigint: true });
  const { size, inode, uid, gid, mtime, ctime } = entry;
  const same =
    modeOf(found) === entry.mode &&
    BigInt.asUintN(32, found.size) === BigInt(size) &&
    BigInt.asUintN(32, found.ino) === BigInt(inode) &&
    BigInt.asUintN(32, found.uid) === BigInt(uid) &&
    BigInt.asUintN(32, found.gid) === BigInt(gid) &&
    found.mtimeNs === mtime &&
    found.ctimeNs === ctime;
  if (!same) return false;
  // Written in the instant the index was: a later edit may have left the same stamps (git's "racy" entries).
  return mtime < written || holds(path, found, entry.id);
}

function holds(path: string, found: BigIntStats, id: string): boolean {
  if (found.size > MOST_BYTES) return false;
  const bytes = found.isSymbolicLink() ? readlinkSync(path, { encoding: 'buffer' }) : readFileSync(path);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === id;
}

/** The mode git would record (gitformat-index(5)): a symlink, or a file that its owner may run or not. */
function modeOf(found: BigIntStats): number {
  if (found.isSymbolicLink()) return 0o120000;
  if (!found.isFile()) return 0;
  return (found.mode & 0o100n) !== 0n ? 0o100755 : 0o100644;
}

/** True when every directory with tracked files holds only those, others with tracked files, and what is ignored. */
function holdsNothingElse(
  top: string,
  commonDir: string,
  entries: readonly Pick<IndexEntry, 'path'>[],
): boolean {
  const known = new Set<string>();
  const dirs = new Set(['']);
  for (const { path } of entries) {
    known.add(path);
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      dirs.add(path.slice(0, slash + 1));
    }
  }
  const rules = new IgnoreRules(top, commonDir);
  for (const dir of dirs) {
    for (const found of readdirSync(join(top, dir), { withFileTypes: true })) {
      const path = dir + found.name;
      if (path === '.git' || known.has(path)) continue;
      if (found.isDirectory() && dirs.has(`${path}/`)) continue;
      if (!rules.ignores(found.isDirectory() ? `${path}/` : path)) return false;
    }
  }
  return true;
}
