import type { Landing } from '../../contract/data.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { converge } from '../landing/converge.ts';
import { nothing } from '../landing/land.ts';
import { recoverOwnCheckouts } from '../landing/own-checkout.ts';
import { resourcesOf } from '../landing/tear-down.ts';
import { asksPerson, type Matter, requireWord } from '../repository/consent.ts';
import { fetchUpstream } from '../repository/fetch.ts';
import { openRepository, type Repository, requireTrunk, where } from '../repository/repository.ts';
import { type AcceptAnswer, type Candidate, landed, preview } from './accept-answer.ts';
import { examine } from './accept-examine.ts';
import { landExclusively } from './accept-land.ts';
import { acceptByPullRequest } from './accept-pr.ts';
import { type Prepared, prove, provedBefore } from './accept-prove.ts';
import { enqueue, previewQueue, requireQueueable } from './accept-queue.ts';
import { examineSettled, finishLanding, isOf, type Recoveries, recoveredHere } from './accept-settle.ts';
import { waysOf } from './accept-ways.ts';

/** How often what is to land is combined with a trunk that has moved once more. */
const MOST_ATTEMPTS = 5;

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
  const recovery = args.dry_run ? undefined : await finishLanding(repo, ctx);
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

/** What a person is asked: the word is about one commit. */
function wordAbout({ repo, target }: Candidate): Matter {
  const trunk = requireTrunk(repo).name;
  return {
    verb: 'accept',
    subject: [repo.top, repo.commit, trunk, ...(target ? [target.remote] : [])],
    question: `Land ${repo.top} on ${trunk}${target ? `, and push that to ${target.remote}` : ''}? It is at ${repo.commit.slice(0, 10)}.`,
  };
}
