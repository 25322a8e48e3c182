import { gitLine, tryGit } from './core.ts';

/** The tree of what an index holds (git-write-tree(1)): the checkout's own, or the one that `env` names. */
export function writeTree(cwd: string, env?: Record<string, string>): Promise<string> {
  return gitLine(cwd, ['write-tree'], env && { env });
}

/** {@link writeTree}; `undefined` of an index that no tree can hold, such as one with an unfinished merge. */
export async function treeIfWhole(cwd: string, env?: Record<string, string>): Promise<string | undefined> {
  const written = await tryGit(cwd, ['write-tree'], env && { env });
  if (!(written instanceof Error)) return written.stdout.toString('latin1').trim();
  if (written.kind === 'no_tree') return undefined;
  throw written;
}
