import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type LoadedConfig, loadConfig } from './config/index.ts';
import { GitError, git } from './git/core.ts';
import { listRefs, type Ref } from './git/refs.ts';
import { listWorktrees, type WorktreeEntry } from './git/worktree.ts';
import { Refusal } from './refusal.ts';

/** The branch finished work lands on. */
export interface Trunk {
  name: string;
  ref: string;
  commit: string;
}

/** One checkout of one repository, and what a verb decides from, read once at the verb's start. */
export interface Repository {
  /** The project root: where jobs run. */
  root: string;
  /** The git top of this checkout. */
  top: string;
  /** The project's directory below the top, with `/`; empty when they are the same. */
  prefix: string;
  gitDir: string;
  commonDir: string;
  /** True in a linked checkout, false in the main one. */
  linked: boolean;
  branch: string | null;
  commit: string;
  /** Every checkout of the repository; the main one (or the bare repository) first. */
  worktrees: WorktreeEntry[];
  /** This checkout's own entry in `worktrees`. */
  self: WorktreeEntry;
  /** Absent when none of the candidates exists. */
  trunk?: Trunk;
  /** The checkout that has the trunk checked out. */
  landing?: WorktreeEntry;
  config: LoadedConfig;
}

const unborn = /^0+$/;

/**
 * Reads the checkout a project root lies in. Refuses `not_a_git_repository`, `unborn_repository`, and whatever reading
 * `discern.toml` refuses.
 */
export async function openRepository(root: string, signal?: AbortSignal): Promise<Repository> {
  const reading = loadConfig(root);
  const opening = Promise.all([readPlace(root, signal), listWorktrees(root, signal)]).catch(
    notARepository(root),
  );
  const naming = reading.then((config) => listRefs(root, trunkPatterns(config), signal));
  // All run at once; a rejection of one must not go unhandled while another is awaited, and git's is told last.
  naming.catch(() => undefined);
  const [config, [place, worktrees]] = await Promise.all([reading, opening]);
  const self = await findSelf(worktrees, place);
  const branch = self.branch?.replace(/^refs\/heads\//, '') ?? null;
  const refs = await naming;
  if (!self.head || unborn.test(self.head)) {
    throw new Refusal(
      'unborn_repository',
      `${place.top} has no commit yet: make the first one ("git add -A && git commit") and call again.`,
      { data: { root, branch } },
    );
  }
  const trunk = await resolveTrunk(root, config.config.repository.trunk, refs);
  const landing =
    trunk && worktrees.find((entry) => entry.branch === trunk.ref && !entry.prunable && !entry.bare);
  return {
    root,
    ...place,
    prefix: relative(place.top, root).split(sep).join('/'),
    branch,
    commit: self.head,
    worktrees,
    self,
    ...(trunk && { trunk }),
    ...(landing && { landing }),
    config,
  };
}

/** The trunk, or the refusal `unknown_ref` saying how to name it. */
export function requireTrunk(repo: Repository): Trunk {
  if (repo.trunk) return repo.trunk;
  const named = repo.config.config.repository.trunk;
  throw new Refusal(
    'unknown_ref',
    named
      ? `The trunk "${named}" of [repository].trunk is no local branch: create it, or correct discern.toml.`
      : 'No trunk was found (origin/HEAD, main, master): set [repository].trunk in discern.toml to the branch work lands on.',
    { data: where(repo) },
  );
}

/** `root`, `branch` and `commit`, on every answer about a repository. */
export function where(repo: Repository): { root: string; branch: string | null; commit: string } {
  return { root: repo.root, branch: repo.branch, commit: repo.commit };
}

/** The project root inside another checkout of the same repository. */
export function rootIn(repo: Pick<Repository, 'prefix'>, checkout: string): string {
  return repo.prefix ? join(checkout, repo.prefix) : checkout;
}

/** True in the checkout work lands in: the landing checkout, or the main one. */
export function isHome(repo: Repository): boolean {
  return !repo.linked || repo.self === repo.landing;
}

type Place = Pick<Repository, 'top' | 'gitDir' | 'commonDir' | 'linked'>;

async function readPlace(root: string, signal?: AbortSignal): Promise<Place> {
  const { stdout } = await git(
    root,
    ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir'],
    { signal },
  );
  const [top = '', gitDir = '', commonDir = ''] = stdout.toString('utf8').split('\n');
  return { top, gitDir, commonDir, linked: gitDir !== commonDir };
}

function notARepository(root: string) {
  return (error: unknown): never => {
    if (error instanceof GitError && error.code === 128) {
      const why = /dubious ownership/.test(error.stderr)
        ? `git will not read ${root}, which another user owns: run "git config --global --add safe.directory ${root}" if you trust it.`
        : `${root} is in no usable git work tree (${error.message}): run "git status" there to see why.`;
      throw new Refusal('not_a_git_repository', why, { data: { root } });
    }
    throw error;
  };
}

/** Our own entry in git's list. The main entry is known by being first, since its path may be its git directory's. */
async function findSelf(worktrees: WorktreeEntry[], place: Place): Promise<WorktreeEntry> {
  const first = worktrees[0];
  if (!place.linked && first) {
    first.path = place.top;
    first.bare = false;
    return first;
  }
  for (const entry of worktrees) if (entry.path === place.top) return entry;
  for (const entry of worktrees) {
    const real = await realpath(entry.path).catch(() => undefined);
    if (real === place.top) {
      entry.path = place.top;
      return entry;
    }
  }
  throw new Refusal(
    'not_a_git_repository',
    `git does not list ${place.top} among its worktrees: run "git worktree repair ${place.top}" and call again.`,
    { data: { root: place.top } },
  );
}

function trunkPatterns({ config }: LoadedConfig): string[] {
  const { trunk } = config.repository;
  return trunk
    ? [`refs/heads/${trunk}`]
    : ['refs/heads/main', 'refs/heads/master', 'refs/remotes/origin/HEAD'];
}

async function resolveTrunk(
  root: string,
  named: string | undefined,
  refs: Ref[],
): Promise<Trunk | undefined> {
  const local = (name: string, among: Ref[]) => {
    const ref = among.find((one) => one.name === `refs/heads/${name}`);
    return ref && { name, ref: ref.name, commit: ref.commit };
  };
  if (named) return local(named, refs);
  const published = refs
    .find((ref) => ref.name === 'refs/remotes/origin/HEAD')
    ?.target?.replace('refs/remotes/origin/', '');
  if (published) {
    const found =
      local(published, refs) ?? local(published, await listRefs(root, [`refs/heads/${published}`]));
    if (found) return found;
  }
  return local('main', refs) ?? local('master', refs);
}
