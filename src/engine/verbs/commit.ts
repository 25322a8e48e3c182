import { rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import type { Result } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { causeAmong } from '../git/cause.ts';
import { fields, git, pathText, tryGit } from '../git/core.ts';
import { resolveCommit } from '../git/refs.ts';
import { readStatus } from '../git/status.ts';
import { newRunDir } from '../jobs/run-dir.ts';
import { lockCheckout } from '../repository/checkout.ts';
import { openRepository, type Repository, where } from '../repository/repository.ts';
import { shellQuoted } from '../words/shell-word.ts';
import { Commands } from '../worktree/commands.ts';
import { jobEnv } from '../worktree/job-env.ts';

/** How many of a commit's files an answer names. */
const MOST_FILES = 50;

/**
 * Commits in a worktree, as `git commit` would: the named paths are staged first, or everything that git does not ignore but env
 * files with inherited values; then what is staged is committed with the user's own hooks, signing and identity. For a client whose sandbox may not write git's
 * directory.
 *
 * Refuses `not_in_worktree` in the trunk's own checkout, `invalid_argument` for an empty message, nothing to commit, or a path
 * that git ignores or that lies outside, `path_not_found`, `merge_conflict` while conflicts are open and no path was named, and
 * `gate_failed` when git or a hook of its refuses the commit; what was staged then stays so.
 */
export async function commit(root: string, args: Args<'commit'>, ctx: Context): Promise<Result<'commit'>> {
  if (args.message.trim() === '') {
    throw new Refusal('invalid_argument', 'The message is empty: say in a line what the commit does.');
  }
  const opened = await openRepository(root, ctx.signal);
  requireWorkBranch(opened);
  const paths = args.paths && pathsIn(opened, args.paths);
  const lock = await lockCheckout(opened, opened, 'a commit', ctx);
  try {
    // Whoever held the lock may have moved the branch.
    const repo = lock.waited ? await openRepository(root, ctx.signal) : opened;
    requireWorkBranch(repo);
    if (paths) await requireNotIgnored(repo, paths, ctx);
    const before = await readStatus(repo.top, { signal: ctx.signal });
    if (!paths && before.unmerged.length > 0) {
      throw new Refusal(
        'merge_conflict',
        `${repo.top} has conflicts in ${before.unmerged.slice(0, 5).join(', ')}: resolve them, and name the resolved files in \`paths\`.`,
        { data: { ...where(repo) } },
      );
    }
    const left = paths ? [] : newEnvFiles(repo, before.untracked);
    if (args.dry_run) return preview(repo, await wouldCommit(repo, paths, left, ctx), left);
    await stage(repo, paths, left, ctx);
    const files = await stagedFiles(repo, ctx);
    const merging = await resolveCommit(repo.top, 'MERGE_HEAD');
    if (files.length === 0 && !merging) throw nothingToCommit(repo, paths, left);
    const result = await commitStaged(repo, args.message, files, ctx);
    return left.length === 0 ? result : { ...result, hints: [...(result.hints ?? []), leftOut(left)] };
  } finally {
    await lock.release();
  }
}

/** Work is committed on a branch of its own, never where it lands. */
function requireWorkBranch(repo: Repository): void {
  if (repo.self !== repo.landing && (repo.branch === null || repo.branch !== repo.trunk?.name)) return;
  throw new Refusal(
    'not_in_worktree',
    `${repo.top} is the trunk's own checkout, where work lands by accept: call start, and commit in the worktree it makes.`,
    { data: where(repo) },
  );
}

/** Paths as git takes them, relative to the top. Refuses `invalid_argument` for one outside the checkout. */
function pathsIn(repo: Repository, given: readonly string[]): string[] {
  if (given.length === 0) {
    throw new Refusal('invalid_argument', '`paths` is empty: name the files, or leave it out for all.', {
      data: where(repo),
    });
  }
  return given.map((path) => {
    const inside = relative(repo.top, isAbsolute(path) ? path : resolve(repo.root, path));
    const outside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
    if (path === '' || path.includes('\0') || outside) {
      throw new Refusal(
        'invalid_argument',
        `"${path}" does not lie in ${repo.top}: name files of this checkout, relative to ${repo.root}.`,
        { data: where(repo) },
      );
    }
    return inside === '' ? '.' : inside.split(sep).join('/');
  });
}

/** Env files that git neither tracks nor ignores, where `[worktree].inherit_env` has put this machine's values into them. */
function newEnvFiles({ prefix, config }: Repository, untracked: readonly string[]): string[] {
  const { env_files: files, inherit_env: names } = config.config.worktree;
  if (names.length === 0) return [];
  const listed = files.map((file) => posix.join(prefix, file));
  return untracked.filter((path) => listed.includes(path));
}

const leftOut = (left: readonly string[]) =>
  `${left.join(', ')} was left out: [worktree].inherit_env puts values of this machine there, which would land. Add it to .gitignore; if it is to be committed all the same, name it in \`paths\`.`;

/** Everything but what is left out, in pathspecs (gitglossary(7)). */
const allBut = (left: readonly string[]) => ['.', ...left.map((path) => `:(exclude,literal)${path}`)];

const nulled = (paths: readonly string[]) => paths.map((path) => `${path}\0`).join('');

/** A path that git ignores would be left out by git with a word on stderr; here it is a refusal. */
async function requireNotIgnored(repo: Repository, paths: readonly string[], ctx: Context): Promise<void> {
  const { stdout } = await git(repo.top, ['check-ignore', '-z', '--stdin'], {
    stdin: nulled(paths),
    ok: [0, 1],
    signal: ctx.signal,
  });
  const ignored = fields(stdout).map(pathText);
  if (ignored.length === 0) return;
  throw new Refusal(
    'invalid_argument',
    `git ignores ${ignored.slice(0, 5).join(', ')} ("git check-ignore -v" says by which rule): leave ${ignored.length === 1 ? 'it' : 'them'} out.`,
    { data: where(repo) },
  );
}

async function stage(
  repo: Repository,
  paths: string[] | undefined,
  left: readonly string[],
  ctx: Context,
): Promise<void> {
  const named = ['--literal-pathspecs', 'add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'];
  const args = paths ? named : ['add', '--all', '--', ...allBut(left)];
  const input = paths && { stdin: nulled(paths) };
  const added = await tryGit(repo.top, args, { signal: ctx.signal, ...input });
  if (!(added instanceof Error)) return;
  // What keeps a file from being written is told as that.
  if (causeAmong(added.kind) !== 'other') throw added;
  const data = where(repo);
  if (added.kind !== 'no_such_path') {
    const message = `Nothing was committed: ${added.message}. Correct that, and commit again.`;
    throw new Refusal('gate_failed', message, { data });
  }
  const missing = /pathspec '(.*)' did not match/.exec(added.stderr)?.[1];
  throw new Refusal(
    'path_not_found',
    `"${missing}" is not a file of ${repo.top}, neither on disk nor tracked: name what changed, as status shows it.`,
    { data },
  );
}

/** What a commit would hold now. */
async function stagedFiles(repo: Repository, ctx: Context): Promise<string[]> {
  const args = [
    'diff-index',
    '--cached',
    '--name-only',
    '--no-renames',
    '--ignore-submodules=none',
    '-z',
    'HEAD',
  ];
  const { stdout } = await git(repo.top, [...args, '--'], { signal: ctx.signal });
  return fields(stdout).map(pathText);
}

/** The same for a preview: staged in an index that is thrown away would be a second truth, so git's own dry run tells. */
async function wouldCommit(
  repo: Repository,
  paths: string[] | undefined,
  left: readonly string[],
  ctx: Context,
): Promise<string[]> {
  const staged = await stagedFiles(repo, ctx);
  const { stdout } = await git(
    repo.top,
    [
      ...(paths ? ['--literal-pathspecs'] : []),
      ...['add', '--all', '--dry-run', '--', ...(paths ?? allBut(left))],
    ],
    { signal: ctx.signal, ok: [0, 1, 128] },
  );
  const added = [...stdout.toString('utf8').matchAll(/^(?:add|remove) '(.*)'$/gm)].map(
    ([, file = '']) => file,
  );
  return [...new Set([...staged, ...added])];
}

function nothingToCommit(
  repo: Repository,
  paths: readonly string[] | undefined,
  left: readonly string[],
): Refusal {
  const what = paths ? `Nothing of ${paths.slice(0, 5).join(', ')} changed` : 'Nothing changed';
  const also = left.length > 0 ? ` ${leftOut(left)}` : '';
  return new Refusal(
    'invalid_argument',
    `${what} in ${repo.top} since ${repo.commit.slice(0, 10)}, so there is nothing to commit.${also}`,
    { data: where(repo) },
  );
}

function preview(repo: Repository, files: string[], left: readonly string[]): Result<'commit'> {
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `Commit in ${repo.top}`,
      steps: files.slice(0, MOST_FILES).map((detail) => ({ action: 'commit', detail })),
    },
    data: { ...where(repo), files: files.slice(0, MOST_FILES), changed: files.length },
    ...(left.length > 0 && { hints: [leftOut(left)] }),
  };
}

/** Runs the user's own `git commit`, in a process group that ends with the call: hooks may run for long. */
async function commitStaged(
  repo: Repository,
  message: string,
  files: string[],
  ctx: Context,
): Promise<Result<'commit'>> {
  const runDir = await newRunDir(repo.commonDir, 'commit');
  const file = join(runDir, 'message');
  await writeFile(file, message.endsWith('\n') ? message : `${message}\n`, { mode: 0o600 });
  const { commonDir, root } = repo;
  const env = { ...(await jobEnv(repo)), GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true' };
  const commands = new Commands(
    { commonDir, root, env, timeout: repo.config.config.gate.timeout },
    'commit',
    ctx,
  );
  const quoted = process.platform === 'win32' ? `"${file}"` : shellQuoted(file);
  const passed = await commands.run({ name: 'git commit', command: `git commit --quiet --file=${quoted}` });
  await rm(file, { force: true });
  const { steps, diagnostics, hints } = commands.result;
  const after = (await resolveCommit(repo.top, 'HEAD')) ?? repo.commit;
  const data = {
    ...where(repo),
    commit: after,
    before: repo.commit,
    files: files.slice(0, MOST_FILES),
    changed: files.length,
  };
  if (passed) {
    return {
      ok: true,
      data,
      hints: [
        ...hints,
        ...(repo.branch === null
          ? ['HEAD is detached: make a branch here, or the commit is easily lost.']
          : []),
      ],
      message: `Committed ${after.slice(0, 10)} (${count(files.length, 'file')}) on ${repo.branch ?? 'a detached HEAD'}. Call done to gate it.`,
    };
  }
  const [step] = steps;
  const rest = { data, steps, diagnostics, hints };
  if (ctx.signal.aborted) {
    const made =
      after === repo.commit ? 'nothing was committed' : `${after.slice(0, 10)} was committed all the same`;
    return {
      ok: false,
      ...rest,
      error: 'cancelled',
      message: `The commit was cancelled; ${made}. What was staged stays staged.`,
    };
  }
  return {
    ok: false,
    ...rest,
    error: step?.outcome === 'timed_out' ? 'timed_out' : 'gate_failed',
    message:
      step?.outcome === 'timed_out'
        ? 'git commit ran out of time, most likely in a hook: look at its output. What was staged stays staged.'
        : 'git refused the commit (a hook, signing or the identity): read its output, fix that and commit again. What was staged stays staged.',
  };
}
