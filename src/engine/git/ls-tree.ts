import { fields, git } from './core.ts';

/** What a commit or tree has under a path. */
export interface TreeEntry {
  mode: string;
  /** `blob`, `commit` or `tree`. */
  type: string;
  id: string;
  path: Buffer;
}

/** Parses what `git ls-tree -z` prints: `<mode> <type> <id>\t<path>` (git-ls-tree(1), "OUTPUT FORMAT"). */
export const treeEntries = (stdout: Buffer): TreeEntry[] =>
  fields(stdout).map((line) => {
    const tab = line.indexOf(0x09);
    const [mode = '', type = '', id = ''] = line.toString('latin1', 0, tab).split(' ');
    return { mode, type, id, path: line.subarray(tab + 1) };
  });

/** The last commits whose files were listed: a commit never has other ones, and one verb asks several times. */
const listings = new Map<string, Promise<TreeEntry[]>>();
const MOST_LISTINGS = 2;
/** The most files of a listing that is remembered. */
const MOST_REMEMBERED = 50_000;

/** Every file of a commit, links and submodules too, in git's order. `commit` is its full name. */
export async function listTree(
  cwd: string,
  commit: string,
  { env, signal }: { env?: Record<string, string> | undefined; signal?: AbortSignal | undefined } = {},
): Promise<TreeEntry[]> {
  // One that was cancelled, or failed elsewhere, says nothing here.
  const told = await listings.get(commit)?.catch(() => undefined);
  if (told) return told;
  const asking = git(cwd, ['ls-tree', '-r', '-z', '--full-tree', commit], { signal, ...(env && { env }) });
  const listing = asking.then(({ stdout }) => treeEntries(stdout));
  listings.set(commit, listing);
  const forget = () => {
    if (listings.get(commit) === listing) listings.delete(commit);
  };
  listing.then((entries) => entries.length > MOST_REMEMBERED && forget(), forget);
  for (const oldest of [...listings.keys()].slice(0, -MOST_LISTINGS)) listings.delete(oldest);
  return listing;
}
