import { Refusal } from '../call/refusal.ts';
import { commitForPerson, commitTree, knownNames, mergeTrees } from '../git/merge.ts';
import { identity } from '../git/own-author.ts';
import { treeOf } from '../git/refs.ts';
import { type Repository, where } from '../repository/repository.ts';
import { authorsOf, ownCommits, type Work } from '../repository/work.ts';

/**
 * The branch's commits made anew on the trunk, one by one, merges left out: each with its author, date and message. One that brings
 * nothing any more is left out too. Nothing is checked out. Refuses `merge_conflict` where one does not apply, or where what comes
 * of all is not what the gate judged, as when a merge on the branch resolved a conflict.
 */
export async function replay(repo: Repository, work: Work): Promise<string> {
  const { base, tree } = work;
  const { top: cwd } = repo;
  let on = base;
  for (const line of await ownCommits(cwd, work)) {
    const [commit = '', parent] = line.split(' ');
    on = parent === on ? commit : await pick(repo, on, commit, parent);
  }
  if ((await treeOf(cwd, on)) === tree) return on;
  throw notOneByOne(
    repo,
    'its commits, made anew on the trunk, come to another tree than the one to be proved',
  );
}

async function pick(
  repo: Repository,
  on: string,
  commit: string,
  parent: string | undefined,
): Promise<string> {
  const { top: cwd } = repo;
  if (parent === undefined) throw notOneByOne(repo, `${commit.slice(0, 10)} has no parent`);
  const [before, made, old] = [await treeOf(cwd, on), await treeOf(cwd, commit), await treeOf(cwd, parent)];
  // With the commit's own parent as the common one, a merge brings just what the commit changed.
  const ours = await commitTree(cwd, before, [parent], 'To apply a commit on\n', identity);
  const merge = await mergeTrees(cwd, ours, commit);
  if (merge === 'unrelated' || merge.tree === undefined) {
    const files = merge === 'unrelated' ? [] : knownNames(merge.conflicts);
    throw notOneByOne(repo, `${commit.slice(0, 10)} conflicts with the trunk in ${files.join(', ')}`, files);
  }
  if (merge.tree === before && made !== old) return on;
  const [written] = await authorsOf(cwd, [commit]);
  return commitForPerson(cwd, merge.tree, [on], written?.message ?? '', written?.author);
}

function notOneByOne(repo: Repository, why: string, files: readonly string[] = []): Refusal {
  return new Refusal(
    'merge_conflict',
    `${repo.branch ?? 'HEAD'} cannot be rebased by itself: ${why}. Nothing was landed: accept with how "squash" or "merge", or rebase it by hand.`,
    { data: { ...where(repo), ...(files.length > 0 && { files }) } },
  );
}
