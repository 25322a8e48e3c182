import type { Result } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { PruneData } from '../../contract/data.ts';
import { messageOf } from '../../contract/values.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { loadSettings } from '../config/ours.ts';
import { point } from '../faults/faults.ts';
import { deleteRef } from '../git/refs.ts';
import { cleanupsOf, findLeftovers } from '../maintenance/find.ts';
import { finishInterrupted, requireRoot } from '../maintenance/finish.ts';
import type { Cleanup, Leftover } from '../maintenance/leftover.ts';
import { parkedStay } from '../maintenance/parked.ts';
import { afterwards, unusedFiles } from '../maintenance/unused-files.ts';
import { outdatedLanded } from '../repository/landed.ts';
import { expired, listRecovered, type Recovered, toldOf } from '../repository/recovered.ts';
import { openRepository, type Repository, where } from '../repository/repository.ts';
import { PRUNE } from '../state/remedies.ts';

/**
 * Cleans up what interrupted runs and people left behind. A preview unless `dry_run` is false, since whoever prunes should have
 * seen what goes. Removes only what is provably merged or empty, and recovery refs older than `[worktree] keep`; a worktree that is
 * there never.
 *
 * What turns out to be in use or not as it was found stays, and is told in `kept`.
 */
export async function prune(root: string, args: Args<'prune'>, ctx: Context): Promise<Result<'prune'>> {
  const repo = await openRepository(root, ctx.signal);
  return (args.dry_run ?? true) ? preview(repo) : run(repo, ctx);
}

type Step = Pick<Cleanup, 'action' | 'detail'>;

const step = ({ action, detail }: Step): Step => ({ action, detail });
const same = (one: Step) => (other: Step) => one.action === other.action && one.detail === other.detail;
const notOurs = (leftovers: readonly Leftover[]) =>
  leftovers.flatMap(({ what, remedy, cleanup: one }) => (one ? [] : [{ what, remedy }]));

/** What was left behind, with the unused files there would be once the rest is cleaned up. */
async function find(repo: Repository) {
  const left = await findLeftovers(repo);
  const cleanups = cleanupsOf(left.leftovers);
  return {
    ...left,
    cleanups,
    unusedFiles: await unusedFiles(repo, afterwards([...left.interrupted, ...cleanups])),
  };
}

async function preview(repo: Repository): Promise<Result<'prune'>> {
  const found = await find(repo);
  const recovered = await listRecovered(repo.top, repo.commonDir);
  const old = await expiredRefs(repo, recovered);
  const pruned = [...found.interrupted, ...found.cleanups, ...found.unusedFiles, ...old].map(step);
  return {
    ok: true,
    dry_run: true,
    plan: { title: `Prune ${repo.top}`, steps: pruned },
    data: {
      ...where(repo),
      pruned,
      kept: [...notOurs(found.leftovers), ...(await parkedStay(repo))],
      recovery_refs: recoveryRefs(recovered),
    },
    hints: [
      ...(pruned.length === 0
        ? []
        : ['Only a preview: prune with dry_run false (discern prune --no-dry-run) does it.']),
      ...repo.config.notes,
    ],
  };
}

async function run(repo: Repository, ctx: Context): Promise<Result<'prune'>> {
  const before = await find(repo);
  const { done, findings, running } = await finishInterrupted(repo, ctx);
  if (running !== undefined) {
    throw new Refusal(
      'busy',
      'A landing is under way in this repository: wait for it to end, then prune again.',
      {
        data: where(repo),
      },
    );
  }
  await requireRoot(repo, done);
  const now = await openRepository(repo.root, ctx.signal);
  const { interrupted, leftovers } = await findLeftovers(now);
  const pruned: PruneData['pruned'] = before.interrupted
    .filter((one) => !interrupted.some(same(one)))
    .map(step);
  const kept: PruneData['kept'] = [...findings, ...notOurs(leftovers), ...(await parkedStay(now))];
  const hints = [...done];
  for (const leftover of leftovers) {
    if (leftover.cleanup) await perform(leftover.cleanup, leftover.what, leftover.remedy);
  }
  // Finishing and cleaning up have taken some of it along.
  const rest = await unusedFiles(now, afterwards([]));
  const known = before.unusedFiles.filter((one) => !rest.some(same(one)));
  for (const one of [...known, ...rest].toSorted(byPlace(before.unusedFiles)))
    await perform(one, one.detail, PRUNE);
  const old = await expiredRefs(now, await listRecovered(now.top, now.commonDir));
  for (const one of old) await perform(one, one.detail, PRUNE);
  const recovery_refs = recoveryRefs(await listRecovered(now.top, now.commonDir));
  return {
    ok: true,
    data: { ...where(now), pruned, kept, recovery_refs },
    hints: [...hints, ...now.config.notes],
    message: inWords(pruned.length, kept.length),
  };

  async function perform(one: Cleanup, what: string, remedy: string): Promise<void> {
    if (ctx.signal.aborted)
      throw new Refusal('cancelled', 'prune was cancelled: what it had not reached stays.');
    try {
      const note = await one.perform(now, ctx);
      if (note !== undefined) hints.push(note);
      pruned.push(step(one));
      await point('prune.one');
    } catch (error) {
      if (Refusal.is(error) && error.slug === 'cancelled') throw error;
      // One thing that cannot be cleaned up does not keep the others from it.
      const why = messageOf(error);
      kept.push({ what: `${what} ${why}`, remedy });
    }
  }
}

/** The order of a preview; what it did not know comes last. */
function byPlace(list: readonly Step[]): (one: Step, other: Step) => number {
  const place = (one: Step) => {
    const at = list.findIndex(same(one));
    return at === -1 ? list.length : at;
  };
  return (one, other) => place(one) - place(other);
}

/** More refs than these are more than anybody reads. */
const MOST_REFS = 100;

const recoveryRefs = (refs: readonly Recovered[]): PruneData['recovery_refs'] =>
  refs.slice(0, MOST_REFS).map(toldOf);

/** The recovery refs, and the commits of squashed and rebased branches, that have been kept for as long as the owner wants. */
async function expiredRefs(repo: Repository, refs: readonly Recovered[]): Promise<Cleanup[]> {
  const { keep } = (await loadSettings(repo.root)).worktree;
  const since = `kept for more than ${count(keep, 'day')}`;
  const deleting = (ref: string, commit: string) => async () => {
    await deleteRef(repo.top, ref, commit);
    return undefined;
  };
  return [
    ...expired(refs, keep).map(({ ref, commit }) => ({
      action: 'delete recovery ref',
      detail: `${ref} (${commit.slice(0, 10)}), ${since}`,
      perform: deleting(ref, commit),
    })),
    ...(await outdatedLanded(repo, keep)).map(({ ref, head, to }) => ({
      action: 'delete record',
      detail: `of what landed as ${to.slice(0, 10)} (${ref}), ${since}`,
      perform: deleting(ref, head),
    })),
  ];
}

function inWords(pruned: number, kept: number): string {
  const left = kept === 0 ? '' : ` ${kept} stay${kept === 1 ? 's' : ''}, each with the command for it.`;
  return pruned === 0 ? `Nothing to prune.${left}` : `Pruned ${count(pruned, 'thing')}.${left}`;
}
