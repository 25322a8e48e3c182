import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded } from '../files/bounded-file.ts';
import { exists } from '../files/files.ts';
import { type GitError, git, gitLine, tryGit } from './core.ts';
import { textOf } from './git-dir.ts';

/** One line of `git for-each-ref`. */
export interface Ref {
  name: string;
  commit: string;
  /** What a symbolic ref points at. */
  target?: string;
}

/** The refs matching `patterns` (git-for-each-ref(1)), in name order. */
export async function listRefs(
  cwd: string,
  patterns: readonly string[],
  signal?: AbortSignal,
): Promise<Ref[]> {
  const { stdout } = await git(
    cwd,
    ['for-each-ref', '--format=%(refname)%00%(objectname)%00%(symref)', '--', ...patterns],
    { signal },
  );
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', commit = '', target = ''] = line.split('\0');
      return { name, commit, ...(target && { target }) };
    });
}

/** An object's full name, by SHA-1 or SHA-256. */
export const fullName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The most bytes of git's file of packed refs that are read to see whether any is below a prefix. */
const MOST_PACKED = 1024 * 1024;

/**
 * Whether there may be refs below a prefix, as `refs/x/`. False only where git's own files say that there are none
 * (gitrepository-layout(5)), which costs no process.
 */
export async function mayHaveRefs(commonDir: string, prefix: string): Promise<boolean> {
  for (const name of ['reftable', prefix]) if (await exists(join(commonDir, name))) return true;
  // Packing writes this file before it removes the other ones.
  const packed = await readBounded(join(commonDir, 'packed-refs'), MOST_PACKED);
  return packed !== undefined && (!('text' in packed) || packed.text.includes(` ${prefix}`));
}

/** The commit a ref is at, where it lies in a file of its own; `undefined` where git has to be asked. */
export async function looseRef(commonDir: string, ref: string): Promise<string | undefined> {
  const id = (await textOf(join(commonDir, ref)))?.trim() ?? '';
  return fullName.test(id) ? id : undefined;
}

/** The commit `name` means, or `undefined` when it names none. */
export async function resolveCommit(cwd: string, name: string): Promise<string | undefined> {
  const { stdout, code } = await git(
    cwd,
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    {
      ok: [0, 1, 128],
    },
  );
  return code === 0 ? stdout.toString('latin1').trim() : undefined;
}

/**
 * Moves `ref` from `from` to `to`, and only if it still is at `from` (git-update-ref(1)): the compare-and-swap a landing
 * stands on. Rejects with GitError when someone else moved it.
 */
export async function moveRef(
  cwd: string,
  ref: string,
  to: string,
  from: string,
  reason: string,
): Promise<void> {
  await git(cwd, ['update-ref', '--create-reflog', '-m', reason, ref, to, from]);
}

/** Puts a ref of ours where it says, wherever it was. */
export async function setRef(cwd: string, ref: string, to: string, reason: string): Promise<void> {
  await git(cwd, ['update-ref', '--create-reflog', '-m', reason, ref, to]);
}

/** {@link moveRef}, and in the same step puts `beside` where it says: both happen, or neither. */
export async function moveRefWith(
  cwd: string,
  ref: string,
  to: string,
  from: string,
  reason: string,
  beside: { ref: string; commit: string },
): Promise<void> {
  const stdin = `update ${ref} ${to} ${from}\nupdate ${beside.ref} ${beside.commit}\n`;
  await git(cwd, ['update-ref', '--create-reflog', '-m', reason, '--stdin'], { stdin });
}

/**
 * Creates a branch at `commit`, and only if there is none of that name; an empty old value says so to git. Where it cannot, it
 * resolves with why: `name_taken` and `bad_name` are for the caller to tell.
 */
export async function createBranch(
  cwd: string,
  branch: string,
  commit: string,
  reason: string,
): Promise<'created' | GitError> {
  const args = ['update-ref', '--create-reflog', '-m', reason, `refs/heads/${branch}`, commit, ''];
  const made = await tryGit(cwd, args);
  return made instanceof Error ? made : 'created';
}

/** Deletes `ref`, and only if it still is at `from`. */
export async function deleteRef(cwd: string, ref: string, from: string): Promise<void> {
  const deleted = await tryDeleteRef(cwd, ref, from);
  if (deleted !== 'deleted') throw deleted;
}

/** {@link deleteRef}, for a caller to whom a ref that is elsewhere or gone is an answer. */
export async function tryDeleteRef(cwd: string, ref: string, from: string): Promise<'deleted' | GitError> {
  const deleted = await tryGit(cwd, ['update-ref', '-d', ref, from]);
  return deleted instanceof Error ? deleted : 'deleted';
}

/**
 * Forgets `[branch "<name>"]` settings, as `git branch -d` does. git is asked only where the config file speaks of the
 * branch. There may be no such section all the same (128), and while someone else's git holds the file (255) it stays: it
 * means nothing without the branch.
 */
export async function forgetBranchSettings(commonDir: string, cwd: string, branch: string): Promise<void> {
  const config = await readFile(join(commonDir, 'config'), 'utf8').catch(() => branch);
  if (!config.includes(branch)) return;
  await git(cwd, ['config', '--local', '--remove-section', `branch.${branch}`], { ok: [0, 128, 255] });
}

/**
 * Pairs found to be ancestor and descendant. A commit's name is the hash of its whole history, so what was true of two
 * of them stays true; a gate has usually asked what the landing behind it asks again.
 */
const known = new Set<string>();

/** Distances found, by pair: as immutable as ancestry, and asked again by every `status`. */
const distances = new Map<string, { ahead: number; behind: number }>();

const MOST_KNOWN = 1_000;

/** True when `ancestor` is reachable from `commit` (or is it). */
export async function isAncestor(cwd: string, ancestor: string, commit: string): Promise<boolean> {
  const pair = `${ancestor} ${commit}`;
  if (ancestor === commit || known.has(pair)) return true;
  const { code } = await git(cwd, ['merge-base', '--is-ancestor', ancestor, commit], { ok: [0, 1] });
  if (code !== 0) return false;
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(pair);
  return true;
}

/** How many commits `commit` has that `base` lacks, and the reverse. */
export async function aheadBehind(
  cwd: string,
  base: string,
  commit: string,
): Promise<{ ahead: number; behind: number }> {
  if (base === commit) return { ahead: 0, behind: 0 };
  const pair = `${base} ${commit}`;
  const told = distances.get(pair);
  if (told) return told;
  const line = await gitLine(cwd, ['rev-list', '--left-right', '--count', `${base}...${commit}`, '--']);
  const [behind = 0, ahead = 0] = line.split('\t').map(Number);
  if (distances.size >= MOST_KNOWN) distances.clear();
  distances.set(pair, { ahead, behind });
  return { ahead, behind };
}

/** Trees found, by the full name of their commit: as immutable as ancestry. */
const trees = new Map<string, string>();

/** The tree of a commit. */
export async function treeOf(cwd: string, commit: string): Promise<string> {
  const told = trees.get(commit);
  if (told !== undefined) return told;
  const tree = await gitLine(cwd, ['rev-parse', `${commit}^{tree}`]);
  if (fullName.test(commit)) {
    if (trees.size >= MOST_KNOWN) trees.clear();
    trees.set(commit, tree);
  }
  return tree;
}

/** The tree of each commit; git is asked once for all of them. */
export async function treesOf(
  cwd: string,
  commits: Iterable<string>,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const asked = [...new Set(commits)];
  const { stdout } = await git(cwd, ['cat-file', '--batch-check=%(objectname)'], {
    stdin: asked.map((commit) => `${commit}^{tree}\n`).join(''),
    signal,
  });
  const answers = stdout.toString('latin1').split('\n');
  return new Map(asked.map((commit, n) => [commit, answers[n] ?? '']));
}

/** Commits of `commit` that `base` and `without` lack (all, without a base), newest first, as `<hash> <subject>`. */
export async function logOneline(
  cwd: string,
  base: string | undefined,
  commit: string,
  limit: number,
  without: readonly string[] = [],
): Promise<string[]> {
  const { stdout } = await git(cwd, [
    'log',
    `--max-count=${limit}`,
    '--no-show-signature',
    '--no-color',
    '--format=%h %s',
    base === undefined ? commit : `${base}..${commit}`,
    ...without.map((one) => `^${one}`),
    '--',
  ]);
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}
