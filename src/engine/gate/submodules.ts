import { join } from 'node:path';
import { exists } from '../files/files.ts';
import { gitlinksOf, textOf } from '../git/differences.ts';
import { type Checkout, entriesOf, isGitlink } from '../git/own-index.ts';
import { askPlace } from '../git/place.ts';
import { isClean, listChanges, readStatus } from '../git/status.ts';

/** What of a commit's submodules was not judged, and what is merely not here. */
export interface UnlikeSubmodules {
  /** Each with why; while there is one, the commit as a whole was not judged. */
  unlike: string[];
  /** Not checked out, and just as the trunk has them: no part of what the branch changes. */
  left: string[];
}

/**
 * The submodules of a commit that a checkout does not have as the commit has them: not checked out, at another commit, or with
 * changes, their own submodules included. No flag of the index is asked: it could hide any of these.
 *
 * git makes a worktree without its submodules, and many projects test without them. So one that is not there only counts where
 * the branch records another commit for it than `base` does.
 */
export async function unlikeSubmodules(
  checkout: Checkout,
  commit: string,
  base: string,
): Promise<UnlikeSubmodules> {
  const links = await gitlinksOf(checkout, commit);
  const result: UnlikeSubmodules = { unlike: [], left: [] };
  if (links.length === 0) return result;
  const before = new Map(
    (await entriesOf(checkout, base)).filter(isGitlink).map(({ key, id }) => [textOf(key), id]),
  );
  for (const { path, id } of links)
    await judge(join(checkout.top, path), path, id, before.get(path) === id, result);
  return result;
}

async function judge(
  inner: string,
  name: string,
  id: string,
  asBefore: boolean,
  result: UnlikeSubmodules,
): Promise<void> {
  if (!(await exists(join(inner, '.git')))) {
    if (asBefore) result.left.push(name);
    else result.unlike.push(`the submodule ${name} is not checked out`);
    return;
  }
  const status = await readStatus(inner);
  const { edited, absent } = status.overlooked ?? { edited: [], absent: [] };
  if (status.commit !== id)
    result.unlike.push(`the submodule ${name} is not at the commit that is recorded for it`);
  else if (!isClean(status)) result.unlike.push(`the submodule ${name} has changes (${listChanges(status)})`);
  else if (edited.length + absent.length > 0)
    result.unlike.push(
      `the submodule ${name} lacks or has edited what git was told to overlook (${[...edited, ...absent].slice(0, 5).join(', ')})`,
    );
  else
    for (const link of await gitlinksOf(await askPlace(inner), id))
      await judge(join(inner, link.path), `${name}/${link.path}`, link.id, asBefore, result);
}
