import { access, constants, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isInside } from '../../contract/inside.ts';
import type { RefusalSlug } from '../../contract/refusals.ts';
import { errnoOf } from '../files/errno.ts';
import { exists, namesIn, orWhenAbsent } from '../files/files.ts';
import { mountsWithin } from '../files/mounts.ts';
import { adviceOn, causeOfErrno } from '../git/cause.ts';
import { submodule } from '../git/compare.ts';
import { fields, GitError, git, pathText } from '../git/core.ts';
import type { Difference } from '../git/diff.ts';
import { commonDirOf } from '../git/git-dir.ts';
import { operationUnderWay } from '../repository/checkout.ts';
import { shellWord } from '../words/shell-word.ts';
import { overlookedEdits } from '../worktree/inspect.ts';
import { MOST_COUNTED, type OwnCommits, ownCommits, pointedAt } from './published.ts';
import { findInside, type Inner, type Inside } from './walk.ts';

/** Something in or under a worktree that would go with it and that no ref of the repository can keep. */
export interface Obstacle {
  slug: Extract<RefusalSlug, 'dirty_worktree' | 'busy' | 'unavailable'>;
  /** What it is about, as a path. */
  path: string;
  /** A clause without a full stop. */
  what: string;
  /** What to do about it, likewise. */
  next: string;
}

/** A worktree that is to be removed. */
export interface Leaving {
  /** Where its directory is now. */
  at: string;
  /** Where people know it, when that is another place. */
  path: string;
  /** git's own directory for it, which goes too. */
  gitDir: string;
  /** What its commits change: their submodules’ commits may be nowhere else. */
  changes?: () => Promise<readonly Difference[]>;
}

/**
 * Looks for what would go with a worktree though no ref of its repository can keep it: other checkouts and mounts in it, and
 * repositories (submodules, live or left, nested and bare ones, in ignored directories too) with commits or edits that are
 * nowhere else. Whoever removes a worktree asks this first, and once more when its directory has been renamed away.
 */
export async function lookInto(leaving: Leaving): Promise<Obstacle[]> {
  const { at, path, gitDir } = leaving;
  const shown = (inner: string) => (isInside(inner, at) ? path + inner.slice(at.length) : inner);
  const [inside, store] = await Promise.all([findInside(at), modulesOf(gitDir)]);
  const fixed = await fixedBy(inside, leaving);
  if (fixed.length > 0) return fixed;
  const staying = await keptInPlace(gitDir);
  if (staying) return [staying];
  const checkouts = await checkoutsIn(inside);
  const changes = store.length > 0 ? await leaving.changes?.() : undefined;
  const gitlinks = (changes ?? []).flatMap(({ to }) => (to?.mode === submodule ? [to.id] : []));
  const live = new Map(inside.inner.flatMap((one) => (one.gitDir === undefined ? [] : [[one.gitDir, one]])));
  const repositories = [
    ...inside.inner.filter(
      (one) => one.gitDir !== undefined && !checkouts.has(one) && !store.includes(one.gitDir),
    ),
    ...store.map((own): Inner => ({ gitDir: own, ...live.get(own) })),
  ];
  const asked = repositories.map((one) => askRepository(one, { at, gitDir, gitlinks, shown }));
  return [
    ...[...checkouts].map(({ workTree = '' }) => checkedOut(shown(workTree), path)),
    ...(await Promise.all(asked)).flatMap((one) => (one ? [one] : [])),
  ];
}

/** What keeps a directory from being moved: mounts, and the directory it lies in. */
async function fixedBy(inside: Inside, { at, path }: Pick<Leaving, 'at' | 'path'>): Promise<Obstacle[]> {
  const mounts = inside.mounts.map((mount) => mounted(path + mount.slice(at.length), path));
  if (mounts.length > 0) return mounts;
  // A directory is moved away before it is deleted, which the one it lies in has to allow.
  const fixed = await notWritable(dirname(at), dirname(path));
  return fixed ? [fixed] : [];
}

/** What keeps git from deleting its own directory for a worktree. */
async function keptInPlace(gitDir: string): Promise<Obstacle | undefined> {
  const [mount] = await mountsWithin(gitDir);
  if (mount) return mounted(pathText(mount), gitDir);
  return (await notWritable(gitDir)) ?? (await notWritable(dirname(gitDir)));
}

async function checkoutsIn({ inner }: Inside): Promise<Set<Inner>> {
  const found = new Set<Inner>();
  for (const one of inner) if (await isCheckout(one)) found.add(one);
  return found;
}

/**
 * Looks for what would not be the same when a worktree's directory is somewhere else for a while, and then back: mounts, other
 * checkouts in it, and checkouts elsewhere of repositories in it.
 */
export async function lookForFixed(path: string): Promise<Obstacle[]> {
  const inside = await findInside(path);
  const fixed = await fixedBy(inside, { at: path, path });
  if (fixed.length > 0) return fixed;
  const checkouts = await checkoutsIn(inside);
  const found = [...checkouts].map(({ workTree = '' }) => checkedOut(workTree, path));
  for (const { gitDir, workTree } of inside.inner) {
    if (gitDir === undefined || !gitDir.startsWith(`${path}/`)) continue;
    const elsewhere = await checkoutsOf(gitDir, path);
    if (elsewhere.length === 0) continue;
    const what = `the repository ${workTree ?? gitDir} has other checkouts (${some(elsewhere)})`;
    found.push({ slug: 'busy', path: workTree ?? gitDir, what, next: 'move it out, or remove these' });
  }
  return found;
}

/** {@link lookInto}, for a worktree of which only git's own directory is left: the repositories of its submodules. */
export async function lookIntoStore(gitDir: string): Promise<Obstacle[]> {
  const asking = { at: gitDir, gitDir, gitlinks: [], shown: (path: string) => path };
  const asked = (await modulesOf(gitDir)).map((own) => askRepository({ gitDir: own }, asking));
  return (await Promise.all(asked)).flatMap((one) => (one ? [one] : []));
}

interface Asking extends Pick<Leaving, 'at' | 'gitDir'> {
  gitlinks: readonly string[];
  shown(path: string): string;
}

const mounted = (mount: string, path: string): Obstacle => ({
  slug: 'unavailable',
  path: mount,
  what: mount === path ? `${path} is a mount point` : `${mount} is mounted in it`,
  next: `unmount it with "umount ${shellWord(mount)}"`,
});

/** A directory in which nothing may be made, renamed or deleted; people know it as `shown`. */
async function notWritable(directory: string, shown = directory): Promise<Obstacle | undefined> {
  try {
    await access(directory, constants.W_OK);
    return undefined;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return undefined;
    const next = adviceOn(causeOfErrno(code), shown).replace(/, then call again$/, '');
    return { slug: 'unavailable', path: shown, what: `${shown} may not be written to (${code})`, next };
  }
}

const checkedOut = (inner: string, path: string): Obstacle => ({
  slug: 'busy',
  path: inner,
  what: `${inner}, a checkout too, lies inside ${path}`,
  next: `move it out with "git worktree move ${shellWord(inner)} <directory>", or remove it`,
});

/** True for a linked checkout, of whatever repository: one that git was made to forget too, since nobody knows what it holds. */
async function isCheckout({ gitDir, named }: Inner): Promise<boolean> {
  if (named === undefined) return false;
  if (gitDir === undefined) return basename(dirname(named)) === 'worktrees';
  return (await commonDirOf(gitDir)) !== undefined;
}

/** The repositories of a worktree's submodules, those that are not checked out any more among them. */
async function modulesOf(gitDir: string): Promise<string[]> {
  const modules = join(gitDir, 'modules');
  if (!(await exists(modules))) return [];
  return (await findInside(modules)).inner.flatMap(({ gitDir: own }) => (own === undefined ? [] : [own]));
}

/** What a repository holds that is nowhere else. */
async function askRepository(one: Inner, asking: Asking): Promise<Obstacle | undefined> {
  const { gitDir = '', workTree } = one;
  const { at, shown } = asking;
  const stored = isInside(gitDir, asking.gitDir);
  const goes = stored || isInside(gitDir, at);
  const path = shown(workTree ?? gitDir);
  const about = { slug: 'dirty_worktree' as const, path };
  try {
    const own = goes && (await ownCommits(gitDir, stored ? asking.gitlinks : [], [at, asking.gitDir]));
    const elsewhere = goes ? await checkoutsOf(gitDir, at) : [];
    const edits = workTree === undefined ? [] : await editsIn(workTree, gitDir, stored);
    const operation = workTree === undefined ? undefined : await operationUnderWay(gitDir);
    if (workTree === undefined && own && !stored && (await isTracked(at, gitDir))) return undefined;
    const git =
      workTree === undefined ? `git --git-dir=${shellWord(path)} --work-tree=.` : `git -C ${shellWord(path)}`;
    const said = `the repository ${path}`;
    if (own) return { ...about, what: `${said} holds ${inWords(own)}`, next: wayOut(own, git, path) };
    if (operation)
      return { ...about, what: `${said} is in the middle of ${operation.what}`, next: 'finish it there' };
    if (edits.length > 0)
      return {
        ...about,
        what: `${said} has uncommitted changes (${some(edits)})`,
        next: 'commit and push them there, or discard them',
      };
    if (elsewhere.length > 0)
      return {
        ...about,
        what: `${said} has other checkouts (${some(elsewhere)})`,
        next: `move ${path} away, or remove these with "${git} worktree remove"`,
      };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // Files that only look like a repository are files.
    if (error.kind === 'not_a_repository') return undefined;
    return {
      ...about,
      what: `nobody can tell what the repository ${path} holds (${error.firstLine})`,
      next: 'put that right, or move it away',
    };
  }
  return undefined;
}

const some = (names: readonly string[]) => names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '');

function inWords({ count, named, onlyLogged }: OwnCommits): string {
  const number = count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(count);
  const which = onlyLogged ? 'only its reflogs reach' : 'no remote has';
  const more = count > named.length ? ', …' : '';
  return `${number} commit${count === 1 ? '' : 's'} that ${which} (${named.join(', ')}${more})`;
}

function wayOut({ onlyLogged }: OwnCommits, git: string, path: string): string {
  return onlyLogged
    ? `push them from there, or let them go with "${git} reflog expire --expire=now --all"`
    : `push them ("${git} push <remote> <commit>:refs/heads/<branch>"), or move ${path} away`;
}

/** The other checkouts of a repository that are there and stay behind when it goes. */
async function checkoutsOf(gitDir: string, at: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await namesIn(join(gitDir, 'worktrees'))) {
    const link = await readFile(join(gitDir, 'worktrees', name, 'gitdir'), 'utf8').catch(orWhenAbsent(''));
    const file = resolve(gitDir, 'worktrees', name, link.trim());
    if (link !== '' && !isInside(file, at) && (await exists(file))) found.push(dirname(file));
  }
  return found;
}

/**
 * The edited files of a repository's work tree; with `untracked` (a submodule) its new ones too. A file that is only gone is no
 * loss: a commit has it.
 */
async function editsIn(workTree: string, gitDir: string, untracked: boolean): Promise<string[]> {
  const env = pointedAt(gitDir, workTree);
  const args = [
    'status',
    '--porcelain',
    '-z',
    '--no-renames',
    '--ignore-submodules=dirty',
    `--untracked-files=${untracked ? 'normal' : 'no'}`,
  ];
  const { stdout } = await git(workTree, args, { env });
  // "<X><Y> <path>" (git-status(1), "Short Format")
  const edited = fields(stdout).filter((line) => !/^[ D]{2}$/.test(line.subarray(0, 2).toString('latin1')));
  return [...edited.map((line) => pathText(line.subarray(3))), ...(await overlookedEdits(workTree, env))];
}

/** True when a directory holds nothing but what the worktree's own repository tracks. */
async function isTracked(at: string, directory: string): Promise<boolean> {
  const pathspec = `:(top,literal)${relative(at, directory)}`;
  return (await git(at, ['ls-files', '--others', '-z', '--', pathspec])).stdout.length === 0;
}
