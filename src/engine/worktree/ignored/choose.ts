import { join, posix } from 'node:path';
import { fields, git } from '../../git/core.ts';
import type { Repository } from '../../repository/repository.ts';
import { worktreesDir } from '../place.ts';
import type { Wanted } from './wanted.ts';

/** What is brought: paths from the git top; a directory's ends with `/` and stands for all in it. */
export interface Chosen {
  paths: string[];
  /** Env files that were asked for, and that `[worktree].env_files` does not name. */
  secrets: string[];
}

const asText = (raw: Buffer): string[] => {
  const text = raw.toString('utf8');
  return Buffer.from(text, 'utf8').equals(raw) ? [text] : [];
};

/**
 * The paths that the patterns of some source match, that git ignores in the checkout they lie in, and that it ignores in the new
 * worktree too: there the commit may say otherwise, and then they would be somebody's changes. git itself matches.
 */
export async function choose(
  repo: Repository,
  fresh: Repository,
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<Chosen> {
  const list = async (...which: string[]) => {
    const args = ['ls-files', '--others', '--ignored', ...which, '--directory', '-z'];
    return fields((await git(repo.top, args, { signal })).stdout).flatMap(asText);
  };
  const [ignored, ...matched] = await Promise.all([
    list('--exclude-standard'),
    ...wanted.map(({ patterns }) => list(...patterns.map((pattern) => `--exclude=${pattern}`))),
  ]);
  const [asked, hidden] = [new Set(matched.flat()), new Set(ignored)];
  const worktrees = [worktreesDir(repo), ...repo.worktrees.map(({ path }) => path)].map((path) => `${path}/`);
  const found = [...new Set([...asked, ...hidden])].filter(
    (path) =>
      isCovered(path, asked) &&
      isCovered(path, hidden) &&
      !worktrees.includes(`${join(repo.top, path).replace(/\/$/, '')}/`),
  );
  const envFiles = new Set(
    fresh.config.config.worktree.env_files.map((file) => posix.join(fresh.prefix, posix.normalize(file))),
  );
  const open = outermost(await ignoredIn(fresh.top, found, signal));
  const secret = (path: string) => path.split('/').some(isSecretName) && !envFiles.has(path);
  return { paths: open.filter((path) => !secret(path)), secrets: open.filter(secret) };
}

/** True of a name under which secrets are kept by custom. */
export const isSecretName = (name: string): boolean => /^\.env/i.test(name);

/** True when a path, or a directory it lies in, is one of the set. */
const isCovered = (path: string, by: ReadonlySet<string>) => by.has(path) || liesIn(path, by);

/** True when a directory that a path lies in is one of the set. */
function liesIn(path: string, by: ReadonlySet<string>): boolean {
  for (let at = path.indexOf('/'); at !== -1 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    if (by.has(path.slice(0, at + 1))) return true;
  }
  return false;
}

/** Without what lies in a directory that is there as well. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => !liesIn(path, all)).sort();
}

/**
 * Those of the paths that git ignores in a checkout. git refuses a whole list for one path behind a link or in a submodule of that
 * checkout, so the list is halved until only that one is left out.
 */
async function ignoredIn(top: string, paths: readonly string[], signal: AbortSignal): Promise<string[]> {
  if (paths.length === 0) return [];
  const stdin = paths.map((path) => `${path}\0`).join('');
  const { stdout, code } = await git(top, ['check-ignore', '-z', '--stdin'], {
    stdin,
    ok: [0, 1, 128],
    signal,
  });
  if (code !== 128) return fields(stdout).flatMap(asText);
  if (paths.length === 1) return [];
  const half = Math.ceil(paths.length / 2);
  const first = await ignoredIn(top, paths.slice(0, half), signal);
  return [...first, ...(await ignoredIn(top, paths.slice(half), signal))];
}
