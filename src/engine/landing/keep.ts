import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, orWhenAbsent } from '../files.ts';
import { GitError, git, gitLine } from '../git/core.ts';
import { commitTree } from '../git/merge.ts';
import { moveRef } from '../git/refs.ts';
import { branchOf, type WorktreeEntry } from '../git/worktree.ts';
import { Refusal } from '../refusal.ts';
import { identity } from './snapshot.ts';

/**
 * Keeps what goes when git forgets a checkout whose directory is gone: what was staged in it, and a detached HEAD that no
 * ref has. Resolves with the recovery ref, when one was needed.
 *
 * Refuses `dirty_worktree` where that cannot be kept: an unfinished merge in its index, or commits in repositories of its
 * submodules that no remote has.
 */
export async function keepAdministered(
  cwd: string,
  admin: string,
  entry: WorktreeEntry,
): Promise<string | undefined> {
  await refuseModules(admin, entry.path);
  const { head } = entry;
  if (head === undefined || /^0+$/.test(head)) return undefined;
  const staged = await stagedTree(cwd, admin, entry.path);
  const own = staged !== undefined && staged !== (await gitLine(cwd, ['rev-parse', `${head}^{tree}`]));
  const loose = entry.branch === undefined && !(await isReachable(cwd, head));
  if (!own && !loose) return undefined;
  const what = `What was staged in ${entry.path}\n`;
  const commit = own ? await commitTree(cwd, staged, [head], what, identity) : head;
  const name = branchOf(entry) ?? head.slice(0, 10);
  const ref = `refs/discern/recovered/${name}-${randomBytes(3).toString('hex')}`;
  await moveRef(cwd, ref, commit, '', 'discern: kept when its worktree was pruned');
  return ref;
}

async function stagedTree(cwd: string, admin: string, path: string): Promise<string | undefined> {
  if (!(await exists(join(admin, 'index')))) return undefined;
  try {
    return await gitLine(cwd, ['write-tree'], { env: { GIT_INDEX_FILE: join(admin, 'index') } });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(
      'dirty_worktree',
      `An unfinished merge is staged in ${path}, which no commit can hold.`,
    );
  }
}

/** True when a ref outside `except` has the commit. */
export async function isReachable(
  cwd: string,
  commit: string,
  except: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const { stdout } = await git(cwd, ['for-each-ref', `--contains=${commit}`, '--format=%(refname)']);
  return stdout
    .toString('utf8')
    .split('\n')
    .some((ref) => ref !== '' && !except.has(ref));
}

/** A linked checkout's submodules have their repositories in git's directory for it, and these go with it. */
async function refuseModules(admin: string, path: string): Promise<void> {
  for (const dir of await repositoriesBelow(join(admin, 'modules'))) {
    const own = ['rev-list', '--max-count=1', '--all', '--not', '--remotes', '--'];
    if ((await gitLine(dir, own, { env: { GIT_DIR: dir } })) === '') continue;
    throw new Refusal(
      'dirty_worktree',
      `A submodule of ${path} has commits that no remote has, in ${dir}: push them from there first.`,
    );
  }
}

async function repositoriesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(orWhenAbsent([]));
  if (entries.some(({ name }) => name === 'HEAD')) return [dir];
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(dir, name));
  return (await Promise.all(below.map(repositoriesBelow))).flat();
}
