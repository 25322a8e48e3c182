import { type GitError, git } from './core.ts';

/** Why a checkout cannot follow from one tree to another: git's own list, by kind. */
export interface Obstacles {
  changed: string[];
  untracked: string[];
}

/**
 * Takes the index and the working tree of the checkout at `cwd` from `from` to `to` (git-read-tree(1), two-tree merge).
 * Ignored files count as untracked: without an exclude list git overwrites neither. All paths are checked before the
 * first file is written.
 */
export async function switchTree(
  cwd: string,
  from: string,
  to: string,
  options: { dryRun?: boolean } = {},
): Promise<void> {
  await git(cwd, ['read-tree', '-m', '-u', ...(options.dryRun ? ['--dry-run'] : []), from, to]);
}

/** Brings the index's cached stat data up to date, so that touched but equal files do not count as changed. */
export async function refreshIndex(cwd: string): Promise<void> {
  await git(cwd, ['update-index', '-q', '--refresh'], { ok: [0, 1] });
}

/** Reads the paths out of what git said when a checkout cannot follow. */
export function parseObstacles(error: GitError): Obstacles {
  const changed: string[] = [];
  const untracked: string[] = [];
  for (const line of error.stderr.split('\n')) {
    const entry = /Entry '(.+)' (?:not uptodate|would be overwritten)/.exec(line);
    const loose = /Untracked working tree file '(.+)' would be/.exec(line);
    const folder = /Updating '(.+)' would lose untracked files/.exec(line);
    if (entry?.[1]) changed.push(entry[1]);
    else if (loose?.[1]) untracked.push(loose[1]);
    else if (folder?.[1]) untracked.push(folder[1]);
  }
  return { changed, untracked };
}
