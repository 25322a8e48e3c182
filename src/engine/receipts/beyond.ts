import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { exists, orWhenAbsent } from '../files/files.ts';
import { pathText } from '../git/core.ts';
import { listTree } from '../git/ls-tree.ts';
import { isClean, readStatus } from '../git/status.ts';
import { mayReachInto, scopeMatchers } from '../jobs/scope-paths.ts';
import type { Repository } from '../repository/repository.ts';
import { ignoredIn } from './ignored-inputs.ts';
import { isLink, isSubmodule, type TreeFile } from './tree.ts';

/*
 * A job may read files that its inputs name and its commit lists under no such name: behind a link to a directory, in a submodule.
 * They are found under the name the job knows them by, so that a pattern means the same whatever lies on the way.
 */

/** A link or a submodule of the commit that some inputs lie behind. */
export interface Way {
  /** Where it stands, from the project's root. */
  path: string;
  /** The directory a link leads to, from the project's root, empty for that itself; absent for a submodule. */
  to?: string;
}

/** What lies behind a link or submodule, each file by the name that leads there; or why nobody knows, in words. */
type Behind = { files: TreeFile[]; way?: Way } | { why: string };

/** The links and submodules of a commit, each looked behind once and only where somebody asks. */
export function waysOf(repo: Repository, tree: readonly TreeFile[]) {
  const known = new Map<string, Promise<Behind>>();
  const all = tree.filter((file) => isLink(file) || isSubmodule(file));
  return {
    all,
    behind(file: TreeFile): Promise<Behind> {
      const made =
        known.get(file.path) ??
        (isLink(file) ? behindLink(repo.root, tree, file) : inSubmodule(repo.root, file));
      known.set(file.path, made);
      return made;
    },
  };
}

/** The files that patterns name beyond what a tree lists, and the ways to them; or why no result of such inputs may be reused. */
export async function lookBeyond(
  patterns: readonly string[],
  { all, behind }: ReturnType<typeof waysOf>,
): Promise<{ files: TreeFile[]; ways: Way[] } | { why: string }> {
  const files: TreeFile[] = [];
  const ways: Way[] = [];
  if (all.length === 0) return { files, ways };
  const matches = scopeMatchers(patterns);
  for (const one of all) {
    const isInput = matches(one.path);
    if (!isInput && !mayReachInto(patterns, one.path)) continue;
    const found = await behind(one);
    if ('why' in found) return found;
    // A link to one file has a name of its own, and is an input by that alone.
    const named = found.way ? found.files.filter(({ path }) => matches(path)) : isInput ? found.files : [];
    const farther = found.files.find(
      (file) =>
        (isLink(file) || isSubmodule(file)) && (matches(file.path) || mayReachInto(patterns, file.path)),
    );
    if (farther) return { why: `${farther.path} of its inputs lies behind more than one link or submodule` };
    files.push(...named);
    if (found.way) ways.push(found.way);
  }
  return { files, ways };
}

async function behindLink(root: string, tree: readonly TreeFile[], { path }: TreeFile): Promise<Behind> {
  const target = await realpath(join(root, path)).catch(() => undefined);
  if (target === undefined) return { why: `${path}, a link among its inputs, leads nowhere` };
  const to = relative(root, target).split(sep).join('/');
  const isDirectory = (await stat(target).catch(orWhenAbsent(undefined)))?.isDirectory() === true;
  if (to === '..' || to.startsWith('../'))
    return { why: `${path}, a link among its inputs, leads out of the project` };
  if (isDirectory) {
    const below = to === '' ? '' : `${to}/`;
    const files = tree
      .filter((file) => file.path.startsWith(below))
      .map((file) => ({ ...file, path: `${path}/${file.path.slice(below.length)}` }));
    return { files, way: { path, to } };
  }
  const file = tree.find((one) => one.path === to);
  return file
    ? { files: [{ ...file, path }] }
    : { why: `${path}, a link among its inputs, leads to ${to}, which no commit has` };
}

async function inSubmodule(root: string, { path, id }: TreeFile): Promise<Behind> {
  const inner = join(root, path);
  const way = { path };
  if (!(await exists(join(inner, '.git')))) {
    const left = await readdir(inner).catch(orWhenAbsent([]));
    // git sees nothing of what lies there.
    if (left.length > 0) return { why: `${path} among its inputs is a submodule that is not checked out` };
    return { files: [], way };
  }
  const status = await readStatus(inner, { untracked: 'all' });
  if (status.commit !== id || !isClean(status) || status.overlooked)
    return { why: `${path} among its inputs is a submodule that is not as the commit has it` };
  const files = (await listTree(inner, id)).map((entry) => ({
    path: `${path}/${pathText(entry.path)}`,
    mode: entry.mode,
    id: entry.id,
  }));
  return { files, way };
}

/** What git ignores in a project, and what it ignores behind some ways, by the names that lead there. */
export async function ignoredBeyond(
  root: string,
  ignored: readonly string[],
  ways: readonly Way[],
): Promise<string[]> {
  const all = [...ignored];
  for (const { path, to } of ways) {
    if (to === undefined) {
      if (!(await exists(join(root, path, '.git')))) continue;
      all.push(...(await ignoredIn({ root: join(root, path) })).map((one) => `${path}/${one}`));
      continue;
    }
    const below = to === '' ? '' : `${to}/`;
    for (const one of ignored) {
      if (one.startsWith(below)) all.push(`${path}/${one.slice(below.length)}`);
      // The whole target is ignored, or more than that.
      else if (one.endsWith('/') && below.startsWith(one)) all.push(`${path}/`);
    }
  }
  return all;
}
