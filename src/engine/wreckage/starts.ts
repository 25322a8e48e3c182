import { join } from 'node:path';
import { exists } from '../files.ts';
import { isAncestor } from '../git/refs.ts';
import { isClean, readStatus } from '../git/status.ts';
import type { Repository } from '../repository.ts';
import { shellWord } from '../shell-word.ts';
import { interruptedStarts } from '../worktree/mark.ts';
import { realWorktreesDir } from '../worktree/place.ts';
import type { Wreck } from './wreck.ts';

/**
 * Worktrees whose start was cut off and in which nobody has worked since: their setup may be incomplete. discern does not
 * remove them by itself, since someone may just have begun there; what such a start left without a worktree is found as a
 * branch or a directory.
 */
export async function halfStarted(repo: Repository): Promise<Wreck[]> {
  const found: Wreck[] = [];
  for (const id of await interruptedStarts(repo.commonDir)) {
    const path = join(await realWorktreesDir(repo), id);
    const entry = repo.worktrees.find((one) => one.path === path);
    if (!entry || entry.locked !== undefined || !(await exists(path))) continue;
    const untouched =
      repo.trunk !== undefined &&
      entry.head !== undefined &&
      (await isAncestor(repo.top, entry.head, repo.trunk.commit)) &&
      isClean(await readStatus(path));
    if (!untouched) continue;
    found.push({
      what: `The start of ${path} was cut off, so its setup may be incomplete.`,
      remedy: `discern drop ${shellWord(path)} --delete-branch`,
    });
  }
  return found;
}
