import { readFile, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { type LoadedConfig, loadConfig } from '../config/index.ts';
import { GitError, git } from '../git/core.ts';
import { askPlace, type Place, readPlace } from '../git/place.ts';
import { listRefs, resolveCommit } from '../git/refs.ts';
import { branchOf, listWorktrees, type WorktreeEntry } from '../git/worktree.ts';
import { shellWord } from '../words/shell-word.ts';
import { trunkNames } from './trunk-names.ts';

/** The branch finished work lands on. */
export interface Trunk {
  name: string;
  ref: string;
  commit: string;
}

/** One checkout of one repository, and what a verb decides from, read once at the verb's start. */
export interface Repository extends Place {
  /** The project root: where jobs run. */
  root: string;
  /** The project's directory below the top, with `/`; empty when they are the same. */
  prefix: string;
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
  const opening = Promise.all([readPlace(root), listWorktrees(root, signal)]).catch(notARepository(root));
  const [config, [read, worktrees]] = await Promise.all([reading, opening]);
  // Where git does not know what was read as one of its checkouts, it was read wrongly.
  const listed = read && (read.linked || worktrees[0]?.path === read.top);
  let self = listed ? await findSelf(worktrees, read) : undefined;
  const place = read && self ? read : await askPlace(root, signal).catch(notARepository(root));
  self ??= (await findSelf(worktrees, place)) ?? unlisted(place);
  const branch = branchOf(self) ?? null;
  if (!self.head || unborn.test(self.head)) {
    throw new Refusal('unborn_repository', await unbornAdvice(place, branch), { data: { root, branch } });
  }
  const trunk = await resolveTrunk({ root, ...place, worktrees }, config.config.repository.trunk, signal);
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

/** What to do where HEAD has no commit: a branch that was deleted under its checkout is told apart from one that was never born. */
async function unbornAdvice({ top, gitDir }: Place, branch: string | null): Promise<string> {
  const log = await readFile(join(gitDir, 'logs/HEAD'), 'utf8').catch(() => '');
  const last = log.trimEnd().split('\n').at(-1)?.split(' ')[1];
  if (branch === null || last === undefined || !/^[0-9a-f]{40,64}$/.test(last) || unborn.test(last))
    return `${top} has no commit yet: make the first one ("git add -A && git commit") and call again.`;
  return `${top} is on ${branch}, which has no commit: if the branch was deleted, "git branch ${shellWord(branch)} ${last.slice(0, 12)}" brings it back as it was last here; if it is new, make its first commit ("git add -A && git commit"). Then call again.`;
}

/** The trunk, or the refusal `unknown_ref` saying how to name it. */
export function requireTrunk(repo: Repository): Trunk {
  if (repo.trunk) return repo.trunk;
  const named = repo.config.config.repository.trunk;
  throw new Refusal(
    'unknown_ref',
    named
      ? `The trunk "${named}" of [repository].trunk is not a local branch: create it, or correct discern.toml.`
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

/** {@link isHome}, of any of the repository's checkouts. */
export function isHomeEntry({ worktrees, landing }: Repository, entry: WorktreeEntry): boolean {
  return entry === worktrees[0] || entry === landing;
}

/** A checkout that need not have a `discern.toml`. */
export interface Checkout extends Place, Pick<Repository, 'branch'> {
  /** Absent before the first commit. */
  commit?: string;
  /** The branch that would be the trunk of a project whose `discern.toml` names none. */
  trunk?: Trunk;
}

/** Reads the checkout a directory lies in, project or not. Refuses `not_a_git_repository`. */
export async function openCheckout(directory: string, signal?: AbortSignal): Promise<Checkout> {
  const place = await askPlace(directory, signal).catch(notARepository(directory));
  const [commit, named, worktrees] = await Promise.all([
    resolveCommit(place.top, 'HEAD'),
    git(place.top, ['symbolic-ref', '--quiet', 'HEAD'], { ok: [0, 1], signal }),
    listWorktrees(place.top, signal),
  ]);
  const trunk = await resolveTrunk({ root: place.top, ...place, worktrees }, undefined, signal);
  const branch = named.stdout.toString('utf8').trim();
  return {
    ...place,
    branch: branch.replace(/^refs\/heads\//, '') || null,
    ...(commit && { commit }),
    ...(trunk && { trunk }),
  };
}

function notARepository(root: string) {
  return (error: unknown): never => {
    if (error instanceof GitError && error.code === 128) {
      const why =
        error.kind === 'other_owner'
          ? `git will not read ${root}, which another user owns: run "git config --global --add safe.directory ${root}" if you trust it.`
          : `${root} is in no usable git work tree (${error.message}): run "git status" there to see why.`;
      throw new Refusal('not_a_git_repository', why, { data: { root } });
    }
    throw error;
  };
}

/** Our own entry in git's list. The main entry is known by being first, since its path may be its git directory's. */
async function findSelf(worktrees: WorktreeEntry[], place: Place): Promise<WorktreeEntry | undefined> {
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
  return undefined;
}

function unlisted(place: Place): never {
  throw new Refusal(
    'not_a_git_repository',
    `git does not list ${place.top} among its worktrees: run "git worktree repair ${shellWord(place.top)}" and call again.`,
    { data: { root: place.top } },
  );
}

type Resolving = Pick<Repository, 'root' | 'commonDir' | 'worktrees'>;

/** The trunk by contract §2: the one named, else origin/HEAD's branch, else main, else master. */
async function resolveTrunk(
  repo: Resolving,
  named: string | undefined,
  signal?: AbortSignal,
): Promise<Trunk | undefined> {
  return (await findBranches(repo, await trunkNames(repo, named, signal), signal))[0];
}

/**
 * Which of the branches exist, in the order given. The list of worktrees has told already where the first one is when it
 * is checked out, as a trunk is nearly always; only else git is asked.
 */
async function findBranches(
  { root, worktrees }: Resolving,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Trunk[]> {
  const branches = [...new Set(names)].map((name) => ({ name, ref: `refs/heads/${name}` }));
  const checkedOut = worktrees.find((entry) => entry.branch === branches[0]?.ref && !entry.prunable);
  if (branches[0] && checkedOut?.head && !unborn.test(checkedOut.head)) {
    return [{ ...branches[0], commit: checkedOut.head }];
  }
  const found = await listRefs(
    root,
    branches.map(({ ref }) => ref),
    signal,
  );
  return branches.flatMap((branch) => {
    const ref = found.find(({ name }) => name === branch.ref);
    if (!ref) return [];
    // Of a branch that is another name for one, git checks out, lists and moves the one behind it.
    const real = ref.target?.startsWith('refs/heads/') ? ref.target : branch.ref;
    return [{ ...branch, ref: real, commit: ref.commit }];
  });
}
