import { fields } from './core.ts';

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
