import { join } from 'node:path';
import { filterName, isLooking } from '../call/looking.ts';
import { exists } from '../files/files.ts';
import { programsIn } from '../git/core.ts';
import type { TreeStatus } from '../git/status.ts';

/** What a look that runs nothing could not know of the checkout at `top`, in sentences; nothing where programs may run. */
export async function notKnown(top: string, tree: TreeStatus): Promise<string[]> {
  if (!isLooking()) return [];
  const [named, submodules] = await Promise.all([programsIn(top), exists(join(top, '.gitmodules'))]);
  const filters = [...new Set(named.flatMap((key) => filterName(key) ?? []))];
  return [
    ...(filters.length > 0 && tree.unstaged.length > 0
      ? [
          `Looking runs nothing, so the repository’s filters (${filters.slice(0, 5).join(', ')}) did not run: a file they convert may be listed as changed though it is not.`,
        ]
      : []),
    ...(submodules
      ? ['Looking runs nothing, so no submodule was looked into: changes inside of them are not listed.']
      : []),
  ];
}
