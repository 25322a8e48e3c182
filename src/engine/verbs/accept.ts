import type { AcceptData, Landing } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Args } from '../../contract/verbs.ts';
import { lockCheckout, operationUnderWay, requireCleanWorktree } from '../checkout.ts';
import type { Context } from '../context.ts';
import { proofState } from '../gate/proof.ts';
import { type GateRun, requireTrunkInside, runGate } from '../gate/run.ts';
import { insideProject } from '../gate/scopes.ts';
import { changedPaths } from '../git/diff.ts';
import { logOneline } from '../git/refs.ts';
import { isTrackedClean, listChanges, readStatus } from '../git/status.ts';
import { gitDirOf, readRecord } from '../identity.ts';
import { landingLockPath } from '../landing/journal.ts';
import { land, requireFollowable } from '../landing/land.ts';
import { type Recovery, recoverLanding, recoverLocked } from '../landing/recover.ts';
import { acquireLock } from '../lock.ts';
import { Refusal } from '../refusal.ts';
import {
  isHome,
  openRepository,
  type Repository,
  requireTrunk,
  rootIn,
  type Trunk,
  where,
} from '../repository.ts';
import { homeCheckout } from '../worktree/place.ts';

type Answer = Omit<Envelope<AcceptData>, 'verb'>;

/** How long another landing in this repository is waited for before `busy`, in milliseconds. */
const LANDING_WAIT_MS = 10_000;

const nothing: Landing = {
  recovery_performed: false,
  trunk_landed: false,
  worktree_removed: false,
  branch_deleted: false,
};

/** A worktree that may land: everything that can refuse has been asked. */
interface Candidate {
  repo: Repository;
  trunk: Trunk;
  landing: string;
  managed: boolean;
  proved: boolean;
}

/**
 * Lands a worktree's commits on the trunk and retires it. An interrupted landing is finished first. The gate runs unless
 * a valid proof exists; what lands is the commit that was validated, never a later one.
 */
export async function accept(root: string, args: Args<'accept'>, ctx: Context): Promise<Answer> {
  let repo = await openRepository(root, ctx.signal);
  const recovery = args.dry_run ? undefined : await recoverLanding(repo, ctx, LANDING_WAIT_MS);
  if (recovery) {
    if (recovery.journal.worktree.path === repo.top) return recovered(repo, recovery);
    repo = await openRepository(root, ctx.signal);
  }
  let candidate = await examine(repo);
  if (args.dry_run) return preview(candidate);
  let gate: GateRun | undefined;
  if (!candidate.proved) {
    gate = await runGate(root, 'done', ctx);
    if (gate.error) return refusedByGate(gate);
    candidate = await examine(await openRepository(root, ctx.signal));
    if (!candidate.proved) {
      const status = await readStatus(candidate.repo.top);
      throw new Refusal(
        'dirty_worktree',
        `The gate passed but earned no proof (${listChanges(status)}): commit or ignore what changed, then accept again.`,
        {
          data: { ...where(candidate.repo), landing: nothing },
        },
      );
    }
  }
  return landExclusively(candidate, gate, recovery, ctx);
}

/** Asks everything that may refuse, cheapest first. */
async function examine(repo: Repository): Promise<Candidate> {
  const data = { ...where(repo), landing: nothing };
  if (isHome(repo)) {
    throw new Refusal(
      'not_in_worktree',
      `${repo.top} is where work lands, so there is nothing to accept in it: name the worktree to land by path.`,
      { data },
    );
  }
  const trunk = requireTrunk(repo);
  if (!repo.landing) {
    throw new Refusal(
      'landing_parked',
      `No checkout has ${trunk.name} checked out: run "git switch ${trunk.name}" in ${homeCheckout(repo)}, then accept again.`,
      { data },
    );
  }
  if (repo.self.locked !== undefined) {
    const why = repo.self.locked ? ` (${repo.self.locked})` : '';
    throw new Refusal(
      'locked_worktree',
      `${repo.top} is locked${why}: run "git worktree unlock ${repo.top}" if that is over.`,
      {
        data,
      },
    );
  }
  const record = await readRecord(repo.gitDir);
  const status = await readStatus(repo.top);
  await requireCleanWorktree(repo, status);
  if (record && repo.branch !== record.branch) {
    throw new Refusal(
      'dirty_worktree',
      `${repo.top} has ${repo.branch ?? 'a detached HEAD'} checked out instead of ${record.branch}: run "git switch ${record.branch}" there, or land it by hand.`,
      { data },
    );
  }
  await requireTrunkInside(repo);
  if (record && repo.commit === record.base_commit && repo.commit === trunk.commit) {
    throw new Refusal(
      'invalid_argument',
      `${repo.branch} has no commit of its own yet, so there is nothing to land: commit the work first, or call drop.`,
      { data },
    );
  }
  if (repo.prefix) await requireInsideProject(repo, trunk);
  await requireLandingReady(repo, repo.landing.path);
  await requireFollowable(repo, repo.landing.path, trunk.commit, repo.commit);
  const proof = await proofState(repo, status);
  return {
    repo,
    trunk,
    landing: repo.landing.path,
    managed: record !== undefined,
    proved: proof.state === 'valid',
  };
}

async function requireInsideProject(repo: Repository, trunk: Trunk): Promise<void> {
  const changed = await changedPaths(repo.top, trunk.commit, repo.commit);
  const outside = changed.filter((path) => insideProject(repo, path) === undefined);
  if (outside.length === 0) return;
  throw new Refusal(
    'outside_project',
    `The gate of ${repo.prefix} did not judge these changes outside it: ${outside.join(', ')}. Land them by hand, or take them out of the branch.`,
    { data: { ...where(repo), landing: nothing, files: outside } },
  );
}

async function requireLandingReady(repo: Repository, landing: string): Promise<void> {
  const data = { ...where(repo), landing: nothing };
  const gitDir = (await gitDirOf(landing)) ?? repo.commonDir;
  const operation = await operationUnderWay(gitDir);
  if (operation) {
    throw new Refusal(
      'dirty_landing_checkout',
      `${landing} is in the middle of ${operation.what}: finish it, or leave it with "${operation.remedy}", then accept again.`,
      { data },
    );
  }
  const status = await readStatus(landing, { untracked: 'no' });
  if (isTrackedClean(status)) return;
  throw new Refusal(
    'dirty_landing_checkout',
    `${landing} has uncommitted changes (${listChanges(status)}): commit or stash them, then accept again.`,
    { data: { ...data, files: [...new Set([...status.staged, ...status.unstaged])] } },
  );
}

async function landExclusively(
  first: Candidate,
  gate: GateRun | undefined,
  recovery: Recovery | undefined,
  ctx: Context,
): Promise<Answer> {
  const { commonDir } = first.repo;
  const checkout = await lockCheckout(first.repo, first.repo, 'a landing', ctx, 0);
  try {
    const lock = await acquireLock(landingLockPath(commonDir), {
      purpose: 'a landing',
      signal: ctx.signal,
      waitMs: LANDING_WAIT_MS,
      onWait: (message) => ctx.emit({ type: 'waiting', message }),
    });
    try {
      await recoverLocked(commonDir, ctx);
      // What was read before the lock may be history by now.
      const candidate = lock.waited
        ? await examine(await openRepository(first.repo.root, ctx.signal))
        : first;
      if (candidate.repo.commit !== first.repo.commit || !candidate.proved) {
        throw new Refusal(
          'busy',
          'The worktree changed while another landing was waited for: accept again.',
          {
            data: { ...where(candidate.repo), landing: nothing },
          },
        );
      }
      if (ctx.signal.aborted) throw new Refusal('cancelled', 'accept was cancelled; nothing was landed.');
      return landed(candidate, await land(candidate, ctx), gate, recovery);
    } finally {
      await lock.release();
    }
  } finally {
    await checkout.release();
  }
}

async function landed(
  { repo, trunk, landing, managed }: Candidate,
  result: Awaited<ReturnType<typeof land>>,
  gate: GateRun | undefined,
  recovery: Recovery | undefined,
): Promise<Answer> {
  const flags = { ...result.landing, recovery_performed: recovery !== undefined };
  const kept = managed
    ? undefined
    : `discern did not make ${repo.top}: whoever did removes it, so the checkout and its branch are kept.`;
  const data: AcceptData = {
    root: rootIn(repo, landing),
    branch: trunk.name,
    commit: repo.commit,
    landing: flags,
    trunk: trunk.name,
    landed_commit: repo.commit,
    worktree: repo.top,
    ...(kept && { kept }),
    ...(gate && { jobs: gate.data.jobs, scopes: gate.data.scopes }),
  };
  const hints = [...(gate?.hints ?? repo.config.notes), ...(kept ? [kept] : [])];
  const rest = { data, hints, ...(gate && { steps: gate.steps, diagnostics: gate.diagnostics }) };
  if (result.reason !== undefined) {
    return {
      ok: false,
      error: 'partial_acceptance',
      message: `${trunk.name} has the work (${repo.commit.slice(0, 10)}), but ${result.reason}. Finish with "discern drop" or by hand.`,
      ...rest,
    };
  }
  const what = managed ? `; the worktree and its branch are gone` : '';
  return {
    ok: true,
    ...rest,
    message: `Landed ${repo.commit.slice(0, 10)} on ${trunk.name}${what}.`,
  };
}

/** The worktree a call named was the one whose interrupted landing has just been finished. */
function recovered(repo: Repository, { journal, landing, reason }: Recovery): Answer {
  const data: AcceptData = {
    root: rootIn(repo, journal.landing),
    branch: journal.trunk.name,
    commit: journal.to,
    landing,
    trunk: journal.trunk.name,
    landed_commit: journal.to,
    worktree: repo.top,
  };
  if (reason !== undefined) {
    return {
      ok: false,
      error: 'partial_acceptance',
      data,
      message: `An interrupted landing was finished: ${journal.trunk.name} has the work, but ${reason}.`,
    };
  }
  return {
    ok: true,
    data,
    message: `An interrupted landing was finished: ${journal.trunk.name} has the work.`,
  };
}

function refusedByGate(gate: GateRun): Answer {
  return {
    ok: false,
    error: gate.error ?? 'gate_failed',
    message: `Nothing was landed. ${gate.message}`,
    data: { ...gate.data, landing: nothing },
    steps: gate.steps,
    diagnostics: gate.diagnostics,
    hints: gate.hints,
  };
}

async function preview({ repo, trunk, landing, managed, proved }: Candidate): Promise<Answer> {
  const commits = await logOneline(repo.top, trunk.commit, repo.commit, 20);
  const files = await changedPaths(repo.top, trunk.commit, repo.commit);
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `Land ${repo.branch ?? repo.commit} on ${trunk.name}`,
      steps: [
        ...(proved ? [] : [{ action: 'run the gate', detail: 'there is no valid proof' }]),
        ...commits.map((commit) => ({ action: 'land', detail: commit })),
        { action: 'files', detail: `${files.length}: ${files.slice(0, 20).join(', ')}` },
        { action: 'move', detail: `${trunk.name} in ${landing}` },
        ...(managed
          ? [
              { action: 'remove', detail: repo.top },
              { action: 'delete branch', detail: repo.branch ?? '' },
            ]
          : []),
      ],
    },
    data: { ...where(repo), trunk: trunk.name, landing: nothing, worktree: repo.top, files },
  };
}
