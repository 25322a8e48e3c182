import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, git, gitLine } from '../git/core.ts';
import { commitTree } from '../git/merge.ts';
import { moveRef } from '../git/refs.ts';

/**
 * Keeps everything a checkout holds that git could lose: its HEAD, its index and its working files, untracked ones
 * included (ignored ones are not), as one commit under `refs/discern/recovered/`. `git stash` would touch the checkout;
 * this uses an index of its own and touches nothing.
 */
export async function keepForRecovery(
  checkout: string,
  stateDirectory: string,
  name: string,
  head: string,
): Promise<string> {
  const index = join(stateDirectory, `recover-${randomBytes(4).toString('hex')}.index`);
  const identity = {
    GIT_AUTHOR_NAME: 'discern',
    GIT_AUTHOR_EMAIL: 'discern@localhost',
    GIT_COMMITTER_NAME: 'discern',
    GIT_COMMITTER_EMAIL: 'discern@localhost',
  };
  try {
    const env = { GIT_INDEX_FILE: index };
    await git(checkout, ['read-tree', head], { env });
    await git(checkout, ['add', '--all', '--', '.'], { env });
    const tree = await gitLine(checkout, ['write-tree'], { env });
    const parents = [head];
    const staged = await stagedTree(checkout);
    if (
      staged !== undefined &&
      staged !== tree &&
      staged !== (await gitLine(checkout, ['rev-parse', `${head}^{tree}`]))
    ) {
      parents.push(await commitTree(checkout, staged, [head], `What was staged in ${checkout}\n`, identity));
    }
    const commit = await commitTree(
      checkout,
      tree,
      parents,
      `Everything in ${checkout}, kept by discern\n`,
      identity,
    );
    const ref = `refs/discern/recovered/${name}-${randomBytes(3).toString('hex')}`;
    await moveRef(checkout, ref, commit, '', 'discern: kept before a forced drop');
    return ref;
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
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
