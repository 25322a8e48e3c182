import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exists } from '../files/files.ts';
import { fields, git, pathText } from './core.ts';
import { GitError } from './error.ts';
import { findMain } from './main-place.ts';

/** One entry of `git worktree list --porcelain -z`. */
export interface WorktreeEntry {
  path: string;
  /** Absent on a bare entry; all zeros on an unborn branch. */
  head?: string;
  /** Full ref name, such as `refs/heads/main`; absent when detached. */
  branch?: string;
  bare: boolean;
  detached: boolean;
  /** The lock reason; empty when locked without one. */
  locked?: string;
  prunable?: string;
}

/** The short name of the branch an entry is on; absent on a detached HEAD. */
export const branchOf = ({ branch }: WorktreeEntry): string | undefined =>
  branch?.replace(/^refs\/heads\//, '');

/** Parses `git worktree list --porcelain -z`: records of `key[ value]` fields, an empty field between records. */
export function parseWorktrees(stdout: Buffer): WorktreeEntry[] {
  const entries: WorktreeEntry[] = [];
  let entry: WorktreeEntry | undefined;
  for (const field of fields(stdout)) {
    if (field.length === 0) {
      entry = undefined;
      continue;
    }
    const space = field.indexOf(0x20);
    const key = (space === -1 ? field : field.subarray(0, space)).toString('latin1');
    const value = space === -1 ? Buffer.alloc(0) : field.subarray(space + 1);
    if (key === 'worktree') {
      entry = { path: pathText(value), bare: false, detached: false };
      entries.push(entry);
    } else if (entry) {
      if (key === 'HEAD') entry.head = value.toString('latin1');
      else if (key === 'branch') entry.branch = value.toString('utf8');
      else if (key === 'bare') entry.bare = true;
      else if (key === 'detached') entry.detached = true;
      else if (key === 'locked') entry.locked = value.toString('utf8');
      else if (key === 'prunable') entry.prunable = value.toString('utf8');
    }
  }
  return entries;
}

/** How often a git is started again that met a half-made checkout, and by how much longer is waited each time. Milliseconds. */
const MOST_TRIES = 10;
const LONGER_MS = 20;

/** git looks at the entry of every checkout, and fails at one that another git is just making. */
async function onceWhole<Value>(run: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof GitError && error.kind === 'half_made') || tries === MOST_TRIES) throw error;
    }
    await sleep(LONGER_MS * tries);
  }
}

/**
 * Every checkout of the repository `cwd` belongs to, or whose git directory is `gitDir`; the main one (or the bare
 * repository) comes first.
 */
export async function listWorktrees(
  cwd: string,
  signal?: AbortSignal,
  gitDir?: string,
): Promise<WorktreeEntry[]> {
  const { stdout } = await onceWhole(() =>
    git(cwd, ['worktree', 'list', '--porcelain', '-z'], {
      signal,
      ...(gitDir !== undefined && { env: { GIT_DIR: gitDir } }),
    }),
  );
  const entries = parseWorktrees(stdout);
  const [main] = entries;
  if (main && !main.bare) await locateMain(main, entries.slice(1), signal);
  return entries;
}

/**
 * git lists the main checkout of a submodule, or of a repository whose git directory lies apart, under its git directory.
 * A submodule's git directory knows the way back (`core.worktree`); where none does, the checkout is looked for by its own
 * `.git` file. Where that leads nowhere either, the entry counts as bare, since there is no checkout that could be reached by it.
 */
async function locateMain(
  main: WorktreeEntry,
  linked: readonly WorktreeEntry[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (await exists(join(main.path, '.git'))) return;
  const { stdout, code } = await git(main.path, ['rev-parse', '--show-toplevel'], { ok: [0, 128], signal });
  if (code !== 0) await locateByConfig(main, signal);
  else main.path = pathText(stdout.subarray(0, -1));
  if (!main.bare) return;
  const gone = ({ prunable }: WorktreeEntry) => prunable !== undefined;
  const paths = linked.filter((one) => !gone(one)).map(({ path }) => path);
  const found = await findMain(main.path, paths);
  if (found !== undefined) Object.assign(main, { path: found, bare: false });
}

/** Where git may not be run in a git directory (`safe.bareRepository`), its config file still says where the checkout is. */
async function locateByConfig(main: WorktreeEntry, signal: AbortSignal | undefined): Promise<void> {
  const asking = ['config', '--file', join(main.path, 'config'), '--get', 'core.worktree'];
  const { stdout, code } = await git(main.path, asking, { ok: [0, 1, 128], signal });
  if (code === 0) main.path = resolve(main.path, pathText(stdout.subarray(0, -1)));
  else main.bare = true;
}

/** Checks an existing branch out in a new linked checkout at `path`. */
export async function addWorktree(
  cwd: string,
  path: string,
  branch: string,
  signal?: AbortSignal,
): Promise<void> {
  await onceWhole(() => git(cwd, ['worktree', 'add', '--quiet', '--', path, branch], { signal }));
}

/**
 * Unregisters the checkout that was at `path`. The directory must be gone already; git then removes only its own
 * entry for it, and `--force` covers checkouts with submodules. A locked one stays, unless `evenLocked`.
 */
export async function forgetWorktree(
  cwd: string,
  path: string,
  options: { evenLocked?: boolean } = {},
): Promise<void> {
  const force = options.evenLocked ? ['--force', '--force'] : ['--force'];
  await git(cwd, ['worktree', 'remove', ...force, '--', path]);
}
