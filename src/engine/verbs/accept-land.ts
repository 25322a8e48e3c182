import type { Landing } from '../../contract/data.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { carryProof } from '../gate/proof.ts';
import { commitLanding } from '../landing/compose.ts';
import { type LandingResult, land, nothing } from '../landing/land.ts';
import { keepCommits } from '../landing/left-commits.ts';
import { push } from '../landing/push.ts';
import { lockLanding, type Recovery, recoverLocked } from '../landing/recover.ts';
import { refName } from '../landing/retire.ts';
import { lockCheckout } from '../repository/checkout.ts';
import { openRepository, where } from '../repository/repository.ts';
import { holding } from '../state/lock.ts';
import type { Candidate } from './accept-answer.ts';
import { catchUpBranch } from './accept-combined.ts';
import { examine } from './accept-examine.ts';
import type { ProvedWork } from './accept-prove.ts';
import { isOf, LANDING_WAIT_MS, type Recoveries, tearDown } from './accept-settle.ts';

/** How long a push waits for other landings in this repository, which may wait for the remote, in milliseconds. */
const PUSH_WAIT_MS = 120_000;

export interface Landed extends ProvedWork {
  to: string;
  result: LandingResult;
  hints: readonly string[];
  pushed?: Landing['pushed'];
}

/** Lands what is proved, under the locks; `moved` where the trunk is not what it was proved with any more. */
export async function landExclusively(
  proved: ProvedWork,
  args: Args<'accept'>,
  before: Recoveries,
  ctx: Context,
): Promise<Landed | { recovery: Recovery } | { moved: true }> {
  const { candidate: first } = proved;
  const checkout = await lockCheckout(first.repo, first.repo, 'a landing', ctx, 0);
  return holding(checkout, async () => {
    const lock = await lockLanding(first.repo, ctx, first.target ? PUSH_WAIT_MS : LANDING_WAIT_MS);
    return holding(lock, async () => {
      const again = await recoverLocked(first.repo, ctx, tearDown(first.repo, ctx));
      if (again && isOf(again, first.repo)) return { recovery: again };
      if (again) before.found.push(again);
      // What was read before the lock, or before a gate, may be history by now.
      const isOld =
        lock.waited || again !== undefined || proved.to !== undefined || first.target !== undefined;
      const candidate = isOld
        ? await examine(await openRepository(first.repo.root, ctx.signal), args)
        : first;
      const isMoved =
        candidate.trunk.commit !== first.trunk.commit || candidate.target?.commit !== first.target?.commit;
      if (isMoved && !(candidate.already && !candidate.target)) return { moved: true };
      if (candidate.repo.commit !== first.repo.commit || !(candidate.proved || proved.to !== undefined)) {
        throw new Refusal(
          'busy',
          'The worktree changed while another landing was waited for: accept again.',
          { data: where(candidate.repo) },
        );
      }
      if (ctx.signal.aborted) throw new Refusal('cancelled', 'accept was cancelled; nothing was landed.');
      const to = proved.to ?? (await landingCommit(candidate));
      if (to === candidate.work.base && !candidate.already && candidate.managed) {
        // It brings nothing that the trunk lacks, and its commits go with the branch.
        await keepCommits(candidate.landing, refName(candidate.repo.top), [candidate.repo.commit]);
      }
      const pushed = await pushFirst(candidate, to, ctx);
      if (pushed === 'moved') return { moved: true };
      const result = await landOrMoved(candidate, to, pushed, ctx);
      if (result === 'moved') return { moved: true };
      const hints = await catchUpBranch(candidate, to);
      return { ...proved, candidate, to, result, hints, ...(pushed && { pushed }) };
    });
  });
}

type Pushed = Landing['pushed'];

/** The remote first: it alone can say no to what is proved, and here nothing has moved then. */
async function pushFirst(
  { repo, work, target }: Candidate,
  to: string,
  ctx: Context,
): Promise<Pushed | 'moved'> {
  if (!target) return undefined;
  await point('push.checked');
  const came = await push(repo, { to, base: work.base, target }, ctx.signal);
  await point('push.pushed');
  return came === 'moved' ? came : { remote: target.remote, ref: target.there };
}

async function landOrMoved(
  candidate: Candidate,
  to: string,
  pushed: Pushed,
  ctx: Context,
): Promise<LandingResult | 'moved'> {
  const { repo, trunk, work } = candidate;
  try {
    return await land({ ...candidate, to, base: work.base }, ctx);
  } catch (error) {
    if (!Refusal.is(error)) throw error;
    if (pushed) {
      throw new Refusal(
        'partial_acceptance',
        `${pushed.remote} has the work (${to.slice(0, 10)}), but ${trunk.name} here has not: ${error.message.replace(/ Nothing was landed\.$/, '')} Accept again with push, which goes on from here.`,
        { ...error.detail, data: { ...where(repo), ...error.detail.data, landing: { ...nothing, pushed } } },
      );
    }
    if (error.slug === 'behind_trunk') return 'moved';
    throw error;
  }
}

/** The commit that lands, proved: it has the very tree the gate judged, whatever way it was made. */
async function landingCommit({ repo, trunk, work, how, already }: Candidate): Promise<string> {
  if (already) return work.base;
  const to = await commitLanding(repo, work, how, trunk.name);
  if (to !== repo.commit && to !== trunk.commit) await carryProof(repo, { ...repo, commit: to });
  return to;
}
