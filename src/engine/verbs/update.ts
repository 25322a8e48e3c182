import type { Result } from '../../contract/answers.ts';
import type { UpdateData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { GitError } from '../git/core.ts';
import { commitForPerson, knownNames, mergeTrees } from '../git/merge.ts';
import { isAncestor } from '../git/refs.ts';
import { readStatus } from '../git/status.ts';
import { moveForward } from '../landing/move-forward.ts';
import { lockCheckout, requireCleanWorktree, resolveRef } from '../repository/checkout.ts';
import { fetchUpstream } from '../repository/fetch.ts';
import { asMerged, landedAs } from '../repository/landed.ts';
import { isHome, openRepository, type Repository, requireTrunk, where } from '../repository/repository.ts';
import { behindWords, trunkBehind } from '../repository/upstream.ts';
import type { CommandsResult } from '../worktree/commands.ts';
import { projectSlug } from '../worktree/handles.ts';
import { readRecord, writeRecord } from '../worktree/identity.ts';
import {
  commitGenerated,
  type Regeneration,
  resolveGenerated,
  runGenerators,
  untrackedFiles,
} from '../worktree/regenerate.ts';
import { readyResources, resourceCommands } from '../worktree/resources.ts';
import { checkoutCommands, ensureCommands } from '../worktree/setup.ts';

/**
 * Merges the trunk, or `from`, into the worktree's branch. The merge is made in the object store first, so a conflict
 * touches nothing; the checkout then only moves forward, which git refuses where it would overwrite an edit. Then the
 * ensures run: when one fails the merge stays, and the answer is `gate_failed` with `merged` true. Conflicts that all lie in
 * generated files are none: the generators make these anew, and the merge commit has what they made.
 *
 * Refuses `not_in_worktree`, `dirty_worktree`, `unknown_ref`, `ambiguous_ref`, `merge_conflict`, and `invalid_argument` for
 * a history of its own.
 */
export async function update(root: string, args: Args<'update'>, ctx: Context): Promise<Result<'update'>> {
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
    const landed = await landedAs(repo, repo.commit);
    const answer = args.fetch ? await updateFetched(repo, args, ctx) : await updateLocked(repo, args, ctx);
    if (landed === undefined) return answer;
    const told = `All of ${repo.branch ?? 'it'} was on ${repo.trunk?.name} already, as ${landed.slice(0, 10)}.`;
    return { ...answer, hints: [told, ...(answer.hints ?? [])] };
  } finally {
    await lock.release();
  }
}

/**
 * {@link updateLocked} with what the trunk's upstream has now. Where the trunk itself is behind, the upstream is merged into this
 * branch in its place; the trunk moves when the branch lands, and its checkout not before.
 */
async function updateFetched(
  repo: Repository,
  args: Args<'update'>,
  ctx: Context,
): Promise<Result<'update'>> {
  if (args.from !== undefined) {
    throw new Refusal(
      'invalid_argument',
      `fetch brings the trunk's upstream, so it goes with no from: leave out one of them.`,
      { data: where(repo) },
    );
  }
  const trunk = requireTrunk(repo);
  if (!args.dry_run) await fetchUpstream(repo, ctx.signal);
  const upstream = await trunkBehind(repo, ctx.signal);
  if (!upstream) return updateLocked(repo, args, ctx);
  const answer = await updateLocked(repo, { ...args, from: upstream.name }, ctx);
  if (upstream.ahead === 0 || (await isAncestor(repo.top, trunk.commit, answer.data?.after ?? repo.commit)))
    return answer;
  const more = `${behindWords(trunk.name, upstream)} Call update once more, for what only ${trunk.name} has.`;
  return { ...answer, hints: [more, ...(answer.hints ?? [])] };
}

async function updateLocked(repo: Repository, args: Args<'update'>, ctx: Context): Promise<Result<'update'>> {
  const from = args.from ?? requireTrunk(repo).name;
  const theirs = args.from === undefined ? requireTrunk(repo).commit : await resolveRef(repo, args.from);
  const before = repo.commit;
  await requireCleanWorktree(repo, await readStatus(repo.top, { untracked: 'no' }), { trackedOnly: true });
  const data = { ...where(repo), from, before, after: before, merged: false, conflicts: [] as string[] };
  const upToDate = await isAncestor(repo.top, theirs, before);
  const plan = upToDate ? undefined : await planMerge(repo, theirs, from, data);
  const into = repo.branch ?? 'HEAD';
  if (args.dry_run) {
    const steps = [
      ...(upToDate ? [] : [{ action: 'merge', detail: `${from} at ${theirs}` }]),
      ...(plan?.regeneration?.groups ?? []).map(({ name, run }) => ({
        action: `regenerate: ${name}`,
        detail: run.join(' && '),
      })),
    ];
    return { ok: true, dry_run: true, plan: { title: `Merge ${from} into ${into}`, steps }, data };
  }
  if (plan === undefined) return ensured(repo, data, `${into} already contains ${from}.`, ctx);
  const { regeneration } = plan;
  const untracked = regeneration ? await untrackedFiles(repo) : undefined;
  const after = plan.tree === undefined ? theirs : await commitMerge(repo, plan.tree, theirs, from);
  // A branch that had nothing of its own now begins here: `accept` then still knows that there is nothing to land, and must
  // never believe the contrary, so this comes before the branch moves.
  const record = plan.tree === undefined ? await readRecord(repo.gitDir) : undefined;
  if (record) await writeRecord(repo.gitDir, { ...record, base_commit: after });
  await point('update.merged');
  await moveForward(repo, after, from, data);
  await point('update.moved');
  const merged: UpdateData = { ...data, commit: after, after, merged: true };
  const said = (commit: string) => `Merged ${from} into ${into}, now at ${commit.slice(0, 10)}.`;
  if (!regeneration) return ensured(repo, merged, said(after), ctx);
  const answer = await ensured(repo, merged, said(after), ctx);
  const files = regeneration.files.join(', ');
  if (!answer.ok) {
    const advice = `${files} conflicted and are still this branch's own: run the generators of ${groupNames(regeneration)} and commit what they make.`;
    return { ...answer, hints: [...(answer.hints ?? []), advice] };
  }
  return regenerated(repo, regeneration, untracked ?? new Set(), { answer, merged, said }, ctx);
}

const groupNames = ({ groups }: Regeneration) => groups.map(({ name }) => `[generated.${name}]`).join(', ');

/** Makes the conflicting files anew and puts them into the merge commit. */
async function regenerated(
  repo: Repository,
  regeneration: Regeneration,
  untracked: ReadonlySet<string>,
  so: {
    answer: Result<'update'>;
    merged: UpdateData;
    said: (commit: string) => string;
  },
  ctx: Context,
): Promise<Result<'update'>> {
  const { answer, merged, said } = so;
  const fresh = await openRepository(repo.root);
  const made = await runGenerators(fresh, regeneration.groups, ctx);
  const rest = {
    data: merged,
    steps: [...(answer.steps ?? []), ...made.steps],
    diagnostics: [...(answer.diagnostics ?? []), ...made.diagnostics],
    hints: [...(answer.hints ?? []), ...made.hints],
  };
  const files = regeneration.files.join(', ');
  const byHand = `${files} conflicted and are still this branch's own: run the generators of ${groupNames(regeneration)}, commit what they make, and go on.`;
  if (made.failed !== undefined)
    return { ok: false, ...rest, ...setupFailure(made, said(merged.after), byHand, ctx) };
  try {
    const commit = await commitGenerated(fresh, regeneration.groups, untracked);
    const data = { ...merged, commit, after: commit, regenerated: regeneration.files };
    return {
      ok: true,
      ...rest,
      data,
      message: `${said(commit)} Regenerated instead of merged: ${files}.`,
    };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return {
      ok: false,
      error: 'busy',
      ...rest,
      message: `${said(merged.after)} ${files} were regenerated, but could not be committed (${error.message}): commit them by hand, and go on.`,
    };
  }
}

/** The failure of a command that ran after the merge, with what to do about it. */
function setupFailure(
  setup: CommandsResult,
  message: string,
  advice: string,
  ctx: Context,
): Pick<Envelope<UpdateData>, 'error' | 'message'> {
  if (ctx.signal.aborted)
    return { error: 'cancelled', message: `${message} Then update was cancelled: ${advice}` };
  const late = setup.steps.at(-1)?.outcome === 'timed_out';
  return {
    error: late ? 'timed_out' : 'gate_failed',
    message: `${message} But "${setup.failed?.command}" ${late ? 'ran out of time' : 'failed'} afterwards: ${advice}`,
  };
}

/** Makes what the checkout needs ready once more: its resources, when it is a worktree of ours, and the ensures. */
async function makeReady(repo: Repository, ctx: Context): Promise<CommandsResult> {
  const commands = await checkoutCommands(repo, 'update', ctx);
  const record = await readRecord(repo.gitDir);
  const ensures = ensureCommands(repo);
  commands.plan((record ? resourceCommands(repo.config.config) : 0) + ensures.length);
  if (record) await readyResources(repo, { slug: projectSlug(repo), ...record }, commands, ctx);
  if (!commands.result.failed) await commands.runAll(ensures);
  return commands.result;
}

/** Runs the ensures, which an update before this one may have been kept from, and says how the checkout stands. */
async function ensured(
  repo: Repository,
  data: UpdateData,
  message: string,
  ctx: Context,
): Promise<Result<'update'>> {
  const fresh = data.merged ? await openRepository(repo.root) : repo;
  const setup = await makeReady(fresh, ctx);
  const rest = {
    data,
    ...(setup.steps.length > 0 && { steps: setup.steps, diagnostics: setup.diagnostics }),
    hints: [...fresh.config.notes, ...setup.hints],
  };
  if (setup.failed === undefined) return { ok: true, ...rest, message };
  const again = ctx.signal.aborted
    ? 'call it again, so that the ensures run.'
    : 'look at its output, then call update again.';
  return { ok: false, ...rest, ...setupFailure(setup, message, again, ctx) };
}

/**
 * How the merge goes: a merged tree, or none where HEAD only has to move forward. Refuses `merge_conflict`, less conflicts
 * that generators resolve.
 */
async function planMerge(
  repo: Repository,
  theirs: string,
  from: string,
  data: UpdateData,
): Promise<{ tree?: string; regeneration?: Regeneration }> {
  if (await isAncestor(repo.top, repo.commit, theirs)) return {};
  const merge = await mergeTrees(repo.top, repo.commit, await asMerged(repo.top, theirs, repo.commit));
  if (merge === 'unrelated') {
    throw new Refusal('invalid_argument', `${from} shares no history with this branch: name another ref.`, {
      data,
    });
  }
  if (merge.tree === undefined) {
    const regeneration = await resolveGenerated(repo, theirs, merge);
    if (regeneration) return { tree: regeneration.tree, regeneration };
    const conflicts = knownNames(merge.conflicts);
    throw new Refusal(
      'merge_conflict',
      `${from} conflicts with this branch in ${conflicts.join(', ')}; nothing was changed. Run "git merge ${from}" here, resolve the files, commit, and go on.`,
      { data: { ...data, conflicts } },
    );
  }
  return { tree: merge.tree };
}

function commitMerge(repo: Repository, tree: string, theirs: string, from: string): Promise<string> {
  const into = repo.branch ? ` into ${repo.branch}` : '';
  return commitForPerson(repo.top, tree, [repo.commit, theirs], `Merge ${from}${into}\n`);
}
