import type { Landing } from '../../contract/data.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { carryProof } from '../gate/proof.ts';
import type { GateRun } from '../gate/run.ts';
import { commitLanding } from '../landing/compose.ts';
import { converge } from '../landing/converge.ts';
import { type LandingResult, land, nothing } from '../landing/land.ts';
import { keepCommits } from '../landing/left-commits.ts';
import { recoverOwnCheckouts } from '../landing/own-checkout.ts';
import { push } from '../landing/push.ts';
import { lockLanding, type Recovery, recoverLanding, recoverLocked } from '../landing/recover.ts';
import { refName } from '../landing/retire.ts';
import { resourcesOf, tearingDown } from '../landing/tear-down.ts';
import { cleanAt } from '../removal/stock.ts';
import { lockCheckout } from '../repository/checkout.ts';
import { asksPerson, type Matter, requireWord } from '../repository/consent.ts';
import { fetchUpstream } from '../repository/fetch.ts';
import { openRepository, type Repository, requireTrunk, where } from '../repository/repository.ts';
import { holding } from '../state/lock.ts';
import {
  type AcceptAnswer,
  type Candidate,
  landed,
  preview,
  recovered,
  refusedByGate,
} from './accept-answer.ts';
import { catchUpBranch, gateCombined, gateOrMoved } from './accept-combined.ts';
import { examine } from './accept-examine.ts';
import { acceptByPullRequest } from './accept-pr.ts';
import { enqueue, previewQueue, requireQueueable } from './accept-queue.ts';
import { waysOf } from './accept-ways.ts';

/** How long another landing in this repository is waited for before `busy`, in milliseconds. */
const LANDING_WAIT_MS = 10_000;

/** How often what is to land is combined with a trunk that has moved once more. */
const MOST_ATTEMPTS = 5;

/** How long a push waits for other landings in this repository, which may wait for the remote, in milliseconds. */
const PUSH_WAIT_MS = 120_000;

/**
 * Lands a worktree's commits on the trunk and retires it. An interrupted landing is finished first. The gate runs unless
 * a valid proof exists; what lands is the commit that was validated, never a later one. Where the trunk has commits that the branch
 * lacks, the two together are what is validated and lands.
 */
export const accept = (
  root: string,
  args: Args<'accept'>,
  ctx: Context,
  goFirst?: GoFirst,
): Promise<AcceptAnswer> => acceptProved(root, args, ctx, undefined, goFirst);

/** Lets others land before this work is looked at; true where any did. */
export type GoFirst = (repo: Repository) => Promise<boolean>;

/** What the queue has proved of a worktree's work: that commit lands, on that very trunk, or nothing does. */
export interface Prepared {
  /** The trunk's commit. */
  base: string;
  /** The branch's. */
  head: string;
  to: string;
  met: string;
}

/** {@link accept}. With `prepared` it refuses `behind_trunk` where the trunk moved, and `dirty_worktree` where the branch did. */
export async function acceptProved(
  root: string,
  args: Args<'accept'>,
  ctx: Context,
  prepared: Prepared | undefined,
  goFirst?: GoFirst,
): Promise<AcceptAnswer> {
  const before: Recoveries = { found: [] };
  try {
    return await acceptWorktree(root, args, ctx, before, prepared, goFirst);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Whatever refuses does so before anything has landed, unless it says otherwise itself.
    const { landing, ...data } = error.detail.data ?? {};
    const recovery_performed = before.found.length > 0;
    error.detail.data = {
      ...data,
      landing: { ...nothing, ...(landing as Partial<Landing>), recovery_performed },
    };
    throw error;
  }
}

/** The interrupted landings one accept has finished on its way, so that the answer tells of them however it ends. */
interface Recoveries {
  found: Recovery[];
}

async function acceptWorktree(
  root: string,
  args: Args<'accept'>,
  ctx: Context,
  before: Recoveries,
  prepared: Prepared | undefined,
  goFirst: GoFirst | undefined,
): Promise<AcceptAnswer> {
  if (args.queue) requireQueueable(args);
  let repo = await openRepository(root, ctx.signal);
  const recovery = args.dry_run
    ? undefined
    : await recoverLanding(repo, ctx, LANDING_WAIT_MS, tearDown(repo, ctx));
  if (recovery) {
    if (isOf(recovery, repo)) return recoveredHere(repo, recovery, ctx);
    before.found.push(recovery);
    repo = await openRepository(root, ctx.signal);
  }
  if (args.pr) return acceptByPullRequest(repo, args, ctx);
  if (!args.dry_run) await recoverOwnCheckouts(repo, ctx);
  else {
    const candidate = await examine(repo, args);
    if (args.queue) return previewQueue(candidate, args);
    // A worktree that stays keeps what it has.
    const going = candidate.managed ? await resourcesOf(repo.commonDir, repo.top) : [];
    return preview(candidate, going, await waysOf(candidate, args, ctx.signal));
  }
  if (await goFirst?.(repo)) repo = await openRepository(root, ctx.signal);
  await fetchFirst(repo, args, ctx);
  let candidate = await examineSettled(repo, args, ctx, before);
  // Where nobody can be asked, that is said before the gate takes its time.
  const asks = await asksPerson(repo, 'accept', ctx);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    if (asks && (candidate.behind || args.queue)) requireWord(candidate.repo, wordAbout(candidate), ctx);
    if (args.queue) return enqueue(candidate, args, asks, ctx);
    const proved = prepared ? provedBefore(candidate, prepared) : await prove(candidate, args, before, ctx);
    if ('answer' in proved) return proved.answer;
    if (asks && !('moved' in proved)) requireWord(candidate.repo, wordAbout(candidate), ctx);
    const outcome = 'moved' in proved ? proved : await landExclusively(proved, args, before, ctx);
    if ('recovery' in outcome) return recoveredHere(repo, outcome.recovery, ctx);
    if (!('moved' in outcome)) {
      // What runs in the landing checkout may take long, and keeps nobody else from landing.
      const ready = outcome.result.landing.trunk_landed
        ? await converge(repo, outcome.candidate.landing, ctx)
        : undefined;
      return landed(outcome.candidate, { ...outcome, ...outcome.result, ready }, before.found, ctx.client);
    }
    await fetchFirst(repo, args, ctx);
    candidate = await examineSettled(await openRepository(root, ctx.signal), args, ctx, before);
  }
  throw new Refusal(
    'busy',
    `${candidate.trunk.name} moved ${MOST_ATTEMPTS} times while this was being proved with it: accept again. Nothing was landed.`,
    { data: where(candidate.repo) },
  );
}

/** A push lands together with all that the remote has now. */
async function fetchFirst(repo: Repository, args: Args<'accept'>, ctx: Context): Promise<void> {
  if (!args.push) return;
  ctx.emit({ type: 'progress', message: `Fetching what ${requireTrunk(repo).name} got elsewhere.` });
  await fetchUpstream(repo, ctx.signal, 'accept without push');
}

/** Work that may land: what `to` is has its own proof already; else its tree is that of the branch's commit, which has. */
interface ProvedWork {
  candidate: Candidate;
  to?: string;
  met?: string;
  gate?: GateRun;
}

/** What the queue has proved, where the trunk and the branch are what they were then. */
function provedBefore(candidate: Candidate, { base, head, to, met }: Prepared): ProvedWork {
  const { repo, trunk, already } = candidate;
  const data = where(repo);
  if (repo.commit !== head)
    throw new Refusal('dirty_worktree', `The branch moved since ${head.slice(0, 10)} was queued.`, { data });
  if (already) return { candidate };
  if (trunk.commit !== base)
    throw new Refusal('behind_trunk', `${trunk.name} moved since this was proved with it.`, { data });
  return { candidate, to, ...(met && { met }) };
}

/** Sees that what would land is proved, by running the gate where nothing says so yet. */
async function prove(
  candidate: Candidate,
  args: Args<'accept'>,
  before: Recoveries,
  ctx: Context,
): Promise<ProvedWork | { answer: AcceptAnswer } | { moved: true }> {
  if (candidate.proved) return { candidate };
  const { repo } = candidate;
  if (candidate.behind) {
    const together = await gateCombined(candidate, ctx);
    if (together === 'moved') return { moved: true };
    const { gate, ...combined } = together;
    if (!gate) return { candidate, ...combined };
    if (gate.error)
      return { answer: refusedByGate(gate, before.found.length > 0, { candidate, ...combined }) };
    requireProof(repo, gate);
    return { candidate, ...combined, gate };
  }
  const gate = await gateOrMoved(repo.root, ctx);
  if (gate === 'moved') return { moved: true };
  if (gate.error) return { answer: refusedByGate(gate, before.found.length > 0) };
  const now = await examineSettled(await openRepository(repo.root, ctx.signal), args, ctx, before);
  // Where the trunk has moved meanwhile, the two together are still to be proved.
  if (now.behind) return prove(now, args, before, ctx);
  if (!now.proved) requireProof(now.repo, gate, 'The worktree changed since: accept again.');
  return { candidate: now, gate };
}

/** Refuses `dirty_worktree` where a gate that passed earned no proof, or `otherwise` says why it is not of this commit. */
function requireProof(repo: Repository, gate: GateRun, otherwise?: string): void {
  const { proof } = gate.data;
  if (proof?.state === 'valid' && otherwise === undefined) return;
  const why = proof?.reason ?? otherwise ?? '';
  throw new Refusal(
    'dirty_worktree',
    `Nothing was landed: the gate passed, but the commit is not proved. ${why}`,
    { data: where(repo) },
  );
}

/** What a person is asked: the word is about one commit. */
function wordAbout({ repo, target }: Candidate): Matter {
  const trunk = requireTrunk(repo).name;
  return {
    verb: 'accept',
    subject: [repo.top, repo.commit, trunk, ...(target ? [target.remote] : [])],
    question: `Land ${repo.top} on ${trunk}${target ? `, and push that to ${target.remote}` : ''}? It is at ${repo.commit.slice(0, 10)}.`,
  };
}

/** A landing of this very worktree was found half done, and finished: its trunk's checkout is made ready as after any other. */
async function recoveredHere(repo: Repository, recovery: Recovery, ctx: Context): Promise<AcceptAnswer> {
  return recovered(repo, recovery, await converge(repo, recovery.journal.landing, ctx));
}

/** Finishes a landing of this repository that was cut off, if there is one. */
export const finishLanding = (repo: Repository, ctx: Context) =>
  recoverLanding(repo, ctx, LANDING_WAIT_MS, tearDown(repo, ctx));

const tearDown = ({ commonDir }: Repository, ctx: Context) => tearingDown(commonDir, 'accept', ctx, cleanAt);
const isOf = ({ journal }: Recovery, repo: Repository) => journal.worktree.path === repo.top;

/** {@link examine}; what it says of the landing checkout is only true while no other landing writes there. */
async function examineSettled(
  repo: Repository,
  args: Args<'accept'>,
  ctx: Context,
  before: Recoveries,
): Promise<Candidate> {
  try {
    return await examine(repo, args);
  } catch (error) {
    if (!(error instanceof Refusal) || error.slug !== 'dirty_landing_checkout') throw error;
    const lock = await lockLanding(repo, ctx, LANDING_WAIT_MS);
    try {
      const recovery = await recoverLocked(repo, ctx, tearDown(repo, ctx));
      if (recovery) before.found.push(recovery);
      return await examine(await openRepository(repo.root, ctx.signal), args);
    } finally {
      await lock.release();
    }
  }
}

interface Landed extends ProvedWork {
  to: string;
  result: LandingResult;
  hints: readonly string[];
  pushed?: Landing['pushed'];
}

/** Lands what is proved, under the locks; `moved` where the trunk is not what it was proved with any more. */
async function landExclusively(
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
