import { join } from 'node:path';
import { exists } from '../files.ts';
import { gitlinksOf } from '../git/differences.ts';
import type { Checkout } from '../git/own-index.ts';
import { askPlace } from '../git/place.ts';
import { isClean, listChanges, readStatus } from '../git/status.ts';

/**
 * The submodules of a commit that a checkout does not have as the commit has them, each with why: not checked out, at another
 * commit, or with changes, their own submodules included. No flag of the index is asked: it could hide any of these.
 */
export async function unlikeSubmodules(checkout: Checkout, commit: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  for (const { path, id } of await gitlinksOf(checkout, commit)) {
    const inner = join(checkout.top, path);
    const name = below + path;
    if (!(await exists(join(inner, '.git')))) {
      found.push(`the submodule ${name} is not checked out`);
      continue;
    }
    const status = await readStatus(inner);
    const { edited, absent } = status.overlooked ?? { edited: [], absent: [] };
    if (status.commit !== id)
      found.push(`the submodule ${name} is not at the commit that is recorded for it`);
    else if (!isClean(status)) found.push(`the submodule ${name} has changes (${listChanges(status)})`);
    else if (edited.length + absent.length > 0)
      found.push(
        `the submodule ${name} lacks or has edited what git was told to overlook (${[...edited, ...absent].slice(0, 5).join(', ')})`,
      );
    else found.push(...(await unlikeSubmodules(await askPlace(inner), id, `${name}/`)));
  }
  return found;
}
