import { lstat, mkdir, readlink, realpath, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type CheckoutPlace, checkoutOf } from '../engine/callers/checkout-of.ts';
import { gitDirOf } from '../engine/git/git-dir.ts';
import { furnish } from './own-furnishing.ts';
import { ownSettings, type WorktreeSettings } from './own-settings.ts';
import { plainGit, said } from './plain-git.ts';

/**
 * Makes the worktree Claude Code (seen with 2.1.197) would make in a repository that is no project of ours:
 * `.claude/worktrees/<name>` on branch `worktree-<name>`, from the remote's default branch or HEAD, with the settings and ignored
 * files it takes along. A worktree that is there is entered again. Unlike Claude Code it overwrites no branch that has commits of its
 * own, and removes no directory it does not know. Rejects when there is no worktree then.
 */
export async function createOwn(cwd: string, name: string, signal: AbortSignal): Promise<string> {
  const place = await checkoutOf(cwd);
  if (!place) throw new Error(`${cwd} is in no git repository, so no worktree can be made there.`);
  const main = mainOf(place);
  const flat = flatName(name);
  const path = join(main, '.claude', 'worktrees', flat);
  if (await comesBack(path, place.commonDir)) return path;
  const branch = `worktree-${flat}`;
  const settings = await ownSettings(main, process.env);
  const base = await baseFor(cwd, main, settings, signal);
  const commit = await said(main, ['rev-parse', '--verify', `${base}^{commit}`], signal);
  if (commit === undefined) throw new Error(`"${base}" is not a commit, so no worktree can be made from it.`);
  await keepBranch(main, branch, signal);
  await mkdir(dirname(path), { recursive: true });
  const sparse = settings.sparsePaths.length > 0;
  const add = [
    'worktree',
    'add',
    ...(sparse ? ['--no-checkout'] : []),
    '--no-track',
    '-B',
    branch,
    path,
    base,
  ];
  await plainGit(main, add, signal);
  try {
    if (sparse) {
      await plainGit(path, ['sparse-checkout', 'set', '--cone', '--', ...settings.sparsePaths], signal);
      await plainGit(path, ['checkout', 'HEAD'], signal);
    }
    const gitDir = await gitDirOf(path);
    // Claude Code reads this when it comes back without us.
    if (gitDir !== undefined) await writeFile(join(gitDir, 'CLAUDE_BASE'), commit);
    await furnish(main, path, place.commonDir, settings, signal);
  } catch (error) {
    // It was made a moment ago and nobody was told of it: nothing in it is anyone's.
    await plainGit(main, ['worktree', 'remove', '--force', path]);
    throw error;
  }
  return path;
}

/** The main checkout, for a linked one too; where there is none, the checkout itself. */
const mainOf = ({ top, commonDir, linked }: CheckoutPlace) =>
  linked && basename(commonDir) === '.git' ? dirname(commonDir) : top;

/** Claude Code's own rule for names. A `/` becomes a `+`, so that a name is one folder. */
function flatName(name: string): string {
  const parts = name.split('/');
  if (
    name.length > 64 ||
    parts.some(
      (part) =>
        !/^[\w.-]+$/.test(part) || /^\.+$/.test(part) || part.startsWith('-') || /^\.git$/i.test(part),
    )
  ) {
    throw new Error(
      `"${name.slice(0, 80)}" is not a name for a worktree: letters, digits, dots, dashes and underscores, at most 64.`,
    );
  }
  return parts.join('+');
}

/** Whether there is this very worktree already. Refuses what stands there and is none: nobody knows what is in it. */
async function comesBack(path: string, commonDir: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return false;
  const place = found.isDirectory() ? await checkoutOf(path) : undefined;
  if (!place?.linked || place.commonDir !== commonDir || place.top !== (await realpath(path))) {
    throw new Error(
      `${path} is there and is not a worktree of this repository: move it, or use another name.`,
    );
  }
  const now = new Date();
  await utimes(path, now, now);
  return true;
}

/** What the new branch begins at: the remote's default branch where it is known or can be fetched, else HEAD. */
async function baseFor(
  cwd: string,
  main: string,
  { baseRef }: WorktreeSettings,
  signal: AbortSignal,
): Promise<string> {
  const head = async () => (await said(cwd, ['rev-parse', 'HEAD'], signal)) ?? 'HEAD';
  if (baseRef === 'head') return head();
  const has = (branch: string) =>
    said(main, ['rev-parse', '--verify', '--quiet', `refs/remotes/origin/${branch}^{commit}`], signal);
  const named = await said(main, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'], signal);
  const known = named?.replace(/^refs\/remotes\/origin\//, '');
  for (const branch of known === undefined ? ['main', 'master'] : [known]) {
    if (await has(branch)) return `origin/${branch}`;
  }
  if ((await said(main, ['remote', 'get-url', 'origin'], signal)) === undefined) return 'HEAD';
  const branch = known ?? 'main';
  const fetched = await said(main, ['fetch', '--quiet', 'origin', branch], signal);
  return fetched !== undefined && (await has(branch)) ? `origin/${branch}` : 'HEAD';
}

/** Refuses where making the branch anew would leave commits that no other branch has. */
async function keepBranch(main: string, branch: string, signal: AbortSignal): Promise<void> {
  const tip = await said(main, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`], signal);
  if (tip === undefined || (await isElsewhere(main, tip, branch, signal))) return;
  throw new Error(
    `The branch ${branch} is there and has commits that no other branch has: use another name, or delete it ("git branch -D ${branch}").`,
  );
}

/** Whether another branch, tag or remote has a commit. */
async function isElsewhere(
  main: string,
  commit: string,
  branch: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const listing = [
    'for-each-ref',
    '--format=%(refname)',
    '--contains',
    commit,
    'refs/heads',
    'refs/remotes',
    'refs/tags',
  ];
  const refs = (await plainGit(main, listing, signal)).split('\n').filter((ref) => ref !== '');
  return refs.some((ref) => ref !== `refs/heads/${branch}`);
}

/** A worktree that may go: where the rest of its repository is, and the branch that goes with it. */
interface Removable {
  main: string;
  top: string;
  head: string;
  branch: string | undefined;
  /** Links to directories of the main checkout, which were made with it. */
  links: { from: string; to: string }[];
}

/** Removes a worktree with its branch, as Claude Code does after it asked. Rejects, and removes nothing, where something would be lost. */
export async function removeOwn(worktree: string, signal: AbortSignal): Promise<void> {
  const found = await look(worktree, signal);
  if (typeof found === 'string') throw new Error(found);
  const { main, top, head, branch, links } = found;
  for (const { to } of links) await unlink(to);
  try {
    // Without force git itself refuses what somebody put into it meanwhile.
    await plainGit(main, ['-c', 'status.showUntrackedFiles=normal', 'worktree', 'remove', top], signal);
  } catch (error) {
    for (const { from, to } of links) await symlink(from, to, 'dir');
    throw error;
  }
  if (branch !== `worktree-${basename(top)}`) return;
  await plainGit(main, ['update-ref', '-d', `refs/heads/${branch}`, head], signal);
}

/** Why a worktree was kept; `undefined` where nothing speaks against its removal. */
export async function reasonToKeep(worktree: string, signal: AbortSignal): Promise<string | undefined> {
  const found = await look(worktree, signal);
  return typeof found === 'string' ? found : undefined;
}

async function look(worktree: string, signal: AbortSignal): Promise<Removable | string> {
  const place = await checkoutOf(worktree);
  if (!place?.linked || place.top !== (await realpath(worktree)))
    return `${worktree} is not a linked worktree.`;
  const { top } = place;
  const main = mainOf(place);
  const { holdings, inTheWay, takeStock } = await import('../engine/index.ts');
  const gitDir = (await gitDirOf(top)) ?? place.commonDir;
  const found = await takeStock({ at: top, path: top, gitDir });
  const links = await ownLinks(main, top);
  const { status } = found;
  const untracked = status.untracked.filter((name) => links.every(({ to }) => to !== join(top, name)));
  const lost = holdings({ ...found, status: { ...status, untracked } }) ?? inTheWay(found.obstacles);
  if (lost !== undefined) {
    return `Removing ${top} would lose ${lost}: commit that and merge the branch, or remove the worktree by hand.`;
  }
  const head = await said(top, ['rev-parse', '--verify', 'HEAD^{commit}'], signal);
  if (head === undefined) return `${top} has no commit yet.`;
  const branch = (await said(top, ['symbolic-ref', '--quiet', '--short', 'HEAD'], signal)) ?? undefined;
  const main_ = main === top ? resolve(place.commonDir) : main;
  if (!(await isElsewhere(main_, head, branch, signal))) {
    return `${top} has commits that no other branch has (${head.slice(0, 10)}${branch === undefined ? '' : ` on ${branch}`}), and they would be lost: merge or push them, or remove the worktree by hand.`;
  }
  return { main: main_, top, head, branch, links };
}

/** The links that Claude Code's settings ask for, as far as they still are what was made. */
async function ownLinks(main: string, top: string): Promise<Removable['links']> {
  const { symlinkDirectories } = await ownSettings(main, process.env);
  const found: Removable['links'] = [];
  for (const name of symlinkDirectories) {
    const [from, to] = [join(main, name), join(top, name)];
    if ((await readlink(to).catch(() => undefined)) === from) found.push({ from, to });
  }
  return found;
}
