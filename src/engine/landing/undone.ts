import { keyOf } from '../git/compare.ts';
import { pathText } from '../git/core.ts';
import { treeDifference } from '../git/diff.ts';

/**
 * The files of a landing (`from` to `to`) that a later commit has as they were before it. A commit made in the landing checkout
 * between the trunk's move and the files' is made of the old files: it takes the landed work back without a word.
 */
export async function undoneBy(cwd: string, from: string, to: string, now: string): Promise<string[]> {
  if (now === to || from === to) return [];
  const [landed, since] = [await treeDifference(cwd, from, to), await treeDifference(cwd, from, now)];
  const differing = new Set(since.map(({ path }) => keyOf(path)));
  return landed.filter(({ path }) => !differing.has(keyOf(path))).map(({ path }) => pathText(path));
}

/** What to say of it, with the way back. */
export function undoneReason(files: readonly string[], trunk: string, to: string): string {
  const named = files.slice(0, 10);
  const more = files.length - named.length;
  return `a commit made on ${trunk} meanwhile has ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} as before the landing: bring the work back with "git checkout ${to.slice(0, 10)} -- <file>" there, and commit it; the worktree stays until then`;
}
