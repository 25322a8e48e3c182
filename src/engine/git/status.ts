import { fields, git, pathText } from './core.ts';
import { type Difference, differences, textOf } from './differences.ts';
import { commonDirOf } from './git-dir.ts';
import type { Checkout } from './own-index.ts';
import { askPlace, readPlace } from './place.ts';

/** What `git status` says of one checkout. Paths are relative to the git top. */
export interface TreeStatus {
  /** Absent before the first commit. */
  commit?: string;
  /** Short branch name; absent on a detached HEAD. */
  branch?: string;
  staged: string[];
  unstaged: string[];
  /** Unmerged paths; each is in `unstaged` too. */
  unmerged: string[];
  untracked: string[];
  /** Files and directories that git ignores, where they were asked for; a directory ends with `/`. */
  ignored?: string[];
  /** Files that are not as the commit has them, and that an index flag or a sparse pattern tells git to overlook; absent when none. */
  overlooked?: Overlooked;
}

export interface Overlooked {
  edited: string[];
  /** Files that are not there, so that they are no part of what is judged. */
  absent: string[];
}

/** Parses `git status --porcelain=v2 --branch -z` (git-status(1), "Porcelain Format Version 2"). */
export function parseStatus(stdout: Buffer): TreeStatus {
  const status: TreeStatus = { staged: [], unstaged: [], unmerged: [], untracked: [] };
  const parts = fields(stdout);
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as Buffer;
    const kind = String.fromCharCode(part[0] ?? 0);
    if (kind === '#') {
      const [, key, value = ''] = part.toString('utf8').split(' ');
      if (key === 'branch.oid' && value !== '(initial)') status.commit = value;
      if (key === 'branch.head' && value !== '(detached)') status.branch = value;
    } else if (kind === '1' || kind === '2' || kind === 'u') {
      // The path is the last field, and may itself hold spaces.
      const path = pathText(afterSpaces(part, kind === '1' ? 8 : kind === '2' ? 9 : 10));
      if (kind === '2') i++; // the path a rename came from
      if (kind === 'u') {
        status.unmerged.push(path);
        status.unstaged.push(path);
        continue;
      }
      if (part[2] !== 0x2e) status.staged.push(path);
      if (part[3] !== 0x2e) status.unstaged.push(path);
    } else if (kind === '?') status.untracked.push(pathText(part.subarray(2)));
    else if (kind === '!') status.ignored = [...(status.ignored ?? []), pathText(part.subarray(2))];
  }
  return status;
}

function afterSpaces(part: Buffer, count: number): Buffer {
  let at = -1;
  for (let n = 0; n < count; n++) at = part.indexOf(0x20, at + 1);
  return part.subarray(at + 1);
}

/**
 * The state of the checkout `cwd` lies in. `untracked: 'no'` skips looking for untracked files where the caller only
 * decides about tracked ones. Flags override the user's `status.*` settings and those of single submodules.
 *
 * What git does not show is looked for by content ({@link differences}), and counts as changed. `compare: 'known'` does so only
 * where that costs no more than git itself, `'not'` leaves it to git's word: for what is told, never for what is decided.
 */
export async function readStatus(
  cwd: string,
  options: {
    untracked?: 'normal' | 'all' | 'no';
    /** What counts as a change of a submodule, less than everything: `dirty` only its commit, `all` nothing. */
    submodules?: 'dirty' | 'all';
    /** Also tells what git ignores, a whole directory by its name. */
    ignored?: boolean;
    compare?: 'fully' | 'known' | 'not';
    /** The commit that HEAD is thought to be at: then files are looked at while git does. */
    commit?: string;
    signal?: AbortSignal | undefined;
    env?: Record<string, string>;
  } = {},
): Promise<TreeStatus> {
  const asking = git(
    cwd,
    [
      'status',
      '--porcelain=v2',
      '--branch',
      '-z',
      '--no-renames',
      '--no-ahead-behind',
      `--untracked-files=${options.untracked ?? 'normal'}`,
      `--ignore-submodules=${options.submodules ?? 'none'}`,
      ...(options.ignored ? ['--ignored=matching'] : []),
    ],
    { signal: options.signal, ...(options.env && { env: options.env }) },
  );
  const reading = asking.then(({ stdout }) => parseStatus(stdout));
  if (options.compare === 'not') return reading;
  const looking = options.commit === undefined ? undefined : compared(cwd, options.commit, reading, options);
  looking?.catch(() => undefined); // awaited below, unless git's own error comes first
  const status = await reading;
  const early = await looking;
  if (status.commit === undefined) return status;
  const isOfThat = early !== undefined && status.commit === options.commit;
  addHidden(status, isOfThat ? early : await compared(cwd, status.commit, reading, options));
  return status;
}

interface Comparing {
  compare?: 'fully' | 'known' | 'not';
  signal?: AbortSignal | undefined;
  env?: Record<string, string>;
}

/** What differs from a commit beyond what git shows, and the files that git was told to overlook. */
async function compared(
  cwd: string,
  commit: string,
  reading: Promise<TreeStatus>,
  { compare, signal, env }: Comparing,
): Promise<{ hidden: [string, Difference][]; flagged: Set<string> }> {
  const checkout = await checkoutAt(cwd, env);
  const showing = reading.then(({ staged, unstaged }) => new Set([...staged, ...unstaged]));
  const skip = showing.then((shown) => (path: string) => shown.has(path));
  skip.catch(() => undefined); // whoever asked for the status is told
  const found = await differences(checkout, commit, { skip, known: compare === 'known', signal });
  const shown = await showing;
  const hidden = [...(found ?? [])].filter(([key]) => !shown.has(textOf(key)));
  return { hidden, flagged: hidden.length === 0 ? new Set() : await flaggedIn(checkout, signal) };
}

/** The paths of a checkout with conflicts (git-ls-files(1), `--unmerged`): its index alone is asked. */
export async function unmergedPaths(cwd: string): Promise<string[]> {
  const { stdout } = await git(cwd, ['ls-files', '--unmerged', '--full-name', '-z']);
  return [...new Set(fields(stdout).map((line) => pathText(line.subarray(line.indexOf(0x09) + 1))))];
}

async function checkoutAt(cwd: string, env: Record<string, string> | undefined): Promise<Checkout> {
  if (!env) return (await readPlace(cwd)) ?? askPlace(cwd);
  const { GIT_DIR: gitDir, GIT_WORK_TREE: top } = env;
  if (gitDir === undefined || top === undefined) throw new Error('another index than the checkout’s own');
  return { top, gitDir, commonDir: (await commonDirOf(gitDir)) ?? gitDir, env };
}

function addHidden(status: TreeStatus, { hidden, flagged }: Awaited<ReturnType<typeof compared>>): void {
  const overlooked: Overlooked = { edited: [], absent: [] };
  for (const [key, how] of hidden) {
    if (!flagged.has(key)) status.unstaged.push(textOf(key));
    else overlooked[how === 'absent' ? 'absent' : 'edited'].push(textOf(key));
  }
  if (overlooked.edited.length + overlooked.absent.length > 0) status.overlooked = overlooked;
}

/** The files that the index tells git to overlook (git-ls-files(1): a small letter, or `S`). */
async function flaggedIn({ top, env }: Checkout, signal: AbortSignal | undefined): Promise<Set<string>> {
  const { stdout } = await git(top, ['ls-files', '-v', '-z', '--full-name'], { signal, ...(env && { env }) });
  const flagged = new Set<string>();
  for (const line of fields(stdout)) {
    const tag = String.fromCharCode(line[0] ?? 0);
    if (tag === 'S' || tag !== tag.toUpperCase()) flagged.add(line.toString('latin1', 2));
  }
  return flagged;
}

/** True when nothing is staged, changed or untracked. */
export function isClean(status: TreeStatus): boolean {
  return isTrackedClean(status) && status.untracked.length === 0;
}

/** True when no tracked file differs from HEAD. */
export function isTrackedClean(status: TreeStatus): boolean {
  return status.staged.length === 0 && status.unstaged.length === 0;
}

/** The changed paths of a status, the first few by name. */
export function listChanges(status: TreeStatus, most = 5): string {
  const paths = [...new Set([...status.staged, ...status.unstaged, ...status.untracked])];
  const more = paths.length - most;
  return paths.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
