import { count } from './count.ts';
import type { Brought } from './data.ts';

/** What came along into a new worktree, in words. */
export function broughtWords({ paths, more = 0, files, how }: Brought): string {
  const named = paths.map((path) => path.replace(/\/$/, '')).join(', ');
  return `${named}${more > 0 ? ` and ${more} more` : ''} (${count(files, 'file')}, ${how === 'copy' ? 'copied' : 'sharing their blocks'})`;
}
