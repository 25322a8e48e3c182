import type { Landing } from '../../contract/data.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { proofState } from '../gate/proof.ts';
import { type GateRun, requireTrunkInside, runGate } from '../gate/run.ts';
import { pathText } from '../git/core.ts';
import { changedPaths, treeDifference } from '../git/diff.ts';
import type { Obstacles } from '../git/read-tree.ts';
import { resolveCommit } from '../git/refs.ts';
import { isTrackedClean, listChanges, readStatus } from '../git/status.ts';
import { insideProject } from '../jobs/scopes.ts';
import { converge } from '../landing/converge.ts';
import { findObstacles, waitForBranch, waitForIndex } from '../landing/follow.ts';
import { overwritten } from '../landing/in-the-way.ts';
import { requireOwnState } from '../landing/journal.ts';
import { type LandingResult, land, nothing } from '../landing/land.ts';
import { policyWords } from '../landing/policy.ts';
import { lockLanding, type Recovery, recoverLanding, recoverLocked } from '../landing/recover.ts';
import { resourcesOf, tearingDown } from '../landing/tear-down.ts';
import { lookInto, type Obstacle } from '../removal/look.ts';
import { cleanAt, inTheWay } from '../removal/stock.ts';
import { lockCheckout, operationUnderWay, requireCleanWorktree } from '../repository/checkout.ts';
import { asksPerson, type Matter, requireWord } from '../repository/consent.ts';
import {
  isHome,
  openRepository,
  type Repository,
  requireTrunk,
  type Trunk,
  where,
} from '../repository/repository.ts';
import { shellWord } from '../words/shell-word.ts';
import { gitDirOf, readRecord } from '../worktree/identity.ts';
import {
  type AcceptAnswer,
  type Candidate,
  landed,
  preview,
  recovered,
  refusedByGate,
} from './accept-answer.ts';

/** How long another landing in this repository is waited for before `busy`, in milliseconds. */
const LANDING_WAIT_MS = 10_000;

/**
 * Lands a worktree's commits on the trunk and retires it. An interrupted landing is finished first. The gate runs unless
 * a valid proof exists; what lands is the commit that was validated, never a later one.
 */
export async function accept(root: string, args: Args<'accept'>, ctx: Context): Promise<AcceptAnswer> {
  const before: Recoveries = { found: [] };
  try {
    return await acceptWorktree(root, args, ctx, before);
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
): Promise<AcceptAnswer> {
  let repo = await openRepository(root, ctx.signal);
  const recovery = args.dry_run
    ? undefined
    : await recoverLanding(repo, ctx, LANDING_WAIT_MS, tearDown(repo, ctx));
  if (recovery) {
    if (isOf(recovery, repo)) return recoveredHere(repo, recovery, ctx);
    before.found.push(recovery);
    repo = await openRepository(root, ctx.signal);
  }
  if (args.dry_run) {
    const candidate = await examine(repo);
    // A worktree that stays keeps what it has.
    return preview(candidate, candidate.managed ? await resourcesOf(repo.commonDir, repo.top) : []);
  }
  let candidate = await examineSettled(repo, ctx, before);
  // Where nobody can be asked, that is said before the gate takes its time.
  const asks = await asksPerson(repo, 'accept', ctx);
  let gate: GateRun | undefined;
  if (!candidate.proved) {
    gate = await runGate(root, 'done', ctx);
    if (gate.error) return refusedByGate(gate, before.found.length > 0);
    candidate = await examineSettled(await openRepository(root, ctx.signal), ctx, before);
    if (!candidate.proved) {
      const why = gate.data.proof?.reason ?? 'The worktree changed since: accept again.';
      throw new Refusal(
        'dirty_worktree',
        `Nothing was landed: the gate passed, but the commit is not proved. ${why}`,
        { data: where(candidate.repo) },
      );
    }
  }
  if (asks) requireWord(candidate.repo, wordAbout(candidate), ctx);
  const outcome = await landExclusively(candidate, before, ctx);
  if ('recovery' in outcome) return recoveredHere(repo, outcome.recovery, ctx);
  const { candidate: settledCandidate, result } = outcome;
  // What runs in the landing checkout may take long, and keeps nobody else from landing.
  const ready = result.landing.trunk_landed ? await converge(repo, settledCandidate.landing, ctx) : undefined;
  return landed(settledCandidate, { ...result, ready }, gate, before.found, ctx.client);
}

/** What a person is asked: the word is about one commit. */
function wordAbout({ repo }: Candidate): Matter {
  const trunk = requireTrunk(repo).name;
  return {
    verb: 'accept',
    subject: [repo.top, repo.commit, trunk],
    question: `Land ${repo.top} on ${trunk}? It is at ${repo.commit.slice(0, 10)}.`,
  };
}

/** A landing of this very worktree was found half done, and finished: its trunk's checkout is made ready as after any other. */
async function recoveredHere(repo: Repository, recovery: Recovery, ctx: Context): Promise<AcceptAnswer> {
  return recovered(repo, recovery, await converge(repo, recovery.journal.landing, ctx));
}

const tearDown = ({ commonDir }: Repository, ctx: Context) => tearingDown(commonDir, 'accept', ctx, cleanAt);
const isOf = ({ journal }: Recovery, repo: Repository) => journal.worktree.path === repo.top;

/** {@link examine}; what it says of the landing checkout is only true while no other landing writes there. */
async function examineSettled(repo: Repository, ctx: Context, before: Recoveries): Promise<Candidate> {
  try {
    return await examine(repo);
  } catch (error) {
    if (!(error instanceof Refusal) || error.slug !== 'dirty_landing_checkout') throw error;
    const lock = await lockLanding(repo, ctx, LANDING_WAIT_MS);
    try {
      const recovery = await recoverLocked(repo, ctx, tearDown(repo, ctx));
      if (recovery) before.found.push(recovery);
      return await examine(await openRepository(repo.root, ctx.signal));
    } finally {
      await lock.release();
    }
  }
}

/** Asks everything that may refuse, cheapest first. */
async function examine(repo: Repository): Promise<Candidate> {
  const data = where(repo);
  if (isHome(repo)) {
    throw new Refusal(
      'not_in_worktree',
      `${repo.top} is where work lands, so there is nothing to accept in it: name the worktree to land by path.`,
      { data },
    );
  }
  const trunk = requireTrunk(repo);
  if (!repo.landing) {
    throw new Refusal('landing_parked', await parkedAdvice(repo, trunk), { data });
  }
  if (repo.self.locked !== undefined) {
    const why = repo.self.locked ? ` (${repo.self.locked})` : '';
    throw new Refusal(
      'locked_worktree',
      `${repo.top} is locked${why}: run "git worktree unlock ${shellWord(repo.top)}" if that is over.`,
      {
        data,
      },
    );
  }
  requireOneLanding(repo, trunk);
  // Another git is writing there: what it will leave is not known yet.
  await waitForIndex(repo.gitDir);
  await requireOwnState(repo.commonDir, data);
  const record = await readRecord(repo.gitDir);
  // Once the work has landed the branch goes.
  if (record) {
    requireOwnBranch(repo);
    await waitForBranch(repo.commonDir, repo.branch);
  }
  // Asked at once, since each is a git of its own; told in order.
  const landing = repo.landing.path;
  const differing = treeDifference(landing, trunk.commit, repo.commit);
  const leaving = { at: repo.top, path: repo.top, gitDir: repo.gitDir };
  const [worktree, inside, ready, obstacles, going] = await Promise.allSettled([
    readStatus(repo.top, { ignored: record !== undefined }),
    requireTrunkInside(repo),
    requireLandingReady(repo, landing),
    differing.then((entries) => findObstacles(landing, trunk.commit, repo.commit, entries)),
    // A checkout that discern did not make stays, with all that is in it.
    record === undefined ? [] : lookInto({ ...leaving, changes: () => differing }),
  ]);
  const status = settled(worktree);
  await requireCleanWorktree(repo, status);
  if (record && repo.branch !== record.branch) {
    throw new Refusal(
      'dirty_worktree',
      `${repo.top} has ${repo.branch ?? 'a detached HEAD'} checked out instead of ${record.branch}: run "${await backTo(repo, record.branch)}" there, or land it by hand.`,
      { data },
    );
  }
  settled(inside);
  // A worktree of ours that is at the trunk but not where it began has landed already, and only waits to be retired.
  if (repo.commit === trunk.commit && (!record || repo.commit === record.base_commit)) {
    throw new Refusal(
      'invalid_argument',
      `${repo.branch ?? repo.top} has no commit that ${trunk.name} lacks, so there is nothing to land: commit the work first, or call drop.`,
      { data },
    );
  }
  if (repo.prefix) await requireInsideProject(repo, trunk);
  requireNothingLost(repo, settled(going));
  settled(ready);
  requireFollowable(repo, landing, settled(obstacles));
  const proof = await proofState(repo, status);
  const changes = await differing;
  const changed = changes.flatMap(({ path }) => insideProject(repo, pathText(path)) ?? []);
  return {
    repo,
    trunk,
    landing,
    managed: record !== undefined,
    changes,
    policy: await policyWords(repo, trunk, changed),
    ignored: status.ignored ?? [],
    proved: proof.state === 'valid',
  };
}

/** What brings a worktree back to the branch it was made for: that branch may have been renamed or deleted. */
async function backTo(repo: Repository, branch: string): Promise<string> {
  if ((await resolveCommit(repo.top, `refs/heads/${branch}`)) !== undefined)
    return `git switch ${shellWord(branch)}`;
  return repo.branch === null
    ? `git switch -c ${shellWord(branch)}`
    : `git branch -m ${shellWord(repo.branch)} ${shellWord(branch)}`;
}

/** Refuses `dirty_landing_checkout` where a second checkout has the trunk: its files would not follow. */
function requireOneLanding(repo: Repository, trunk: Trunk): void {
  const [first, second] = repo.worktrees.filter(
    ({ branch, bare, prunable }) => branch === trunk.ref && !bare && prunable === undefined,
  );
  if (!first || !second) return;
  throw new Refusal(
    'dirty_landing_checkout',
    `${trunk.name} is checked out twice, in ${first.path} and ${second.path}, and only one of them can follow: run "git switch --detach" in the other, then accept again.`,
    { data: where(repo) },
  );
}

/** Refuses `busy` where another checkout has the worktree's branch too: it could not be deleted when the work has landed. */
function requireOwnBranch(repo: Repository): void {
  const { branch, path } = repo.self;
  const other = repo.worktrees.find(
    (one) => one.path !== path && branch !== undefined && one.branch === branch,
  );
  if (!other) return;
  throw new Refusal(
    'busy',
    `${repo.branch} is checked out in ${other.path} too, so it could not be deleted: run "git switch --detach" there, then accept again. Nothing was landed.`,
    { data: where(repo) },
  );
}

function settled<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Refuses what would go with the worktree once it has landed, and that nothing can keep. */
function requireNothingLost(repo: Repository, obstacles: readonly Obstacle[]): void {
  const [first] = obstacles;
  if (!first) return;
  throw new Refusal(
    first.slug,
    `Landing would remove ${repo.top}, and with it more than its commits: ${inTheWay(obstacles)}. Then accept again. Nothing was landed.`,
    { data: { ...where(repo), worktree: repo.top, files: obstacles.map(({ path }) => path) } },
  );
}

/** Refuses `dirty_landing_checkout`, listing the files, when the landing checkout cannot follow. */
function requireFollowable(repo: Repository, landing: string, obstacles: Obstacles | undefined): void {
  if (!obstacles) return;
  const files = [...obstacles.changed, ...obstacles.untracked];
  throw new Refusal('dirty_landing_checkout', `${overwritten(landing, files)} Nothing was landed.`, {
    data: { ...where(repo), files },
  });
}

async function requireInsideProject(repo: Repository, trunk: Trunk): Promise<void> {
  const changed = await changedPaths(repo.top, trunk.commit, repo.commit);
  const outside = changed.filter((path) => insideProject(repo, path) === undefined);
  if (outside.length === 0) return;
  throw new Refusal(
    'outside_project',
    `The gate of ${repo.prefix} did not judge these changes outside it: ${outside.join(', ')}. Land them by hand, or take them out of the branch.`,
    { data: { ...where(repo), files: outside } },
  );
}

/** What to do when no checkout has the trunk. */
async function parkedAdvice(repo: Repository, trunk: Trunk): Promise<string> {
  const none = `No checkout has ${trunk.name} checked out`;
  const [main] = repo.worktrees;
  // A bare repository has no branch checked out: this one has a checkout, and git keeps no way back to it.
  if (main?.bare && main.branch !== undefined) {
    return `Nothing tells where the checkout of ${main.path} lies: run git config core.worktree "$PWD" in that checkout's top directory, then accept again.`;
  }
  if (!main || main.bare) {
    return `${none}: make one with "git worktree add <directory> ${trunk.name}", then accept again.`;
  }
  const operation = await operationUnderWay((await gitDirOf(main.path)) ?? repo.commonDir);
  if (operation) {
    return `${none}: ${main.path} is in the middle of ${operation.what}. Finish it, or leave it with "${operation.remedy}", then accept again.`;
  }
  return `${none}: run "git switch ${trunk.name}" in ${main.path}, then accept again.`;
}

async function requireLandingReady(repo: Repository, landing: string): Promise<void> {
  const data = where(repo);
  const gitDir = (await gitDirOf(landing)) ?? repo.commonDir;
  const operation = await operationUnderWay(gitDir);
  if (operation) {
    throw new Refusal(
      'dirty_landing_checkout',
      `${landing} is in the middle of ${operation.what}: finish it, or leave it with "${operation.remedy}", then accept again.`,
      { data },
    );
  }
  // What lies inside its submodules is no matter: landing never touches it.
  const status = await readStatus(landing, { untracked: 'no', submodules: 'all', compare: 'not' });
  if (isTrackedClean(status)) return;
  throw new Refusal(
    'dirty_landing_checkout',
    `${landing} has uncommitted changes (${listChanges(status)}): commit or stash them, then accept again.`,
    { data: { ...data, files: [...new Set([...status.staged, ...status.unstaged])] } },
  );
}

async function landExclusively(
  first: Candidate,
  before: Recoveries,
  ctx: Context,
): Promise<{ candidate: Candidate; result: LandingResult } | { recovery: Recovery }> {
  const checkout = await lockCheckout(first.repo, first.repo, 'a landing', ctx, 0);
  try {
    const lock = await lockLanding(first.repo, ctx, LANDING_WAIT_MS);
    try {
      const again = await recoverLocked(first.repo, ctx, tearDown(first.repo, ctx));
      if (again && isOf(again, first.repo)) return { recovery: again };
      if (again) before.found.push(again);
      // What was read before the lock may be history by now.
      const candidate =
        lock.waited || again ? await examine(await openRepository(first.repo.root, ctx.signal)) : first;
      if (candidate.repo.commit !== first.repo.commit || !candidate.proved) {
        throw new Refusal(
          'busy',
          'The worktree changed while another landing was waited for: accept again.',
          {
            data: where(candidate.repo),
          },
        );
      }
      if (ctx.signal.aborted) throw new Refusal('cancelled', 'accept was cancelled; nothing was landed.');
      return { candidate, result: await land(candidate, ctx) };
    } finally {
      await lock.release();
    }
  } finally {
    await checkout.release();
  }
}
