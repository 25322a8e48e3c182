import { createHash } from 'node:crypto';
import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../files/errno.ts';
import { orWhenAbsent } from '../files/files.ts';
import { fields, git, pathText } from '../git/core.ts';
import { mayReachInto, scopeMatchers } from '../jobs/scope-paths.ts';
import type { Repository } from '../repository/repository.ts';
import { hashFile } from './hash-file.ts';

/** What a job may read by its inputs and no commit has: so many files and bytes of it are looked at. */
const MOST_FILES = 2_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** What git ignores in a project, a whole directory by its name with a slash at the end. */
export async function ignoredIn({ root }: Pick<Repository, 'root'>, signal?: AbortSignal): Promise<string[]> {
  const { stdout } = await git(
    root,
    ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'],
    { signal },
  );
  return fields(stdout).map((path) => pathText(path));
}

/**
 * A digest of the files among a job's inputs that git ignores, those left out that it makes itself: a commit says nothing of
 * them, and the job may read them all the same. Says why not where they cannot be read, or are more than may be looked at.
 */
export async function digestOfIgnored(...given: Parameters<typeof digest>): ReturnType<typeof digest> {
  try {
    return await digest(...given);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { why: `what git ignores among its inputs cannot be read (${errnoOf(error)})` };
  }
}

async function digest(
  root: string,
  ignored: readonly string[],
  patterns: readonly string[],
  artifacts: readonly string[],
): Promise<{ digest: string } | { why: string }> {
  const matches = scopeMatchers(patterns);
  const own = new Set(artifacts);
  const found: string[] = [];
  const queue = [...ignored];
  let looked = 0;
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (++looked > 10 * MOST_FILES) return tooMany;
    const dir = path.endsWith('/') ? path.slice(0, -1) : undefined;
    if (dir === undefined) {
      if (matches(path) && !own.has(path)) found.push(path);
      if (found.length > MOST_FILES) return tooMany;
      // A job that reads through it reads what no commit has.
      if (mayReachInto(patterns, path) && (await leadsToDirectory(join(root, path)))) queue.push(`${path}/`);
      continue;
    }
    if (!mayReachInto(patterns, dir)) continue;
    for (const entry of await readdir(join(root, dir), { withFileTypes: true }))
      queue.push(`${dir}/${entry.name}${entry.isDirectory() ? '/' : ''}`);
  }
  const hash = createHash('sha256');
  let bytes = 0;
  for (const path of found.sort()) {
    const stats = await lstat(join(root, path)).catch(orWhenAbsent(undefined));
    bytes += stats?.size ?? 0;
    if (bytes > MOST_BYTES) return tooMany;
    hash.update(`${path}\0${stats ? stats.mode & 0o111 : 'gone'}\0`);
    if (stats?.isSymbolicLink()) hash.update(`${await readlink(join(root, path))}\0`);
    const behind = stats?.isSymbolicLink()
      ? await stat(join(root, path)).catch(orWhenAbsent(undefined))
      : stats;
    if (behind !== stats) bytes += behind?.size ?? 0;
    if (bytes > MOST_BYTES) return tooMany;
    if (behind?.isFile()) hash.update(await hashFile(join(root, path)));
  }
  return { digest: found.length === 0 ? '' : hash.digest('hex') };
}

async function leadsToDirectory(path: string): Promise<boolean> {
  if (!(await lstat(path).catch(orWhenAbsent(undefined)))?.isSymbolicLink()) return false;
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

const tooMany = {
  why: `git ignores more than ${MOST_FILES} files, or 64 MiB, among its inputs: leave them out with "!"`,
};
