import { rename } from 'node:fs/promises';
import { exists } from '../files/files.ts';
import type { InterruptedRemoval } from '../landing/interrupted-removals.ts';
import { closeRemoval, listRemovals } from '../landing/removal-record.ts';
import type { Repository } from '../repository/repository.ts';
import { PRUNE } from '../state/remedies.ts';
import { shellWord } from '../words/shell-word.ts';
import { isInUse } from '../worktree/admin.ts';
import type { Leftover } from './leftover.ts';
import { registerAgain } from './strays.ts';

/**
 * Directories that a removal moved away and never judged, and that cannot just go back: git was made to forget the worktree
 * since, or something else is at its place now. Nobody knows what they hold, so they come back as worktrees under their old
 * names where these are free.
 */
export async function orphanedRemovals(
  { commonDir }: Pick<Repository, 'commonDir'>,
  removals: readonly InterruptedRemoval[],
): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const { at, path, judged, gitDir, registered } of removals) {
    if (judged || gitDir === undefined) continue;
    const [named, taken] = await Promise.all([exists(gitDir), exists(path)]);
    if (registered && (!taken || (await isInUse(commonDir, gitDir)))) continue;
    const left = `${at} is what a cut off removal left of ${path}`;
    if (taken || named) {
      const now = taken ? 'something else is there now' : 'git has another worktree by its name now';
      found.push({
        what: `${left}, and ${now}; it may hold work. Look through it first.`,
        remedy: `rm -rf ${shellWord(at)}`,
      });
      continue;
    }
    const what = `${left}, and git has forgotten it since; it may hold work.`;
    found.push({
      what,
      remedy: PRUNE,
      cleanup: {
        action: 'bring back',
        detail: path,
        restores: path,
        perform: async (repo) => {
          await rename(at, path);
          await closeRemoval(repo.commonDir, at);
          return registerAgain(repo, path, gitDir);
        },
      },
    });
  }
  return found;
}

/** Records of removals that are not ours to act on. */
export async function distrustedRemovals({ commonDir }: Pick<Repository, 'commonDir'>): Promise<Leftover[]> {
  return (await listRemovals(commonDir)).distrusted.map(({ path, why }) => ({
    what: `${path}, the record of a removal, ${why}, so nothing it says is done.`,
    remedy: `rm ${shellWord(path)}`,
  }));
}
