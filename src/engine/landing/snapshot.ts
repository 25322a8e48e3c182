import { randomBytes } from 'node:crypto';
import { indexInfo, submodule } from '../git/compare.ts';
import { fields, GitError, git, gitLine, pathText } from '../git/core.ts';
import { commitTree } from '../git/merge.ts';
import { moveRef } from '../git/refs.ts';
import { Refusal } from '../refusal.ts';
import { withPrivateIndex } from '../state/private-index.ts';
import { submoduleCommits } from './inspect.ts';

/** Who commits what discern keeps: it is nobody's own work. */
export const identity = {
  GIT_AUTHOR_NAME: 'discern',
  GIT_AUTHOR_EMAIL: 'discern@localhost',
  GIT_COMMITTER_NAME: 'discern',
  GIT_COMMITTER_EMAIL: 'discern@localhost',
};

/**
 * Keeps everything a checkout holds that git could lose: its HEAD (empty before the first commit), its index and its
 * working files, untracked ones included (ignored ones are not), as one commit under `refs/discern/recovered/`. `git stash`
 * would touch the checkout; this uses an index of its own and touches nothing.
 *
 * Refuses `dirty_worktree` when another repository lies inside, whose files no commit of this one can hold.
 */
export async function keepForRecovery(
  checkout: string,
  stateDirectory: string,
  name: string,
  head: string,
): Promise<string> {
  return withPrivateIndex(stateDirectory, 'recover', async (env) => {
    await git(checkout, ['read-tree', ...(head ? [head] : ['--empty'])], { env });
    const before = await gitLine(checkout, ['write-tree'], { env });
    await addAll(checkout, env);
    const tree = await gitLine(checkout, ['write-tree'], { env });
    await refuseRepositories(checkout, before, tree);
    const parents = head ? [head] : [];
    const staged = await stagedTree(checkout);
    if (staged !== undefined && staged !== tree && staged !== before) {
      const what = `What was staged in ${checkout}\n`;
      parents.push(await commitTree(checkout, staged, head ? [head] : [], what, identity));
    }
    const what = `Everything in ${checkout}, kept by discern\n`;
    const commit = await commitTree(checkout, tree, parents, what, identity);
    const ref = `refs/discern/recovered/${name}-${randomBytes(3).toString('hex')}`;
    await moveRef(checkout, ref, commit, '', 'discern: kept before a forced drop');
    return ref;
  });
}

/** Adds every file; of a submodule only the commit it has, without looking into it: the checkout has been renamed. */
async function addAll(checkout: string, env: Record<string, string>): Promise<void> {
  const submodules = await submoduleCommits(checkout);
  const others = submodules.map(({ path }) => `:(top,exclude,literal)${path.toString('utf8')}`);
  await git(checkout, ['add', '--all', '--', ':(top)', ...others], { env });
  if (submodules.length === 0) return;
  await git(checkout, ['update-index', '-z', '--add', '--index-info'], {
    env,
    stdin: Buffer.concat(submodules.map(indexInfo)),
  });
}

/** The tree of the checkout's own index; none while it holds unmerged entries. */
async function stagedTree(checkout: string): Promise<string | undefined> {
  try {
    return await gitLine(checkout, ['write-tree']);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
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
  return fields(stdout)
    .filter((line) => line.subarray(0, submodule.length).toString('latin1') === submodule)
    .map((line) => pathText(line.subarray(line.indexOf(0x09) + 1)));
}
