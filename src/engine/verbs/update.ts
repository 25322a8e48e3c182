import type { UpdateData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Args } from '../../contract/verbs.ts';
import { lockCheckout, requireCleanWorktree, resolveRef } from '../checkout.ts';
import type { Context } from '../context.ts';
import { point } from '../faults.ts';
import { GitError } from '../git/core.ts';
import { commitTree, fastForward, mergeTrees } from '../git/merge.ts';
import { isAncestor } from '../git/refs.ts';
import { readStatus } from '../git/status.ts';
import { Refusal } from '../refusal.ts';
import { isHome, openRepository, type Repository, requireTrunk, where } from '../repository.ts';
import { ensureCommands, runSetup } from '../worktree/setup.ts';

/**
 * Merges the trunk, or `from`, into the worktree's branch. The merge is made in the object store first, so a conflict
 * touches nothing; the checkout then only moves forward, which git refuses where it would overwrite an edit.
 *
 * Refuses `not_in_worktree`, `dirty_worktree`, `unknown_ref`, `ambiguous_ref` and `merge_conflict`.
 */
export async function update(
  root: string,
  args: Args<'update'>,
  ctx: Context,
): Promise<Omit<Envelope<UpdateData>, 'verb'>> {
  let repo = await openRepository(root, ctx.signal);
  if (isHome(repo)) {
    throw new Refusal(
      'not_in_worktree',
      `${repo.top} is where work lands, not a worktree: call start first, or name a worktree by path.`,
      { data: where(repo) },
    );
  }
  const lock = await lockCheckout(repo, repo, '"update"', ctx);
  try {
    if (lock.waited) repo = await openRepository(root, ctx.signal);
    return await updateLocked(repo, args, ctx);
  } finally {
    await lock.release();
  }
}

async function updateLocked(
  repo: Repository,
  args: Args<'update'>,
  ctx: Context,
): Promise<Omit<Envelope<UpdateData>, 'verb'>> {
  const from = args.from ?? requireTrunk(repo).name;
  const theirs = args.from === undefined ? requireTrunk(repo).commit : await resolveRef(repo, args.from);
  const before = repo.commit;
  await requireCleanWorktree(repo, await readStatus(repo.top, { untracked: 'no' }), { trackedOnly: true });
  const data = { ...where(repo), from, before, after: before, merged: false, conflicts: [] as string[] };
  if (await isAncestor(repo.top, theirs, before)) {
    return { ok: true, data, message: `${repo.branch ?? 'HEAD'} already contains ${from}.` };
  }
  const target = await mergedCommit(repo, theirs, from, data);
  const title = `Merge ${from} into ${repo.branch ?? 'HEAD'}`;
  if (args.dry_run) {
    return {
      ok: true,
      dry_run: true,
      plan: { title, steps: [{ action: 'merge', detail: `${from} at ${theirs}` }] },
      data,
    };
  }
  await point('update.merged');
  try {
    await fastForward(repo.top, target);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(
      'dirty_worktree',
      `${from} brings files that would overwrite files here (${
        error.stderr
          .split('\n')
          .filter((line) => line.startsWith('\t'))
          .join(',')
          .replace(/\t/g, ' ')
          .trim() || error.message
      }): move them away and call again.`,
      { data },
    );
  }
  await point('update.moved');
  const after = await openRepository(repo.root, ctx.signal);
  const ensured = await runSetup(after, ensureCommands(after), 'update', ctx);
  return {
    ok: true,
    data: { ...data, commit: target, after: target, merged: true },
    steps: ensured.steps,
    diagnostics: ensured.diagnostics,
    hints: [...after.config.notes, ...ensured.hints],
    message: ensured.failed
      ? `Merged ${from}, but "${ensured.failed}" failed afterwards: look at its output, then run it again.`
      : `Merged ${from} into ${repo.branch ?? 'HEAD'}, now at ${target.slice(0, 10)}.`,
  };
}

async function mergedCommit(
  repo: Repository,
  theirs: string,
  from: string,
  data: UpdateData,
): Promise<string> {
  if (await isAncestor(repo.top, repo.commit, theirs)) return theirs;
  const merge = await mergeTrees(repo.top, repo.commit, theirs);
  if (merge.tree === undefined) {
    throw new Refusal(
      'merge_conflict',
      `${from} conflicts with this branch in ${merge.conflicts.join(', ')}; nothing was changed. Run "git merge ${from}" here, resolve the files, commit, and go on.`,
      { data: { ...data, conflicts: merge.conflicts } },
    );
  }
  const into = repo.branch ? ` into ${repo.branch}` : '';
  return commitTree(repo.top, merge.tree, [repo.commit, theirs], `Merge ${from}${into}\n`);
}
