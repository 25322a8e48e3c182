import { type GitError, git, tryGit } from './core.ts';

/** Why a checkout cannot follow from one tree to another, by kind. */
export interface Obstacles {
  changed: string[];
  untracked: string[];
}

/**
 * Takes the index and the working tree of the checkout at `cwd` from `from` to `to` (git-read-tree(1), two-tree merge).
 * Ignored files count as untracked: without an exclude list git overwrites neither. All paths are checked before the
 * first file is written. Where it cannot, it resolves with why, which {@link parseObstacles} reads.
 */
export async function switchTree(
  cwd: string,
  from: string,
  to: string,
  options: { dryRun?: boolean } = {},
): Promise<'switched' | GitError> {
  const switched = await tryGit(cwd, [
    'read-tree',
    '-m',
    '-u',
    ...(options.dryRun ? ['--dry-run'] : []),
    from,
    to,
  ]);
  return switched instanceof Error ? switched : 'switched';
}

/** Brings the index's cached stat data up to date, so that touched but equal files do not count as changed. */
export async function refreshIndex(cwd: string, env?: Record<string, string>): Promise<void> {
  await git(cwd, ['update-index', '-q', '--refresh'], { ok: [0, 1], ...(env && { env }) });
}

/**
 * Reads the paths out of what git-read-tree(1) said when a checkout cannot follow. It names the first obstacle of its
 * kind only, and names as they are, line ends included.
 */
export function parseObstacles(stderr: string): Obstacles {
  const all = (pattern: RegExp) => [...stderr.matchAll(pattern)].map(([, path = '']) => path);
  return {
    changed: all(/^error: Entry '(.+?)' (?:not uptodate|would be overwritten)/gms),
    untracked: [
      ...all(/^error: Untracked working tree file '(.+?)' would be (?:overwritten|removed)/gms),
      ...all(/^error: Updating '(.+?)' would lose untracked files/gms),
    ],
  };
}
