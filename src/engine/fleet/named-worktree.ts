import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { checkoutOf } from '../callers/checkout-of.ts';
import { point } from '../faults/faults.ts';
import { exists } from '../files/files.ts';
import { branchOf, type WorktreeEntry } from '../git/worktree.ts';
import { checkoutsOf } from '../repository/home.ts';
import { rootIn } from '../repository/repository.ts';
import { findRoot } from '../repository/root.ts';
import { gitDirOf, namesOf } from '../worktree/identity.ts';
import { type Parked, parkedByPath, unparkWith } from '../worktree/parked.ts';
import { type KnownProject, knownProjects, projectAt } from './known-projects.ts';

/** A checkout that an argument named. */
export interface NamedWorktree {
  /** Its git top. */
  top: string;
  /** The project root in it, where a verb can begin. */
  root: string;
  /** Its own git directory; of the main checkout the repository's. */
  gitDir: string;
  commonDir: string;
  /** True in a linked checkout. */
  linked: boolean;
  /** What discern calls it, else what git does; absent of the main checkout. */
  id?: string;
  branch: string | null;
  /** Empty before the first commit. */
  commit: string;
  /** The lock reason; empty when locked without one. */
  locked?: string;
  /** The project root in the main checkout, or the first other one. */
  home: string;
  /** Where its directory is parked: then neither `top` nor `root` is there. */
  parked?: Parked;
  /** As git lists it; absent where git was made to forget it. */
  entry?: WorktreeEntry;
}

/** `root`, `branch` and `commit`, and which worktree it is, for the answer of a verb that was told one. */
export const whereNamed = ({ root, branch, commit, top, id }: NamedWorktree) => ({
  root,
  branch,
  commit,
  worktree: top,
  ...(id !== undefined && { id }),
});

/**
 * The one worktree that goes by `name`: its id, its branch, or its git top or project root as an absolute path; never the one a caller
 * happens to stand in. It is looked for in the project of `root` first, where there is one, then in every project that is
 * known, and only in those the caller is served. Refuses `path_not_found`, `invalid_argument` for no name, and `ambiguous`, listing which
 * it could be.
 */
export async function worktreeNamed(root: string, name: string, ctx: Context): Promise<NamedWorktree> {
  if (name.trim() === '' || name.includes('\0')) {
    throw new Refusal('invalid_argument', 'Name a worktree by its id, its branch or its absolute path.');
  }
  const { projects } = await knownProjects(root, ctx);
  const own = root === '' ? [] : projects.slice(0, 1);
  const path = isAbsolute(name) ? await realOrParents(name) : undefined;
  // A path may lie in a project that nobody has met yet.
  const places = path === undefined ? [own, projects.slice(own.length)] : [await projectsAt(path, projects)];
  for (const some of places) {
    const all = await Promise.all(some.map((project) => worktreesNamed(project, path ?? name, ctx)));
    // Two projects of one repository have the same worktrees.
    const found = [...new Map(all.flat().map((one) => [one.gitDir, one])).values()];
    const [only, other] = found;
    if (only && other) throw ambiguous(name, found);
    if (only) return only;
  }
  throw notFound(name, own[0] === undefined ? [] : await worktreesOf(own[0], ctx));
}

/** {@link worktreeNamed}, for a verb that works in its directory. Refuses `locked_worktree` while that is parked. */
export async function worktreeThere(root: string, name: string, ctx: Context): Promise<NamedWorktree> {
  const named = await worktreeNamed(root, name, ctx);
  if (!named.parked) return named;
  throw new Refusal('locked_worktree', `${named.top} is parked: ${unparkWith(named.parked)}.`, {
    data: whereNamed(named),
  });
}

/** A path free of symlinks, also where the last of it is not there. */
const realOrParents = (path: string): Promise<string> =>
  realpath(path).catch(() =>
    realpath(dirname(path)).then(
      (parent) => join(parent, basename(path)),
      () => path,
    ),
  );

/** The projects a path may be a worktree of: the one it lies in, else those known of its repository. */
async function projectsAt(path: string, known: readonly KnownProject[]): Promise<KnownProject[]> {
  const place = await checkoutOf(path);
  if (place === undefined) return parkedAt(path, known);
  const found = await findRoot(path).then(projectAt, () => undefined);
  return found ? [found] : known.filter(({ commonDir }) => commonDir === place.commonDir);
}

/** The projects of which a worktree that was at a path is parked, and so nowhere. */
async function parkedAt(path: string, known: readonly KnownProject[]): Promise<KnownProject[]> {
  const parked = await Promise.all(known.map(({ commonDir }) => parkedByPath(commonDir)));
  return known.filter((_, n) =>
    [...(parked[n]?.keys() ?? [])].some((top) => path === top || path.startsWith(`${top}/`)),
  );
}

interface Which {
  /** Those too whose directories are put away. */
  parked?: boolean;
  /** The checkouts, where git has just listed them. */
  entries?: readonly WorktreeEntry[];
}

/** Every checkout of a project that the caller is served. */
export async function worktreesOf(
  project: Pick<KnownProject, 'commonDir' | 'prefix'>,
  ctx: Context,
  options: Which = {},
): Promise<NamedWorktree[]> {
  const isThere = () => exists(project.commonDir);
  if (!(await isThere())) return [];
  const entries =
    options.entries ??
    (await checkoutsOf(project.commonDir, ctx.signal).catch(async (error) => {
      // One that goes while it is looked at hides none of the others.
      if (await isThere()) throw error;
      return [];
    }));
  const parked = new Map(options.parked ? await parkedByPath(project.commonDir) : []);
  await point('named.listed');
  const first = entries.find(({ bare, prunable }) => !bare && prunable === undefined)?.path;
  const home = rootIn(project, first ?? project.commonDir);
  const read = (entry: WorktreeEntry, index: number) =>
    entry.bare ? undefined : readNamed(project, entry, { main: index === 0, home, parked });
  let all = await Promise.all(entries.map(read));
  if (options.parked && all.some((one, index) => !one && !entries[index]?.bare)) {
    // One whose directory is gone may have been parked just now.
    for (const [path, one] of await parkedByPath(project.commonDir)) parked.set(path, one);
    all = await Promise.all(entries.map((entry, index) => all[index] ?? read(entry, index)));
  }
  const paths = new Set(entries.map(({ path }) => path));
  const forgotten = [...parked.values()].filter(({ path }) => !paths.has(path));
  const there = [
    ...all.filter((one) => one !== undefined),
    ...forgotten.map((one) => forgottenByGit(project, one, home)),
  ];
  if (!ctx.serves) return there;
  const served = await Promise.all(
    // Of one that is parked the project tells, since its own root is not there.
    there.map(({ root, parked: away }) => ctx.serves?.(away ? home : root)),
  );
  return there.filter((_, index) => served[index]);
}

/** Those checkouts of one project that go by a name, as {@link worktreeNamed} takes it; a path may also be one behind links. */
export async function worktreesNamed(
  project: Pick<KnownProject, 'commonDir' | 'prefix'>,
  given: string,
  ctx: Context,
  entries?: readonly WorktreeEntry[],
): Promise<NamedWorktree[]> {
  const name = isAbsolute(given) ? await realOrParents(given) : given;
  const all = await worktreesOf(project, ctx, { parked: true, ...(entries && { entries }) });
  return all.filter(
    ({ id, branch, top, root }) => name === id || name === branch || name === top || name === root,
  );
}

/** A checkout of git's list; `undefined` of one whose directory is gone. */
async function readNamed(
  project: Pick<KnownProject, 'commonDir' | 'prefix'>,
  entry: WorktreeEntry,
  known: { main: boolean; home: string; parked: ReadonlyMap<string, Parked> },
): Promise<NamedWorktree | undefined> {
  const { commonDir } = project;
  const { main, home } = known;
  const parked = known.parked.get(entry.path);
  const top = parked ? entry.path : await realpath(entry.path).catch(() => undefined);
  if (top === undefined) return undefined;
  const admin = parked && join(commonDir, 'worktrees', parked.admin);
  const gitDir = main ? commonDir : (admin ?? (await gitDirOf(top)));
  if (gitDir === undefined) return undefined;
  const id = main ? undefined : ((await namesOf(gitDir))?.id ?? basename(gitDir));
  return {
    top,
    root: rootIn(project, top),
    gitDir,
    commonDir,
    linked: !main,
    ...(id !== undefined && { id }),
    branch: branchOf(entry) ?? null,
    commit: entry.head === undefined || /^0+$/.test(entry.head) ? '' : entry.head,
    ...(entry.locked !== undefined && { locked: entry.locked }),
    home,
    ...(parked && { parked }),
    entry,
  };
}

/** A parked worktree that git was made to forget: its files are there still. */
const forgottenByGit = (
  project: Pick<KnownProject, 'commonDir' | 'prefix'>,
  parked: Parked,
  home: string,
): NamedWorktree => ({
  top: parked.path,
  root: rootIn(project, parked.path),
  gitDir: join(project.commonDir, 'worktrees', parked.admin),
  commonDir: project.commonDir,
  linked: true,
  id: parked.id,
  branch: null,
  commit: '',
  home,
  parked,
});

const MOST_LISTED = 12;

function ambiguous(name: string, found: readonly NamedWorktree[]): Refusal {
  const listed = found
    .slice(0, MOST_LISTED)
    .map(({ top, branch }) => `${top} (${branch ?? 'detached HEAD'})`);
  const more = found.length - listed.length;
  return new Refusal(
    'ambiguous',
    `"${name}" may be ${listed.join(' or ')}${more > 0 ? ` or ${more} more` : ''}: name the one you mean by its path.`,
  );
}

function notFound(name: string, all: readonly NamedWorktree[]): Refusal {
  const known = all.flatMap(({ id, branch }) => id ?? branch ?? []).slice(0, MOST_LISTED);
  const listed = known.length > 0 ? ` Here there are: ${known.join(', ')}.` : '';
  return new Refusal(
    'path_not_found',
    `"${name}" is not a worktree of a project that is known here: name one by its id, its branch or its absolute path, as fleet lists it.${listed}`,
  );
}
