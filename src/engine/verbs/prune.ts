import { count } from '../../contract/count.ts';
import type { PruneData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../context.ts';
import { point } from '../faults.ts';
import { exists } from '../files.ts';
import { listRefs } from '../git/refs.ts';
import { landingLockPath, readJournal } from '../landing/journal.ts';
import { findLeftovers } from '../landing/leftovers.ts';
import { isHeld } from '../lock.ts';
import { Refusal } from '../refusal.ts';
import { openRepository, type Repository, where } from '../repository.ts';
import { findVanished, reclaimVanished } from '../worktree/reclaim.ts';
import { isInUse } from '../wreckage/admin.ts';
import { findWreckage } from '../wreckage/find.ts';
import { litter, trimRuns } from '../wreckage/litter.ts';
import { requireRoot, settle } from '../wreckage/settle.ts';
import { type Mend, PRUNE, type Wreck } from '../wreckage/wreck.ts';

type Answer = Omit<Envelope<PruneData>, 'verb'>;

/**
 * Mends what interrupted runs and hands left behind. A preview unless `dry_run` is false, since whoever prunes should have
 * seen what goes. Removes only what is provably merged or empty; a worktree that is there, and a recovery ref, never.
 *
 * What turns out to be in use or not as it was found stays, and is told in `kept`.
 */
export async function prune(root: string, args: Args<'prune'>, ctx: Context): Promise<Answer> {
  const repo = await openRepository(root, ctx.signal);
  return (args.dry_run ?? true) ? preview(repo) : mend(repo, ctx);
}

const step = ({ action, detail }: Pick<Mend, 'action' | 'detail'>) => ({ action, detail });
const mends = (wrecks: readonly Wreck[]) => wrecks.flatMap(({ mend: one }) => (one ? [one] : []));
const notOurs = (wrecks: readonly Wreck[]) =>
  wrecks.flatMap(({ what, remedy, mend: one }) => (one ? [] : [{ what, remedy }]));

async function preview(repo: Repository): Promise<Answer> {
  const wrecks = await findWreckage(repo);
  const { ledgers } = await findVanished(repo);
  const resources = ledgers.map(({ id }) => ({
    action: 'destroy resources',
    detail: `of ${id}, which is gone`,
  }));
  const pruned = [...(await unfinished(repo)), ...mends(wrecks), ...resources, ...(await litter(repo))].map(
    step,
  );
  return {
    ok: true,
    dry_run: true,
    plan: { title: `Prune ${repo.top}`, steps: pruned },
    data: { ...where(repo), pruned, kept: notOurs(wrecks), recovery_refs: await recoveryRefs(repo) },
    hints: [
      ...(pruned.length === 0
        ? []
        : ['Only a preview: prune with dry_run false (discern prune --no-dry-run) does it.']),
      ...repo.config.notes,
    ],
  };
}

/** Landings and removals that were cut off: `settle` goes on with them. What is still going is none of these. */
async function unfinished(repo: Repository): Promise<{ action: string; detail: string }[]> {
  const { commonDir } = repo;
  const journal = await readJournal(commonDir);
  const found: { action: string; detail: string }[] = [];
  if (journal && !(await isHeld(landingLockPath(commonDir)))) {
    const what = journal.worktree.branch ?? journal.to;
    found.push({ action: 'finish landing', detail: `${what} on ${journal.trunk.name}` });
  }
  for (const { at, path, judged, gitDir } of await findLeftovers(repo)) {
    if (gitDir !== undefined && (await isInUse(commonDir, gitDir))) continue;
    if (judged) found.push({ action: 'finish removal', detail: at });
    else if (gitDir !== undefined && (await exists(gitDir))) found.push({ action: 'put back', detail: path });
  }
  return found;
}

async function mend(repo: Repository, ctx: Context): Promise<Answer> {
  const { done, findings, running } = await settle(repo, ctx);
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
  const wrecks = await findWreckage(now);
  const pruned: PruneData['pruned'] = done.map((detail) => ({ action: 'finish', detail }));
  const kept: PruneData['kept'] = [...findings, ...notOurs(wrecks)];
  const hints: string[] = [];
  for (const wreck of wrecks) {
    if (wreck.mend) await perform(wreck.mend, wreck.what, wreck.remedy);
  }
  for (const told of await reclaimVanished(now, ctx)) pruned.push({ action: 'reclaim', detail: told });
  for (const one of await litter(now)) await perform(one, one.detail, PRUNE);
  await trimRuns(now);
  return {
    ok: true,
    data: { ...where(now), pruned, kept, recovery_refs: await recoveryRefs(now) },
    hints: [...hints, ...now.config.notes],
    message: inWords(pruned.length, kept.length),
  };

  async function perform(one: Mend, what: string, remedy: string): Promise<void> {
    if (ctx.signal.aborted)
      throw new Refusal('cancelled', 'prune was cancelled: what it had not reached stays.');
    try {
      const note = await one.perform(now, ctx);
      if (note !== undefined) hints.push(note);
      pruned.push(step(one));
      await point('prune.one');
    } catch (error) {
      if (Refusal.is(error) && error.slug === 'cancelled') throw error;
      // One thing that cannot be mended does not keep the others from it.
      const why = error instanceof Error ? error.message : String(error);
      kept.push({ what: `${what} ${why}`, remedy });
    }
  }
}

async function recoveryRefs(repo: Repository): Promise<PruneData['recovery_refs']> {
  const refs = await listRefs(repo.top, ['refs/discern/recovered/']);
  return refs.map(({ name, commit }) => ({ ref: name, commit }));
}

function inWords(pruned: number, kept: number): string {
  const left = kept === 0 ? '' : ` ${kept} stay${kept === 1 ? 's' : ''}, each with the command for it.`;
  return pruned === 0 ? `Nothing to prune.${left}` : `Pruned ${count(pruned, 'thing')}.${left}`;
}
