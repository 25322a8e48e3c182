import { rename } from 'node:fs/promises';
import type { Landing } from '../../contract/data.ts';
import type { Context } from '../call/context.ts';
import { exists } from '../files/files.ts';
import { git } from '../git/core.ts';
import { treeDifference } from '../git/diff.ts';
import { switchTree } from '../git/read-tree.ts';
import { isAncestor, resolveCommit } from '../git/refs.ts';
import { isTrackedClean, readStatus } from '../git/status.ts';
import { forgetWorktree, listWorktrees } from '../git/worktree.ts';
import { noteLanding } from '../note/landed.ts';
import { isNoted } from '../note/store.ts';
import type { Repository } from '../repository/repository.ts';
import { type Busy, holding, type Lock, orRefuse, tryLock } from '../state/lock.ts';
import { adminDirs } from '../worktree/admin.ts';
import { traceOf } from '../worktree/home-link.ts';
import { gitDirOf } from '../worktree/identity.ts';
import { catchUp } from './catch-up.ts';
import { waitForIndex } from './follow.ts';
import { editedInTheWay } from './hidden-edits.ts';
import { closeJournal, headOf, type Journal, landingLockPath, readJournal } from './journal.ts';
import { keepAdministered } from './keep.ts';
import { inWords, type LandingResult, nothing, retire, TAKEN_BACK } from './land.ts';
import { deleteBranch, deleteJudged, judgedName, type Surroundings } from './retire.ts';
import { leavingResources, type TearDown } from './tear-down.ts';
import { undoneBy, undoneReason } from './undone.ts';

/** What came of an interrupted landing. */
export interface Recovery {
  journal: Journal;
  landing: Landing;
  /** What is left for a person, in words. */
  reason?: string;
  /** What a person should know of the note that says what was proved. */
  notes?: string[];
}

type Place = Pick<Repository, 'commonDir' | 'top' | 'config'>;

/**
 * Finishes a landing that was interrupted, if there is one. Everything is decided from what git says now: did the trunk
 * move, did the landing checkout follow, is the worktree still there. Files that someone changed are never overwritten.
 * Without `tearDown` no command of the project runs, and a worktree that has resources stays.
 *
 * `undefined` when there is nothing to recover. Refuses `busy` when the landing is still going in a living process after
 * `waitMs`.
 */
export async function recoverLanding(
  repo: Place,
  ctx: Context,
  waitMs: number,
  tearDown: TearDown = leavingResources(repo.commonDir),
): Promise<Recovery | undefined> {
  if (!(await readJournal(repo.commonDir))) return undefined;
  return holding(await lockLanding(repo, ctx, waitMs), () => recoverLocked(repo, ctx, tearDown));
}

/** {@link tryLockLanding}, which refuses `busy` where another landing holds the lock. */
export async function lockLanding(...args: Parameters<typeof tryLockLanding>): Promise<Lock> {
  return orRefuse(await tryLockLanding(...args));
}

/** The one lock of all landings of a repository; resolves with who holds it after `waitMs`. */
export function tryLockLanding(
  { commonDir }: Pick<Repository, 'commonDir'>,
  ctx: Context,
  waitMs: number,
): Promise<Lock | Busy> {
  return tryLock(landingLockPath(commonDir), {
    purpose: 'a landing',
    signal: ctx.signal,
    waitMs,
    onWait: (message) => ctx.emit({ type: 'waiting', message }),
  });
}

/** {@link recoverLanding} for a caller that holds the landing lock. */
export async function recoverLocked(
  place: Place,
  ctx: Context,
  tearDown: TearDown = leavingResources(place.commonDir),
): Promise<Recovery | undefined> {
  const { commonDir } = place;
  const journal = await readJournal(commonDir);
  if (!journal) return undefined;
  ctx.emit({ type: 'progress', message: 'Finishing a landing that was interrupted.' });
  const recovery = await converge(journal, place, tearDown);
  await closeJournal(commonDir);
  return recovery;
}

/** `top` is a checkout that is there: the landing checkout of the journal may have been moved since. */
async function converge(
  journal: Journal,
  { commonDir, top, config }: Place,
  tearDown: TearDown,
): Promise<Recovery | undefined> {
  const { trunk, from, to } = journal;
  const now = await resolveCommit(top, trunk.ref);
  if (now === from && from !== to) {
    await finishTakingBack(journal, top);
    return undefined;
  }
  // The trunk has been taken elsewhere since: then there is nothing of ours to finish. (It had not to move where the work was
  // landed by hand and the worktree was only to be retired.)
  if (now === undefined || !(await isAncestor(top, to, now))) {
    return undefined;
  }
  const worktrees = await listWorktrees(top);
  const home = worktrees.find((one) => one.branch === trunk.ref && !one.bare && one.prunable === undefined);
  const undone = await undoneBy(top, from, to, now);
  if (undone.length > 0) {
    const settled = { ...journal, landing: home?.path ?? top };
    return {
      journal: settled,
      landing: { ...nothing, recovery_performed: true, trunk_landed: true },
      reason: undoneReason(undone, trunk.name, to),
    };
  }
  const edited = now === to && home ? await followRecovered(home.path, from, to) : [];
  const stays = worktrees.find(
    (one) => !one.bare && one.prunable === undefined && one.path !== journal.worktree.path,
  );
  const settled = { ...journal, landing: (home ?? stays)?.path ?? top };
  const result = await retireRecovered(settled, { commonDir, worktrees }, tearDown);
  const place = { commonDir, config, prefix: journal.project };
  const notes = (await isNoted(settled.landing, to)) ? [] : await noteLanding(place, settled.landing, to);
  const reasons = [
    ...(edited.length > 0 ? [`these files of ${home?.path} were edited and kept: ${edited.join(', ')}`] : []),
    ...(result.reason ? [result.reason] : []),
  ];
  return {
    journal: settled,
    landing: result.landing,
    ...(reasons.length > 0 && { reason: reasons.join('; ') }),
    ...(notes.length > 0 && { notes }),
  };
}

/**
 * Of a landing that was being taken back when it was cut off, the trunk's reflog tells: then the landing checkout goes back the
 * rest of the way too. Of one that never moved the trunk nothing was written.
 */
async function finishTakingBack({ trunk, from, to }: Journal, top: string): Promise<void> {
  const asking = ['log', '--walk-reflogs', '--max-count=1', '--format=%gs', trunk.ref, '--'];
  const { stdout } = await git(top, asking, { ok: [0, 128] });
  if (stdout.toString('utf8').trim() !== TAKEN_BACK) return;
  const home = (await listWorktrees(top)).find(
    (one) => one.branch === trunk.ref && !one.bare && one.prunable === undefined,
  );
  if (!home) return;
  await waitForIndex((await gitDirOf(home.path)) ?? `${home.path}/.git`);
  await catchUp(home.path, to, from);
}

/** Takes the landing checkout to the landed commit from wherever it was cut off; returns the files it kept. */
async function followRecovered(landing: string, from: string, to: string): Promise<string[]> {
  await waitForIndex((await gitDirOf(landing)) ?? `${landing}/.git`);
  if (isTrackedClean(await readStatus(landing, { untracked: 'no' }))) return [];
  // git would overwrite an edit that it does not see; what is judged path by path is kept.
  const hidden = await editedInTheWay(landing, from, to, await treeDifference(landing, from, to));
  if (hidden.length > 0) return catchUp(landing, from, to);
  return (await switchTree(landing, from, to)) === 'switched' ? [] : catchUp(landing, from, to);
}

/** Goes on with a removal from where the names on disk say it stopped (see `trashFor`). */
async function retireRecovered(
  journal: Journal,
  repo: Surroundings,
  tearDown: TearDown,
): Promise<LandingResult> {
  const { landing } = journal;
  const { managed, path, trash, branch } = journal.worktree;
  if (!managed) return retire(journal, true, repo, tearDown);
  const known = repo.worktrees.some((entry) => entry.path === path);
  if (known && !(await exists(path)) && (await exists(trash))) await rename(trash, path);
  if (await exists(path)) return retire(journal, true, repo, tearDown);
  const admin = known ? (await adminDirs(repo.commonDir)).get(path) : undefined;
  const reasons: string[] = [];
  const left = (await exists(trash))
    ? `git has forgotten ${path} meanwhile; what it held is in ${trash}`
    : await deleteJudged(repo.commonDir, judgedName(trash));
  if (left !== undefined) reasons.push(left);
  else if (admin !== undefined && (await traceOf(admin)) === 'elsewhere') {
    // It may hold work of after the landing.
    const reason = `${path} was moved meanwhile: run "git worktree repair <where it is now>"`;
    return { landing: { ...nothing, recovery_performed: true, trunk_landed: true }, reason };
  }
  if (known) {
    try {
      // Someone may have taken the directory away meanwhile, and worked in it before.
      const refs = await keepWhatGitHas(journal, repo);
      if (refs.length > 0) reasons.push(`what was staged in ${path} meanwhile is kept in ${refs.join(', ')}`);
      await forgetWorktree(landing, path);
    } catch (error) {
      reasons.push(inWords(error));
    }
  }
  const kept =
    branch === null
      ? undefined
      : await deleteBranch({ from: landing, path, repo }, branch, headOf(journal)).catch(inWords);
  if (kept !== undefined) reasons.push(kept);
  return {
    landing: {
      recovery_performed: true,
      trunk_landed: true,
      worktree_removed: true,
      branch_deleted: branch !== null && kept === undefined,
    },
    ...(reasons.length > 0 && { reason: reasons.join('; ') }),
  };
}

async function keepWhatGitHas(journal: Journal, repo: Surroundings): Promise<string[]> {
  const { path } = journal.worktree;
  const entry = repo.worktrees.find((one) => one.path === path);
  const admin = (await adminDirs(repo.commonDir)).get(path);
  return entry && admin !== undefined ? keepAdministered(journal.landing, admin, entry) : [];
}
