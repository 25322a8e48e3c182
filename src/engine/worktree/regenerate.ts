import type { Generated } from '../../contract/config.ts';
import type { Context } from '../call/context.ts';
import { checkConfig, configFile } from '../config/index.ts';
import { point } from '../faults/faults.ts';
import { stateDir } from '../files/files.ts';
import { indexInfo, type NamedEntry } from '../git/compare.ts';
import { git, gitLine } from '../git/core.ts';
import { treeEntries } from '../git/ls-tree.ts';
import { commitForPerson } from '../git/merge.ts';
import { moveRef } from '../git/refs.ts';
import { readStatus } from '../git/status.ts';
import { writeTree } from '../git/write-tree.ts';
import { generatedJob, generatedOwner } from '../jobs/generated.ts';
import { insideProject } from '../jobs/scopes.ts';
import type { Repository } from '../repository/repository.ts';
import { withPrivateIndex } from '../state/private-index.ts';
import type { CommandsResult } from './commands.ts';
import { checkoutCommands } from './setup.ts';

/** A merge whose conflicts all lie in generated files: a tree with one side of each, and who makes them anew. */
export interface Regeneration {
  tree: string;
  files: string[];
  groups: Generated[];
}

/**
 * Resolves the conflicts of a merge by leaving them to the generators. The merged `discern.toml` says what is generated.
 * A file that both sides have is taken from this branch; one that a side deleted is left out, since its generator makes
 * whatever it still owns. `undefined` when any conflict lies elsewhere, or the merged config is not sound.
 */
export async function resolveGenerated(
  repo: Repository,
  theirs: string,
  merge: { marked: string; conflicts: readonly string[] },
): Promise<Regeneration | undefined> {
  const owners = await ownersIn(repo, merge);
  if (!owners) return undefined;
  const [ours, others] = await Promise.all([
    filesAt(repo, repo.commit, merge.conflicts),
    filesAt(repo, theirs, merge.conflicts),
  ]);
  const absent = { mode: '0', id: '0'.repeat(merge.marked.length) };
  const entries = merge.conflicts.map((path): NamedEntry => {
    const kept = others.has(path) ? ours.get(path) : undefined;
    return { path: Buffer.from(path), ...(kept ?? absent) };
  });
  const tree = await withPrivateIndex(stateDir(repo.commonDir), 'generated', async (env) => {
    await git(repo.top, ['read-tree', merge.marked], { env });
    const stdin = Buffer.concat(entries.map(indexInfo));
    await git(repo.top, ['update-index', '-z', '--add', '--index-info'], { env, stdin });
    return writeTree(repo.top, env);
  });
  return { tree, files: [...merge.conflicts], groups: [...new Set(owners)] };
}

/** The groups that own the conflicting files; `undefined` when one has no owner. */
async function ownersIn(
  repo: Repository,
  { marked, conflicts }: { marked: string; conflicts: readonly string[] },
): Promise<Generated[] | undefined> {
  const file = repo.prefix ? `${repo.prefix}/${configFile}` : configFile;
  const { stdout, code } = await git(repo.top, ['cat-file', 'blob', `${marked}:${file}`], { ok: [0, 128] });
  const groups = code === 0 ? checkConfig(stdout.toString('utf8'), configFile).config?.generated : undefined;
  if (!groups || groups.length === 0) return undefined;
  const ownerOf = generatedOwner(groups);
  const owners: Generated[] = [];
  for (const path of conflicts) {
    // A name in quotes is no UTF-8, and could not be told to git again.
    const inside = path.startsWith('"') ? undefined : insideProject(repo, path);
    const owner = inside === undefined ? undefined : ownerOf(inside);
    if (!owner) return undefined;
    owners.push(owner);
  }
  return owners;
}

/** What a commit has at these paths, where that is a file or a link. */
async function filesAt(
  repo: Repository,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, { mode: string; id: string }>> {
  const { stdout } = await git(repo.top, ['--literal-pathspecs', 'ls-tree', '-z', commit, '--', ...paths]);
  return new Map(
    treeEntries(stdout)
      .filter(({ type }) => type === 'blob')
      .map(({ path, mode, id }) => [path.toString('utf8'), { mode, id }]),
  );
}

/** Every untracked file of a checkout: what is new after a generator ran is its doing. */
export async function untrackedFiles(repo: Repository): Promise<ReadonlySet<string>> {
  return new Set((await readStatus(repo.top, { untracked: 'all' })).untracked);
}

/** Runs the generators in the checkout, which has the merge already. */
export async function runGenerators(
  repo: Repository,
  groups: readonly Generated[],
  ctx: Context,
): Promise<CommandsResult> {
  const orders = groups.flatMap(({ name, run, timeout }) =>
    run.map((command) => ({
      name: generatedJob(name),
      command,
      ...(timeout !== undefined && { timeout }),
    })),
  );
  const commands = await checkoutCommands(repo, 'update', ctx);
  commands.plan(orders.length);
  await commands.runAll(orders);
  return commands.result;
}

/**
 * Puts what the generators made into the merge commit: a commit with the same parents, made in the object store; then the
 * index learns of the files, and HEAD moves to it, only if it still is at the merge. Killed in between, the files are there
 * and changed, and nothing is lost. Resolves with the commit.
 */
export async function commitGenerated(
  repo: Repository,
  groups: readonly Generated[],
  untracked: ReadonlySet<string>,
): Promise<string> {
  const merge = repo.commit;
  const status = await readStatus(repo.top, { untracked: 'all' });
  const ownerOf = generatedOwner(groups);
  const isOwned = (path: string) => ownerOf(insideProject(repo, path) ?? '') !== undefined;
  const tracked = [...status.staged, ...status.unstaged];
  const fresh = status.untracked.filter((path) => !untracked.has(path));
  const paths = [...new Set([...tracked, ...fresh])].filter(isOwned);
  if (paths.length === 0) return merge;
  const stdin = paths.map((path) => `${path}\0`).join('');
  const update = ['update-index', '--add', '--remove', '-z', '--stdin'];
  const tree = await withPrivateIndex(stateDir(repo.commonDir), 'generated', async (env) => {
    await git(repo.top, ['read-tree', merge], { env });
    await git(repo.top, update, { env, stdin });
    return writeTree(repo.top, env);
  });
  const [parents, message] = await Promise.all([
    gitLine(repo.top, ['rev-parse', `${merge}^@`]),
    gitLine(repo.top, ['log', '-1', '--no-show-signature', '--format=%B', merge, '--']),
  ]);
  const commit = await commitForPerson(repo.top, tree, parents.split('\n'), `${message.trimEnd()}\n`);
  await point('update.regenerated');
  await git(repo.top, update, { stdin });
  await point('update.staged');
  await moveRef(repo.top, 'HEAD', commit, merge, 'discern: update, with the generated files');
  return commit;
}
