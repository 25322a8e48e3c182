import { rename } from 'node:fs/promises';
import { exists } from '../files.ts';
import type { Leftover } from '../landing/leftovers.ts';
import { closeRemoval, listRemovals } from '../landing/removal-record.ts';
import type { Repository } from '../repository.ts';
import { shellWord } from '../shell-word.ts';
import { registerAgain } from './strays.ts';
import { PRUNE, type Wreck } from './wreck.ts';

/**
 * Directories that a removal moved away and never judged, and whose worktree git was made to forget since. Nobody knows what
 * they hold, so they come back as worktrees under their old names.
 */
export async function orphanedRemovals(leftovers: readonly Leftover[]): Promise<Wreck[]> {
  const found: Wreck[] = [];
  for (const { at, path, judged, gitDir } of leftovers) {
    if (judged || gitDir === undefined || (await exists(gitDir))) continue;
    const what = `${at} is what a cut off removal left of ${path}, and git has forgotten it since; it may hold work.`;
    if (await exists(path)) {
      found.push({ what: `${what} Look through it first.`, remedy: `rm -rf ${shellWord(at)}` });
      continue;
    }
    found.push({
      what,
      remedy: PRUNE,
      mend: {
        action: 'bring back',
        detail: path,
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
export async function distrustedRemovals({ commonDir }: Pick<Repository, 'commonDir'>): Promise<Wreck[]> {
  return (await listRemovals(commonDir)).distrusted.map(({ path, why }) => ({
    what: `${path}, the record of a removal, ${why}, so nothing it says is done.`,
    remedy: `rm ${shellWord(path)}`,
  }));
}
