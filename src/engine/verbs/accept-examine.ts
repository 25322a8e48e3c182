import type { LandingWay } from '../../contract/settings.ts';
import type { Args } from '../../contract/verbs.ts';
import { loadSettings } from '../config/index.ts';
import { policyWords } from '../gate/policy.ts';
import { proofState } from '../gate/proof.ts';
import { pathText } from '../git/core.ts';
import { treeDifference } from '../git/diff.ts';
import { isAncestor, treeOf } from '../git/refs.ts';
import { readStatus } from '../git/status.ts';
import { insideProject } from '../jobs/scopes.ts';
import { combined, pushBase } from '../landing/combine.ts';
import { findObstacles, waitForBranch, waitForIndex } from '../landing/follow.ts';
import { requireOwnState } from '../landing/journal.ts';
import { pushTarget } from '../landing/push.ts';
import { lookInto } from '../removal/look.ts';
import { requireCleanWorktree } from '../repository/checkout.ts';
import { landedAs, landedBelow } from '../repository/landed.ts';
import { type Repository, requireTrunk, rootIn, type Trunk, where } from '../repository/repository.ts';
import type { Work } from '../repository/work.ts';
import { readRecord } from '../worktree/identity.ts';
import type { Candidate } from './accept-answer.ts';
import {
  nothingToLand,
  requireFollowable,
  requireInsideProject,
  requireLanding,
  requireLandingReady,
  requireMadeFor,
  requireNothingLost,
  requireOwnBranch,
  requireUnlocked,
  requireWorktree,
} from './accept-requires.ts';

/** Asks everything that may refuse, cheapest first. */
export async function examine(repo: Repository, args: Args<'accept'>): Promise<Candidate> {
  const data = where(repo);
  requireWorktree(repo);
  const trunk = requireTrunk(repo);
  const landing = await requireLanding(repo, trunk);
  requireUnlocked(repo);
  // Another git is writing there: what it will leave is not known yet.
  await waitForIndex(repo.gitDir);
  await requireOwnState(repo.commonDir, data);
  const record = await readRecord(repo.gitDir);
  // Once the work has landed the branch goes.
  if (record) {
    requireOwnBranch(repo);
    await waitForBranch(repo.commonDir, repo.branch);
  }
  const how = await wayOf(repo, landing, args);
  const target = args.push ? await pushTarget(repo, trunk) : undefined;
  // With a push the work is combined with what the remote has, too.
  const base = target ? { ...trunk, commit: await pushBase(repo, trunk, target) } : trunk;
  // Of these two merged nobody has seen the gate yet.
  const isNew = base.commit !== trunk.commit && base.commit !== target?.commit;
  const has = !isNew && (await alreadyLanded(repo, base));
  const behind = !has && !(await isAncestor(repo.top, base.commit, repo.commit));
  // Nothing lands of work that has: its worktree only waits to be retired.
  const combining = behind ? combined(repo, base) : Promise.resolve(has ? base.commit : repo.commit);
  // Asked at once, since each is a git of its own; told in order.
  const differing = combining.then((content) => treeDifference(landing, trunk.commit, content));
  const leaving = { at: repo.top, path: repo.top, gitDir: repo.gitDir };
  const [worktree, together, ready, obstacles, going] = await Promise.allSettled([
    readStatus(repo.top, { ignored: record !== undefined, commit: repo.commit }),
    combining,
    requireLandingReady(repo, landing),
    differing.then(async (entries) => findObstacles(landing, trunk.commit, await combining, entries)),
    // A checkout that discern did not make stays, with all that is in it.
    record === undefined
      ? []
      : lookInto({ ...leaving, changes: () => treeDifference(landing, trunk.commit, repo.commit) }),
  ]);
  const status = settled(worktree);
  await requireCleanWorktree(repo, status);
  await requireMadeFor(repo, record);
  const content = settled(together);
  // A worktree of ours whose work is on the trunk, but not where it began, has landed already.
  const isThere = has || repo.commit === base.commit;
  const brings = record ? repo.commit !== record.base_commit : base.commit !== trunk.commit;
  if (isThere && !brings) throw nothingToLand(repo, trunk);
  await requireInsideProject(repo, trunk.commit, content);
  requireNothingLost(repo, settled(going));
  settled(ready);
  requireFollowable(repo, landing, settled(obstacles));
  const changes = await differing;
  const changed = changes.flatMap(({ path }) => insideProject(repo, pathText(path)) ?? []);
  const [proof, work, policy] = await Promise.all([
    proofState(repo, status),
    workOf(repo, base, content),
    policyWords(repo, trunk, changed),
  ]);
  return {
    repo,
    trunk,
    landing,
    managed: record !== undefined,
    changes,
    how,
    already: has,
    behind,
    ...(target && { target }),
    work,
    policy,
    ignored: status.ignored ?? [],
    proved: has || (!behind && proof.state === 'valid'),
  };
}

/** How it lands: what the call says, else what the landing checkout's settings do, so that no branch changes it. */
async function wayOf(repo: Repository, landing: string, args: Args<'accept'>): Promise<LandingWay> {
  return args.how ?? (await loadSettings(rootIn(repo, landing))).landing.how;
}

/** Whether the trunk has the worktree's commit, further back or in other commits. */
async function alreadyLanded(repo: Repository, trunk: Trunk): Promise<boolean> {
  if (repo.commit === trunk.commit) return false;
  if (await isAncestor(repo.top, trunk.commit, repo.commit)) return false;
  return (
    (await isAncestor(repo.top, repo.commit, trunk.commit)) ||
    (await landedAs({ top: repo.top, trunk }, repo.commit)) !== undefined
  );
}

async function workOf({ top, commit }: Repository, trunk: Trunk, content: string): Promise<Work> {
  const base = trunk.commit;
  const [tree, landed] = await Promise.all([treeOf(top, content), landedBelow(top, base, commit)]);
  return { base, head: commit, tree, landed };
}

function settled<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
