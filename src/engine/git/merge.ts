import { Refusal } from '../call/refusal.ts';
import { fields, GitError, git, gitLine, pathText, tryGit } from './core.ts';
import { mergeSettings } from './merge-settings.ts';
import { withoutOwnAttributes } from './own-attributes.ts';

/**
 * A merge computed in the object store alone: no checkout is touched. With conflicts, `marked` is a tree that has each
 * conflicting file with its markers.
 */
export type MergeResult =
  | { tree: string; conflicts: [] }
  | { tree?: undefined; conflicts: string[]; marked: string };

/**
 * Merges `theirs` into `ours` with `git merge-tree --write-tree` (git 2.38), which works without an index or a working
 * tree. So a conflict has nothing to abort, and dying here leaves nothing behind. No setting of the user changes what comes of
 * it. `unrelated` when the two share no commit.
 */
export async function mergeTrees(
  cwd: string,
  ours: string,
  theirs: string,
): Promise<MergeResult | 'unrelated'> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const settings = await mergeSettings(cwd);
  const { stdout, stderr, code } = await withoutOwnAttributes(cwd, (env) =>
    git(cwd, args, { ok: [0, 1, 128], env: { ...settings, ...env } }),
  );
  if (/unrelated histories/.test(stderr)) return 'unrelated';
  if (code === 128) throw new GitError(args, code, stderr);
  const [tree, ...conflicted] = fields(stdout);
  if (code === 0 && tree) return { tree: tree.toString('latin1'), conflicts: [] };
  return {
    conflicts: [...new Set(conflicted.map(pathText))],
    marked: tree?.toString('latin1') ?? '',
  };
}

/**
 * The files of a conflict as people know them: where a file meets a directory, or one of another kind, git puts the one beside the other,
 * under its name with `~` and the commit it comes from.
 */
export const knownNames = (conflicts: readonly string[]): string[] => [
  ...new Set(conflicts.map((name) => name.replace(/~(?:[0-9a-f]{40}|[0-9a-f]{64})(?:_\d+)?("?)$/, '$1'))),
];

/** Writes a commit of `tree` with `parents`, unsigned, as the user. */
export async function commitTree(
  cwd: string,
  tree: string,
  parents: readonly string[],
  message: string,
  env?: Record<string, string>,
  options: { sign?: boolean } = {},
): Promise<string> {
  const signing = options.sign ? '--gpg-sign' : '--no-gpg-sign';
  return gitLine(
    cwd,
    ['commit-tree', signing, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree],
    { stdin: message, ...(env && { env }) },
  );
}

/** Whether the user's git signs commits (`commit.gpgSign`), which plumbing does not heed by itself. */
export async function signsCommits(cwd: string): Promise<boolean> {
  const { stdout } = await git(cwd, ['config', '--type=bool', '--get-all', 'commit.gpgSign'], { ok: [0, 1] });
  // The last value is the one we run every git with.
  return stdout.toString('latin1').trim().split('\n').at(-2) === 'true';
}

/** Whether git takes it for a name: it drops control characters and some others from its ends, and refuses when nothing is left. */
const isName = (name: string) => /[^\0-\x20.,:;<>"\\']/.test(name);

/** Who wrote a commit, and when as git has it raw; without a date it is now. */
export interface Author {
  name: string;
  email: string;
  date?: string;
}

/**
 * A commit that joins a branch for the person, as `author` where one is given, signed where their git signs. Refuses `unavailable` when it cannot be signed:
 * never unsigned in silence.
 */
export async function commitForPerson(
  cwd: string,
  tree: string,
  parents: readonly string[],
  message: string,
  author?: Author,
): Promise<string> {
  const sign = await signsCommits(cwd);
  const env = author && {
    GIT_AUTHOR_NAME: [author.name, author.email].find(isName) ?? 'unknown',
    GIT_AUTHOR_EMAIL: author.email,
    // Without the sign, git takes small numbers of seconds for another form of date; an empty one is now.
    GIT_AUTHOR_DATE: author.date ? `@${author.date}` : '',
  };
  try {
    return await commitTree(cwd, tree, parents, message, env, { sign });
  } catch (error) {
    if (!sign || !(error instanceof GitError)) throw error;
    throw new Refusal(
      'unavailable',
      `commit.gpgSign asks for a signature, and signing failed (${error.lastLine || error.message}): make the key available, or set commit.gpgSign to false here, then call again. Nothing was changed.`,
    );
  }
}

/** Why a checkout did not move forward, and the files that stand in its way, where it is that. */
export interface NotMoved {
  inTheWay: string[];
  why: GitError;
}

/**
 * Moves the checkout at `cwd` and its branch forward to `commit`. Overwrites, like git, no changed file: then nothing has moved.
 * The branch's own `mergeOptions` are left out: they could make another merge of it.
 */
export async function fastForward(
  cwd: string,
  commit: string,
  branch: string | null,
): Promise<'moved' | NotMoved> {
  const env =
    branch === null
      ? {}
      : {
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: `branch.${branch}.mergeOptions`,
          GIT_CONFIG_VALUE_0: '',
        };
  const moved = await tryGit(
    cwd,
    [
      'merge',
      '--ff-only',
      '--no-squash',
      '--no-verify-signatures',
      '--no-autostash',
      '--no-stat',
      '--no-overwrite-ignore',
      '--quiet',
      commit,
    ],
    { env },
  );
  if (!(moved instanceof Error)) return 'moved';
  // git lists the paths that stand in the way, each behind a tab.
  const lines = moved.stderr.split('\n').filter((line) => line.startsWith('\t'));
  return { inTheWay: lines.map((line) => line.trim()), why: moved };
}
