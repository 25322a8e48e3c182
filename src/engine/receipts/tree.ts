import { pathText } from '../git/core.ts';
import { listTree } from '../git/ls-tree.ts';
import type { Repository } from '../repository/repository.ts';

/** A file of the project as its commit has it. */
export interface TreeFile {
  /** Relative to the project root. */
  path: string;
  mode: string;
  /** git's own object id: the same bytes, the same id. */
  id: string;
}

/** Every file of the project in a checkout's commit, links and submodules too, in git's order. */
export async function projectTree(repo: Repository, signal?: AbortSignal): Promise<TreeFile[]> {
  const below = repo.prefix ? `${repo.prefix}/` : '';
  const listed = await listTree(repo.top, repo.commit, { signal });
  const own = below ? listed.filter(({ path }) => pathText(path).startsWith(below)) : listed;
  return own.map(({ mode, id, path }) => ({
    path: pathText(path).slice(below.length),
    mode,
    id,
  }));
}

export const isLink = ({ mode }: TreeFile) => mode === '120000';
export const isSubmodule = ({ mode }: TreeFile) => mode === '160000';
