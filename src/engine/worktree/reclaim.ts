import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { exists, namesIn } from '../files/files.ts';
import { type Repository, rootIn } from '../repository/repository.ts';
import { traceOf } from './home-link.ts';
import { gitDirOf, namesOf } from './identity.ts';
import { type Ledger, listLedgers } from './ledger.ts';
import { homeCheckout, worktreesDir } from './place.ts';
import { destroyResources, type Teardown, type TeardownPlace } from './resources.ts';

/** Resources whose worktree is no more. */
export interface Vanished {
  /** Those that may be destroyed without being named, last first. */
  ledgers: Ledger[];
  /** Files that say what some worktree has, and cannot be read. */
  unreadable: string[];
}

/**
 * Finds the resources of worktrees that vanished without being dropped. A worktree is there while git knows it and its
 * directory is in place, has been moved away by a removal or by hand, or is locked, which is how git is told of a disk that
 * may be absent (git-worktree(1)). `prunable = false` keeps a resource out of this. Runs nothing.
 */
export async function findVanished(repo: Repository): Promise<Vanished> {
  const { ledgers, unreadable } = await vanishedLedgers(repo);
  return { ledgers: ledgers.filter(({ resources }) => resources.some(({ gc }) => gc)), unreadable };
}

/** What a worktree that vanished has left, found by its id or path; whoever names it may destroy what has `prunable = false` too. */
export async function findVanishedBy(repo: Repository, name: string): Promise<Ledger | undefined> {
  const { ledgers } = await vanishedLedgers(repo);
  return ledgers.find(({ id, path }) => name === id || name === path || name === rootIn(repo, path));
}

async function vanishedLedgers(repo: Repository): Promise<Vanished> {
  // Read before git's own list: a worktree that is made in between is in neither.
  const { ledgers, unreadable } = await listLedgers(repo.commonDir);
  const found: Vanished = { ledgers: [], unreadable };
  if (ledgers.length === 0) return found;
  const known = await adminDirs(repo.commonDir);
  for (const ledger of ledgers) {
    const own = [...new Set([ledger.git_dir, known.get(ledger.id)])].filter((dir) => dir !== undefined);
    const lives = await Promise.all(own.map((dir) => isThere(repo, dir)));
    if (!lives.includes(true)) found.ledgers.push(ledger);
  }
  return found;
}

/** The git directories of all linked checkouts that have a name of ours, by that name. */
async function adminDirs(commonDir: string): Promise<Map<string, string>> {
  const admin = join(commonDir, 'worktrees');
  const names = await readdir(admin).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const known = new Map<string, string>();
  for (const name of names) {
    const record = await namesOf(join(admin, name));
    if (record) known.set(record.id, join(admin, name));
  }
  return known;
}

/** True while the linked checkout of a git directory is somewhere, or cannot be told to be gone. */
async function isThere(repo: Repository, gitDir: string): Promise<boolean> {
  const link = await readFile(join(gitDir, 'gitdir'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (link === undefined) return false;
  if ((await traceOf(gitDir)) === 'elsewhere') return true;
  // Relative where `worktree.useRelativePaths` asked for it (git-config(1)).
  const path = dirname(resolve(gitDir, link.trim()));
  if ((await exists(path)) || (await exists(join(gitDir, 'locked')))) return true;
  if (await isFolderAway(dirname(path), gitDir)) return true;
  const folder = dirname(path);
  // The whole folder may have been moved to beside where it was.
  for (const name of await namesIn(dirname(folder)))
    if (await leadsTo(join(dirname(folder), name, basename(path)), gitDir)) return true;
  for (const dir of new Set([folder, worktreesDir(repo), dirname(worktreesDir(repo))])) {
    // A directory that is not there, or that we may not read, holds no checkout we could find.
    for (const name of await namesIn(dir)) {
      const similar = name.includes(basename(path)) || dir === dirname(path);
      if (similar && (await leadsTo(join(dir, name), gitDir))) return true;
    }
  }
  return false;
}

/**
 * True where the folder a worktree lay in is not there, or is another one that was made since: it was moved away as a whole, or
 * is on a disk that is absent, and nothing says that what lay in it is gone.
 */
async function isFolderAway(folder: string, gitDir: string): Promise<boolean> {
  const [found, registered] = await Promise.all([
    stat(folder).catch(() => undefined),
    stat(join(gitDir, 'gitdir')).catch(() => undefined),
  ]);
  if (!found) return true;
  // A file system that keeps no time of birth gives that of the last change.
  const hasBirth = found.birthtimeMs > 0 && found.birthtimeMs < found.ctimeMs;
  return hasBirth && registered !== undefined && found.birthtimeMs > registered.mtimeMs;
}

const leadsTo = async (checkout: string, gitDir: string): Promise<boolean> =>
  (await gitDirOf(checkout).catch(() => undefined)) === gitDir;

/** Where the commands of a worktree that vanished run: in the checkout that stands for the repository. */
export const reclaimPlace = (repo: Repository, { id }: Ledger): TeardownPlace => ({
  commonDir: repo.commonDir,
  id,
  root: rootIn(repo, homeCheckout(repo)),
});

/** Destroys the resources of one worktree that vanished, but for those with `prunable = false`. */
export function reclaim(repo: Repository, ledger: Ledger, verb: string, ctx: Context): Promise<Teardown> {
  return destroyResources(reclaimPlace(repo, ledger), verb, ctx, { anyway: true, only: ({ gc }) => gc });
}

/** The names of what may be destroyed of a worktree that vanished without its being named. */
export const reclaimable = ({ resources }: Ledger): string[] =>
  resources.filter(({ gc }) => gc).map(({ name }) => name);

/**
 * Destroys the resources of every worktree that vanished, and says in sentences what came of it. What fails keeps nothing
 * else from going on, and is tried again the next time.
 */
export async function reclaimVanished(repo: Repository, ctx: Context): Promise<string[]> {
  const told: string[] = [];
  for (const ledger of (await findVanished(repo)).ledgers) {
    const names = reclaimable(ledger);
    try {
      const { left, steps } = await reclaim(repo, ledger, 'reclaim', ctx);
      const still = names.filter((name) => left.includes(name));
      const gone = names.filter((name) => !left.includes(name));
      if (gone.length > 0)
        told.push(`Destroyed what ${ledger.id}, which is gone, had left: ${gone.join(', ')}.`);
      if (still.length > 0) {
        const output = steps.find(({ outcome }) => outcome !== 'passed')?.output_path;
        told.push(
          `Could not destroy what ${ledger.id}, which is gone, has left: ${still.join(', ')}${output ? ` (see ${output})` : ''}. The next start tries again.`,
        );
      }
    } catch (error) {
      // Another process is at it.
      if (!(error instanceof Refusal) || error.slug !== 'busy') throw error;
    }
  }
  return told;
}
