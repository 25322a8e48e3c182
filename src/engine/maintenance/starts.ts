import { readdir } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import { exists } from '../files/files.ts';
import { fields, git } from '../git/core.ts';
import { isAncestor } from '../git/refs.ts';
import { isClean, readStatus } from '../git/status.ts';
import type { Repository } from '../repository/repository.ts';
import { PRUNE } from '../state/remedies.ts';
import { shellWord } from '../words/shell-word.ts';
import { interruptedStarts } from '../worktree/mark.ts';
import { realWorktreesDir } from '../worktree/place.ts';
import type { Leftover } from './leftover.ts';

/** Why a worktree is locked while git makes it; one that a power cut interrupts keeps the lock (git-worktree(1), `add`). */
const BEING_MADE = 'initializing';

/**
 * Worktrees whose start was cut off and in which nobody has worked since: their setup may be incomplete. discern does not
 * remove them by itself, since someone may just have begun there; what such a start left without a worktree is found as a
 * branch or a directory.
 */
export async function halfStarted(repo: Repository): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const id of await interruptedStarts(repo.commonDir)) {
    const path = join(await realWorktreesDir(repo), id);
    const entry = repo.worktrees.find((one) => one.path === path);
    if (entry?.locked === BEING_MADE) found.push(await halfMade(repo, path, entry.head));
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

/** One that git itself had not finished writing. */
async function halfMade(repo: Repository, path: string, head: string | undefined): Promise<Leftover> {
  const worktree = shellWord(path);
  const what = `git was cut off while it made ${path}, and has it locked still`;
  return (await holdsOnly(repo, path, head))
    ? { what: `${what}.`, remedy: `git worktree remove --force --force ${worktree} && ${PRUNE}` }
    : { what: `${what}; someone's own files lie in it.`, remedy: `git worktree unlock ${worktree}` };
}

/** True when whatever lies below a directory is the commit's, be it only by its name. */
async function holdsOnly(repo: Repository, path: string, commit: string | undefined): Promise<boolean> {
  if (commit === undefined) return false;
  const { stdout } = await git(repo.top, ['ls-tree', '-r', '--name-only', '-z', commit]);
  const known = new Set(['.git']);
  for (const field of fields(stdout)) {
    // With the directories on the way to it.
    for (let name = field.toString('utf8'); name !== '.'; name = posix.dirname(name)) known.add(name);
  }
  const names = await readdir(path, { recursive: true });
  return names.every((name) => known.has(name.split(sep).join('/')));
}
