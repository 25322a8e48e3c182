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
