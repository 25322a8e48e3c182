import { fields, git, pathText } from './core.ts';

/** Plumbing diffs read no `diff.*` setting except these two drivers, which are turned off. */
const plain = ['--no-ext-diff', '--no-textconv', '--no-renames'];

/** Paths that differ between two trees, relative to the git top. */
export async function changedPaths(
  cwd: string,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const { stdout } = await git(cwd, ['diff-tree', '-r', '-z', '--name-only', ...plain, from, to, '--'], {
    signal,
  });
  return fields(stdout).map(pathText);
}

/** One side of a path that differs: what git stores for it. */
export interface TreeEntry {
  mode: string;
  id: string;
}

/** A path that differs between two trees; a side without an entry does not have it. */
export interface Difference {
  path: Buffer;
  from?: TreeEntry;
  to?: TreeEntry;
}

/** {@link changedPaths}, with both sides. Names are the bytes git has. */
export async function treeDifference(cwd: string, from: string, to: string): Promise<Difference[]> {
  const { stdout } = await git(cwd, [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-abbrev',
    ...plain,
    from,
    to,
    '--',
  ]);
  const parts = fields(stdout);
  const entries: Difference[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    // ":<mode> <mode> <id> <id> <status>", then the path (git-diff-tree(1), raw format)
    const [oldMode = '', newMode = '', before = '', after = ''] = (parts[i] as Buffer)
      .toString('latin1')
      .slice(1)
      .split(' ');
    entries.push({
      path: parts[i + 1] as Buffer,
      ...(oldMode !== '000000' && { from: { mode: oldMode, id: before } }),
      ...(newMode !== '000000' && { to: { mode: newMode, id: after } }),
    });
  }
  return entries;
}

/** What the working tree changed in `paths`, as a patch cut at `limit` bytes. */
export async function worktreePatch(top: string, paths: readonly string[], limit: number): Promise<string> {
  const { stdout } = await git(top, [
    '--literal-pathspecs',
    'diff',
    '--no-color',
    ...plain,
    '--src-prefix=a/',
    '--dst-prefix=b/',
    '--ignore-submodules=none',
    'HEAD',
    '--',
    ...paths,
  ]);
  const text = stdout.subarray(0, limit).toString('utf8');
  return stdout.length > limit ? `${text}\n[cut at ${limit} bytes]` : text;
}
