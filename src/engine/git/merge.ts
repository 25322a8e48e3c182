import { fields, GitError, git, gitLine, pathText } from './core.ts';

/**
 * A merge computed in the object store alone: no checkout is touched. With conflicts, `marked` is a tree that has each
 * conflicting file with its markers.
 */
export type MergeResult =
  | { tree: string; conflicts: [] }
  | { tree?: undefined; conflicts: string[]; marked: string };

/**
 * Merges `theirs` into `ours` with `git merge-tree --write-tree` (git 2.38), which works without an index or a working
 * tree. So a conflict has nothing to abort, and dying here leaves nothing behind. `unrelated` when the two share no commit.
 */
export async function mergeTrees(
  cwd: string,
  ours: string,
  theirs: string,
): Promise<MergeResult | 'unrelated'> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const { stdout, stderr, code } = await git(cwd, args, { ok: [0, 1, 128] });
  if (/unrelated histories/.test(stderr)) return 'unrelated';
  if (code === 128) throw new GitError(args, code, stderr);
  const [tree, ...conflicted] = fields(stdout);
  if (code === 0 && tree) return { tree: tree.toString('latin1'), conflicts: [] };
  return {
    conflicts: [...new Set(conflicted.map(pathText))],
    marked: tree?.toString('latin1') ?? '',
  };
}

/** Writes a commit of `tree` with `parents`, unsigned, as the user. */
export async function commitTree(
  cwd: string,
  tree: string,
  parents: readonly string[],
  message: string,
  env?: Record<string, string>,
): Promise<string> {
  return gitLine(
    cwd,
    ['commit-tree', '--no-gpg-sign', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree],
    { stdin: message, ...(env && { env }) },
  );
}

/** Moves the checkout at `cwd` and its branch forward to `commit`. Refuses, like git, to overwrite any changed file. */
export async function fastForward(cwd: string, commit: string): Promise<void> {
  await git(cwd, [
    'merge',
    '--ff-only',
    '--no-squash',
    '--no-verify-signatures',
    '--no-autostash',
    '--no-stat',
    '--no-overwrite-ignore',
    '--quiet',
    commit,
  ]);
}
