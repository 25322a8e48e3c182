import { join } from 'node:path';
import { count } from '../../contract/count.ts';
import type { Worktree } from '../../contract/data.ts';
import { isInside } from '../../contract/inside.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { isAncestor } from '../git/refs.ts';
import { isClean, isTrackedClean, readStatus, type TreeStatus } from '../git/status.ts';
import type { Repository } from '../repository/repository.ts';
import { shellWord } from '../words/shell-word.ts';
import { describeWorktrees } from './describe.ts';

/** How many checkouts with work the sentence names. */
const MOST_NAMED = 3;

/**
 * Tells a checkout in which nothing is anyone's work from the ones that have some: it is clean and has no commit the trunk
 * lacks, while another checkout of the repository has changes, untracked files included, or commits (contract §3). A green
 * about it says nothing of that work. A linked checkout that lies within another one, where clients like to make them, is no change of
 * it. `undefined` when it has work itself, or no other has. `known` are the worktrees where they were looked at already.
 */
export async function divergence(
  repo: Repository,
  tree: TreeStatus,
  ctx: Context,
  known?: readonly Worktree[],
): Promise<string | undefined> {
  if (!repo.trunk) return undefined;
  const clean = isClean(tree);
  if (!clean && !(await holdsOnlyCheckouts(repo, repo.top, tree, ctx))) return undefined;
  if (repo.commit !== repo.trunk.commit && !(await isAncestor(repo.top, repo.commit, repo.trunk.commit))) {
    return undefined;
  }
  if (repo.worktrees.filter(({ bare }) => !bare).length < 2) return undefined;
  const worktrees = known ?? (await describeWorktrees(repo, tree, ctx));
  const works = await Promise.all(
    worktrees.map(async ({ path, ahead = 0, clean, tracked_changes: changes }) => {
      if (path === repo.top) return false;
      if (ahead > 0) return true;
      return clean === false && !(changes === 0 && (await holdsOnlyCheckouts(repo, path, undefined, ctx)));
    }),
  );
  const busy = worktrees.filter((_, index) => works[index]);
  const [first] = busy;
  if (!first) return undefined;
  const more = busy.length - MOST_NAMED;
  const named = busy.slice(0, MOST_NAMED).map(workIn);
  const list = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const way = ctx.client === 'terminal' ? `cd ${shellWord(first.root)}` : `pass path "${first.root}"`;
  return `This is about ${repo.root}, which ${clean ? 'is clean' : 'has nothing new but linked worktrees'} and has no commit that ${repo.trunk.name} lacks, so it contains no work; there is work in ${list}: ${way} if you mean ${busy.length === 1 ? 'that' : 'the first'}.`;
}

/** True where a checkout has no changes but the linked checkouts of this repository that lie in it and that git takes for new files. */
async function holdsOnlyCheckouts(
  { worktrees }: Repository,
  top: string,
  known: TreeStatus | undefined,
  { signal }: Context,
): Promise<boolean> {
  const inside = new Set(
    worktrees.map(({ path }) => path).filter((path) => path !== top && isInside(path, top)),
  );
  if (inside.size === 0 || (known && !isTrackedClean(known))) return false;
  const status = await readStatus(top, { untracked: 'all', compare: 'known', signal }).catch(
    (error: unknown) => {
      // It vanished meanwhile, or git cannot read it: then its changes stay what they were taken for.
      if (error instanceof Refusal && error.slug === 'cancelled') throw error;
      return undefined;
    },
  );
  if (status === undefined || !isTrackedClean(status)) return false;
  return status.untracked.every((path) => inside.has(join(top, path.replace(/\/$/, ''))));
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
