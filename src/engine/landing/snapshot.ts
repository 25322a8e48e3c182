import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { causeAmong } from '../git/cause.ts';
import { indexInfo, type NamedEntry, submodule } from '../git/compare.ts';
import { fields, git, pathText, tryGit } from '../git/core.ts';
import { treeDifference } from '../git/diff.ts';
import { treeEntries } from '../git/ls-tree.ts';
import { commitTree } from '../git/merge.ts';
import { identity } from '../git/own-author.ts';
import { moveRef } from '../git/refs.ts';
import { treeIfWhole, writeTree } from '../git/write-tree.ts';
import { recoveryRef } from '../repository/recovered.ts';
import { withPrivateIndex } from '../state/private-index.ts';
import { submoduleCommits } from '../worktree/inspect.ts';
import { reasonIn } from './unwritten.ts';

/**
 * Keeps everything a checkout holds that git could lose: its HEAD (empty before the first commit), its index and its
 * working files, untracked ones included (ignored ones are not) and byte by byte as they lie there, as one commit under `refs/discern/recovered/`. `git stash`
 * would touch the checkout; this uses an index of its own and touches nothing.
 *
 * Refuses `dirty_worktree` when another repository lies inside, whose files no commit of this one can hold.
 */
export async function keepForRecovery(
  checkout: string,
  gitDir: string,
  stateDirectory: string,
  name: string,
  head: string,
): Promise<string> {
  return withPrivateIndex(stateDirectory, 'recover', async (env) => {
    await git(checkout, ['read-tree', ...(head ? [head] : ['--empty'])], { env });
    const before = await writeTree(checkout, env);
    await addAll(checkout, env);
    await refuseRepositories(checkout, before, await writeTree(checkout, env));
    const tree = await withRawBytes(checkout, before, env);
    const parents = head ? [head] : [];
    const aside = async (made: string, what: string) =>
      parents.push(await commitTree(checkout, made, head ? [head] : [], what, identity));
    const staged = await stagedTree(checkout, env);
    if (staged !== tree && staged !== before) await aside(staged, `What was staged in ${checkout}\n`);
    const doing = await operationTree(checkout, gitDir, env);
    if (doing !== undefined) await aside(doing, `What git was in the middle of in ${checkout}\n`);
    const what = `Everything in ${checkout}, kept by discern\n`;
    const commit = await commitTree(checkout, tree, parents, what, identity);
    const ref = recoveryRef(name, randomBytes(3).toString('hex'));
    await moveRef(checkout, ref, commit, '', 'discern: kept before a forced drop');
    return ref;
  });
}

/** Adds every file; of a submodule only the commit it has, without looking into it: the checkout has been renamed. */
async function addAll(checkout: string, env: Record<string, string>): Promise<void> {
  const submodules = await submoduleCommits(checkout);
  const others = submodules.map(({ path }) => `:(top,exclude,literal)${path.toString('utf8')}`);
  const added = await tryGit(checkout, ['add', '--all', '--', ':(top)', ...others], { env });
  if (added instanceof Error) {
    if (causeAmong(added.kind) !== 'other') throw added;
    // A name that git takes no file of, or a filter that fails.
    throw new Refusal(
      'dirty_worktree',
      `git cannot keep all that lies in it (${reasonIn(added.stderr)}): move that file away, or make its filter work, then drop again. Nothing was removed.`,
    );
  }
  if (submodules.length === 0) return;
  await git(checkout, ['update-index', '-z', '--add', '--index-info'], {
    env,
    stdin: Buffer.concat(submodules.map(indexInfo)),
  });
}

/**
 * The tree of a private index with each file that differs from `before` as it lies in the checkout: what a filter makes of it on
 * the way into git may be less.
 */
async function withRawBytes(checkout: string, before: string, env: Record<string, string>): Promise<string> {
  const tree = await writeTree(checkout, env);
  const files = (await treeDifference(checkout, before, tree)).flatMap(({ path, to }) =>
    to && /^100/.test(to.mode) ? [{ path, mode: to.mode, id: to.id }] : [],
  );
  if (files.length === 0) return tree;
  const ids = await hashRaw(
    checkout,
    files.map(({ path }) => path),
  );
  const raw = files.flatMap(({ path, mode, id }, n) => {
    const own = ids[n] ?? '';
    return own === id ? [] : [{ path, mode, id: own }];
  });
  if (raw.length === 0) return tree;
  return treeWith(checkout, raw, env);
}

async function treeWith(
  checkout: string,
  entries: readonly NamedEntry[],
  env: Record<string, string>,
): Promise<string> {
  const stdin = Buffer.concat(entries.map(indexInfo));
  await git(checkout, ['update-index', '-z', '--add', '--replace', '--index-info'], { env, stdin });
  return writeTree(checkout, env);
}

/** Stores files as they are, no filter applied (git-hash-object(1)); paths may be absolute. */
async function hashRaw(checkout: string, paths: readonly Buffer[]): Promise<string[]> {
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  const { stdout } = await git(checkout, args, { stdin: paths.map((path) => `${quoted(path)}\n`).join('') });
  return stdout.toString('latin1').trimEnd().split('\n');
}

/** A path as git reads it from a line, whatever its bytes. */
const quoted = (path: Buffer) =>
  `"${[...path].map((byte) => (byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)).join('')}"`;

/** The tree of what is staged in the checkout's own index; of an unfinished merge, all that is not in conflict. */
async function stagedTree(checkout: string, env: Record<string, string>): Promise<string> {
  const whole = await treeIfWhole(checkout);
  if (whole !== undefined) return whole;
  const { stdout } = await git(checkout, ['ls-files', '--stage', '-z']);
  const settled = fields(stdout).flatMap((line) => {
    const tab = line.indexOf(0x09);
    const [mode = '', id = '', stage] = line.subarray(0, tab).toString('latin1').split(' ');
    return stage === '0' ? [{ path: line.subarray(tab + 1), mode, id }] : [];
  });
  await git(checkout, ['read-tree', '--empty'], { env });
  return treeWith(checkout, settled, env);
}

/** What git notes in a checkout's git directory of an operation it is in the middle of. */
const OPERATION =
  /^(?:rebase-(?:merge|apply)|sequencer|MERGE_(?:HEAD|MSG|MODE|AUTOSTASH)|CHERRY_PICK_HEAD|REVERT_HEAD|BISECT_\w+)(?:\/|$)/;

async function operationTree(
  checkout: string,
  gitDir: string,
  env: Record<string, string>,
): Promise<string | undefined> {
  const found: string[] = [];
  for (const entry of await readdir(gitDir, { recursive: true, withFileTypes: true })) {
    const path = relative(gitDir, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (entry.isFile() && OPERATION.test(path)) found.push(path);
  }
  if (found.length === 0) return undefined;
  const ids = await hashRaw(
    checkout,
    found.map((path) => Buffer.from(join(gitDir, path))),
  );
  await git(checkout, ['read-tree', '--empty'], { env });
  const entries = found.map((path, n) => ({ path: Buffer.from(path), mode: '100644', id: ids[n] ?? '' }));
  return treeWith(checkout, entries, env);
}

/** An untracked repository is added as a mere commit id (git-add(1)). */
async function refuseRepositories(checkout: string, before: string, tree: string): Promise<void> {
  const known = new Set(await repositoriesIn(checkout, before));
  const found = (await repositoriesIn(checkout, tree)).filter((path) => !known.has(path));
  if (found.length === 0) return;
  throw new Refusal(
    'dirty_worktree',
    `Other repositories lie inside it (${found.join(', ')}), which a recovery ref cannot keep: move them away, then drop again. Nothing was removed.`,
  );
}

async function repositoriesIn(checkout: string, tree: string): Promise<string[]> {
  const { stdout } = await git(checkout, ['ls-tree', '-r', '-z', tree]);
  return treeEntries(stdout)
    .filter(({ mode }) => mode === submodule)
    .map(({ path }) => pathText(path));
}
