import { count } from '../../contract/count.ts';
import type { Worktree } from '../../contract/data.ts';
import type { Context } from '../call/context.ts';
import { isAncestor } from '../git/refs.ts';
import { isClean, type TreeStatus } from '../git/status.ts';
import type { Repository } from '../repository/repository.ts';
import { shellWord } from '../words/shell-word.ts';
import { describeWorktrees } from './describe.ts';

/** How many checkouts with work the sentence names. */
const MOST_NAMED = 3;

/**
 * Tells a checkout in which nothing is anyone's work from the ones that have some: it is clean and has no commit the trunk
 * lacks, while another checkout of the repository has changes, untracked files included, or commits (contract §3). A green
 * about it says nothing of that work. `undefined` when it has work itself, or no other has. `known` are the worktrees where
 * they were looked at already.
 */
export async function divergence(
  repo: Repository,
  tree: TreeStatus,
  ctx: Context,
  known?: readonly Worktree[],
): Promise<string | undefined> {
  if (!isClean(tree) || !repo.trunk) return undefined;
  if (repo.commit !== repo.trunk.commit && !(await isAncestor(repo.top, repo.commit, repo.trunk.commit))) {
    return undefined;
  }
  if (repo.worktrees.filter(({ bare }) => !bare).length < 2) return undefined;
  const worktrees = known ?? (await describeWorktrees(repo, tree, ctx));
  const busy = worktrees.filter(
    ({ path, ahead = 0, clean }) => path !== repo.top && (ahead > 0 || clean === false),
  );
  const [first] = busy;
  if (!first) return undefined;
  const more = busy.length - MOST_NAMED;
  const named = busy.slice(0, MOST_NAMED).map(workIn);
  const list = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const way = ctx.client === 'terminal' ? `cd ${shellWord(first.root)}` : `pass path "${first.root}"`;
  return `This is about ${repo.root}, which is clean and has no commit that ${repo.trunk.name} lacks, so it contains no work; there is work in ${list}: ${way} if you mean ${busy.length === 1 ? 'that' : 'the first'}.`;
}

function workIn({ root, branch, ahead = 0, clean }: Worktree): string {
  const what = [
    ...(ahead > 0 ? [count(ahead, 'commit')] : []),
    ...(clean === false ? ['uncommitted changes'] : []),
  ];
  return `${root} (${branch ?? 'detached HEAD'}: ${what.join(', ')})`;
}

/** An answer that says the divergence first, where there is one. */
export function sayingFirst<Answer extends { message?: string; data?: object }>(
  diverged: string | undefined,
  answer: Answer,
): Answer {
  if (diverged === undefined) return answer;
  const message = [diverged, answer.message].filter(Boolean).join(' ');
  return { ...answer, message, data: { ...answer.data, divergence: diverged } };
}
