import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { point } from '../faults/faults.ts';
import { exists, stateDir } from '../files/files.ts';
import { git, pathText } from '../git/core.ts';
import { resolveCommit } from '../git/refs.ts';
import type { Repository } from '../repository/repository.ts';
import { madeOwnDir } from '../state/own-dir.ts';
import { PRUNE } from '../state/remedies.ts';
import { removeOwnFile } from '../state/remove.ts';
import { belongsTo } from '../worktree/admin.ts';
import { gitDirOf } from '../worktree/identity.ts';
import { submodulesIn } from '../worktree/inspect.ts';
import { interruptedStarts } from '../worktree/mark.ts';
import { isId } from '../worktree/name.ts';
import { realWorktreesDir } from '../worktree/place.ts';
import type { Leftover } from './leftover.ts';

/** A directory among our worktrees that is not registered as one. */
export interface Stray {
  path: string;
  /** git's directory that its `.git` file names; absent in an empty directory. */
  admin?: string;
}

/** The directories in which this repository's worktrees lie, free of symlinks as git has them. */
export async function foldersOf(repo: Repository): Promise<string[]> {
  const linked = repo.worktrees.slice(1).map(({ path }) => dirname(path));
  return [...new Set([await realWorktreesDir(repo), ...linked])];
}

/**
 * Directories beside our worktrees that were some: checkouts of this repository that are registered nowhere or elsewhere,
 * and empty ones under a name only `start` gives. Whatever else lies there is not ours to speak of.
 */
export async function strayDirectories(repo: Repository): Promise<Stray[]> {
  const registered = new Set(repo.worktrees.map(({ path }) => path));
  const found: Stray[] = [];
  // One that is missing may have been moved to beside the folder it was in.
  const missing = repo.worktrees.some(({ prunable }) => prunable !== undefined);
  const around = missing ? [dirname(await realWorktreesDir(repo))] : [];
  for (const folder of new Set([...(await foldersOf(repo)), ...around])) {
    // A folder that is not there, or that we may not read, holds nothing of ours.
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory() || entry.name.startsWith('.') || registered.has(path)) continue;
      const admin = await gitDirOf(path);
      if (admin !== undefined) {
        if (await belongsTo(repo.commonDir, admin)) found.push({ path, admin });
      } else if (isId(entry.name) && (await readdir(path)).length === 0) found.push({ path });
    }
  }
  return found;
}

/** Strays whose worktree git has forgotten, and empty directories of starts that were cut off. */
export async function strayLeftovers(repo: Repository, strays: readonly Stray[]): Promise<Leftover[]> {
  const interrupted = new Set(await interruptedStarts(repo.commonDir));
  const found: Leftover[] = [];
  for (const { path, admin } of strays) {
    if (admin !== undefined) {
      if (!(await exists(admin))) found.push(forgotten(path, admin));
    } else if (interrupted.has(basename(path))) found.push(empty(path));
  }
  return found;
}

function empty(path: string): Leftover {
  return {
    what: `${path} is the empty directory of a start that was cut off.`,
    remedy: PRUNE,
    cleanup: {
      action: 'remove directory',
      detail: `${path}, which is empty`,
      removes: path,
      // rmdir(2) removes nothing that holds anything.
      perform: async () => {
        await rmdir(path);
        return undefined;
      },
    },
  };
}

function forgotten(path: string, admin: string): Leftover {
  return {
    what: `${path} was a worktree, and git was made to forget it; its files are all there.`,
    remedy: PRUNE,
    cleanup: {
      action: 'register again',
      detail: path,
      perform: (repo) => registerAgain(repo, path, admin),
    },
  };
}

/** What a registration that was not finished consists of. */
const registration = ['HEAD', 'commondir', 'gitdir', 'index', 'index.lock'];

/** Removes a registration that was not finished, from our own directory; rmdir(2) removes nothing that holds anything else. */
export async function removeRegistration(made: string): Promise<void> {
  for (const name of registration) await removeOwnFile(join(made, name));
  await rmdir(made);
}

/**
 * Registers a checkout that git has forgotten under the name its `.git` file still says (gitrepository-layout(5)), on its
 * branch if that is there and free, else detached at the trunk. Nothing in its files is touched: whatever differs from that
 * commit shows as an edit. The registration appears whole, by one rename.
 */
export async function registerAgain(
  repo: Repository,
  path: string,
  admin: string,
): Promise<string | undefined> {
  const branch = `refs/heads/${repo.config.config.repository.branch_prefix}${basename(admin)}`;
  const tip = await resolveCommit(repo.top, branch);
  const free = tip !== undefined && !repo.worktrees.some((entry) => entry.branch === branch);
  const commit = free ? tip : (repo.trunk?.commit ?? repo.commit);
  const made = join(stateDir(repo.commonDir), `register-${randomBytes(4).toString('hex')}`);
  await madeOwnDir(made);
  try {
    await writeFile(join(made, 'HEAD'), free ? `ref: ${branch}\n` : `${commit}\n`);
    await writeFile(join(made, 'commondir'), '../..\n');
    await writeFile(join(made, 'gitdir'), `${join(path, '.git')}\n`);
    await git(repo.top, ['read-tree', commit], { env: { GIT_INDEX_FILE: join(made, 'index') } });
    await point('prune.registering');
    await mkdir(dirname(admin), { recursive: true });
    await rename(made, admin);
  } catch (error) {
    await removeRegistration(made);
    throw error;
  }
  const lost = await unlinkLostSubmodules(path, admin);
  await git(path, ['update-index', '-q', '--refresh'], { ok: [0, 1] });
  const notes = [
    ...(free ? [] : [`${path} is detached at ${commit.slice(0, 10)}: its branch is not known any more.`]),
    ...(lost.length > 0
      ? [
          `git had deleted the repository of ${lost.join(', ')} with it: its files are there, and "git submodule update --init" in an empty directory brings a repository again.`,
        ]
      : []),
  ];
  return notes.length > 0 ? notes.join(' ') : undefined;
}

/**
 * Takes away the `.git` files of submodules whose repository lay in the registration that git deleted, and is gone with it
 * (gitrepository-layout(5), `modules`): with such a file git refuses everything in the whole checkout. Resolves with where they lie.
 */
async function unlinkLostSubmodules(path: string, admin: string): Promise<string[]> {
  const lost: string[] = [];
  for (const link of await submodulesIn(path)) {
    const inner = join(path, link.toString('utf8'));
    const repository = await gitDirOf(inner);
    if (repository === undefined || !repository.startsWith(`${admin}/modules/`)) continue;
    if (await exists(repository)) continue;
    await unlink(join(inner, '.git'));
    lost.push(pathText(link));
  }
  return lost;
}
