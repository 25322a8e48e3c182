import { randomBytes } from 'node:crypto';
import type { Landing } from '../../contract/data.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { adviceOn } from '../git/cause.ts';
import { GitError } from '../git/core.ts';
import type { Difference } from '../git/diff.ts';
import { parseObstacles } from '../git/read-tree.ts';
import { isAncestor, looseRef, moveRef, moveRefWith, resolveCommit } from '../git/refs.ts';
import { noteLanding } from '../note/landed.ts';
import { signingSettings } from '../note/sign.ts';
import { cleanAt } from '../removal/stock.ts';
import { landedRef } from '../repository/landed.ts';
import { type Repository, type Trunk, where } from '../repository/repository.ts';
import type { Teardown } from '../worktree/resources.ts';
import { catchUp } from './catch-up.ts';
import { follow } from './follow.ts';
import { editedInTheWay } from './hidden-edits.ts';
import { blocked, standInTheWay } from './in-the-way.ts';
import { closeJournal, headOf, type Journal, writeJournal } from './journal.ts';
import {
  deleteBranch,
  goneHints,
  type Retirement,
  removeCheckout,
  type Surroundings,
  trashFor,
} from './retire.ts';
import { type TearDown, tearingDown } from './tear-down.ts';
import { undoneBy, undoneReason } from './undone.ts';
import { reasonIn, whyUnwritten } from './unwritten.ts';

export interface LandingOrder {
  repo: Repository;
  trunk: Trunk;
  /** The landing checkout's git top. */
  landing: string;
  /** Whether discern made the worktree, and so removes it and its branch. */
  managed: boolean;
  /** What differs between the trunk and the commit that lands. */
  changes: readonly Difference[];
  /** The commit the trunk moves to: the branch's own, or one with the same tree (`commitLanding`). */
  to: string;
  /** The commit the work was merged with: the trunk's, or what its upstream has more. */
  base: string;
}

/** The flags of a landing that did not begin. */
export const nothing: Landing = {
  recovery_performed: false,
  trunk_landed: false,
  worktree_removed: false,
  branch_deleted: false,
};

export interface LandingResult {
  landing: Landing;
  /** Why it is not complete, when the trunk did move. */
  reason?: string;
  /** What a person should know of the git note that says what was proved. */
  notes?: string[];
  /** What came of destroying the worktree's resources. */
  teardown?: Partial<Teardown>;
}

/**
 * Moves the trunk to the validated commit by compare-and-swap, lets the landing checkout follow, then retires the
 * worktree and its branch. The caller holds the landing lock and has just checked everything that may refuse.
 *
 * Dying anywhere leaves the journal, from which `recoverLanding` goes on. Refuses `behind_trunk` when someone else moved
 * the trunk first and `dirty_landing_checkout` when the landing checkout cannot follow; nothing has landed then.
 */
export async function land(order: LandingOrder, ctx: Context): Promise<LandingResult> {
  const { repo, trunk, landing, managed, to } = order;
  const id = randomBytes(4).toString('hex');
  const journal: Journal = {
    version: 1,
    id,
    project: repo.prefix,
    trunk: { name: trunk.name, ref: trunk.ref },
    from: trunk.commit,
    to,
    landing,
    worktree: {
      path: repo.top,
      branch: repo.branch,
      managed,
      trash: trashFor(repo.top, id),
      ...(to !== repo.commit && { head: repo.commit }),
    },
  };
  await point('accept.checked');
  await writeJournal(repo.commonDir, journal);
  await point('accept.journaled');
  const signing = signingSettings(landing);
  // The note, which waits for it, tells of its failure.
  signing.catch(() => undefined);
  if (trunk.commit !== to) await moveTrunk(order, journal);
  const undone = await undoneMeanwhile(order, journal);
  if (undone.length > 0) {
    await closeJournal(repo.commonDir);
    return {
      landing: { ...nothing, trunk_landed: true },
      reason: undoneReason(undone, trunk.name, to),
    };
  }
  ctx.emit({ type: 'progress', message: `${trunk.name} is at ${to.slice(0, 10)}.` });
  await point('accept.followed');
  const tearDown = tearingDown(repo.commonDir, 'accept', ctx, cleanAt);
  // Neither depends on the other, and each is several gits.
  const [result, notes] = await Promise.all([
    retire(journal, false, repo, tearDown),
    noteLanding(repo, landing, to, signing),
  ]);
  await point('accept.retired');
  await closeJournal(repo.commonDir);
  return { ...result, notes };
}

/** What a commit made in the landing checkout took back, while the trunk had moved and its files had not. */
async function undoneMeanwhile(
  { repo, trunk, landing }: LandingOrder,
  { from, to }: Journal,
): Promise<string[]> {
  // The ref was just written, and so is a file of its own; else git is asked.
  if ((await looseRef(repo.commonDir, trunk.ref)) === to) return [];
  const now = await resolveCommit(landing, trunk.ref);
  return now === undefined || now === to ? [] : undoneBy(landing, from, to, now);
}

async function moveTrunk(
  { repo, trunk, landing, changes, base }: LandingOrder,
  journal: Journal,
): Promise<void> {
  const { from, to } = journal;
  const reason = `discern: accept ${repo.branch ?? to}`;
  try {
    // In one step, so that work which is on the trunk in other commits is never there without being known for it.
    if (base === to || (await isAncestor(landing, repo.commit, to)))
      await moveRef(landing, trunk.ref, to, from, reason);
    else {
      const record = { ref: landedRef(base, to), commit: repo.commit };
      await moveRefWith(landing, trunk.ref, to, from, reason, record);
    }
  } catch (error) {
    // A git that was ended from outside may have moved it: then the journal stays, and whoever comes next looks.
    if (!(error instanceof GitError) || error.code === null) throw error;
    await closeJournal(repo.commonDir);
    const cause = (await whyUnwritten(repo.commonDir, error.stderr)) ?? 'other';
    // A trunk that still stands where it stood did not move: git could not write it.
    if (cause !== 'other' || (await resolveCommit(landing, trunk.ref)) === from) {
      throw new Refusal(
        cause === 'locked' ? 'busy' : 'unavailable',
        `git could not move ${trunk.ref} (${error.stderr.trim().split('\n')[0]}): ${adviceOn(cause, repo.commonDir)}. Nothing was landed.`,
        { data: where(repo) },
      );
    }
    throw new Refusal(
      'behind_trunk',
      `${trunk.name} moved while landing: call update, then accept again. Nothing was landed.`,
      {
        data: where(repo),
      },
    );
  }
  await point('accept.moved');
  try {
    // What git ignores it would overwrite: what came since it was looked at is looked at once more.
    const late = {
      untracked: await standInTheWay(landing, changes),
      changed: await editedInTheWay(landing, from, to, changes),
    };
    const files = [...late.untracked, ...late.changed];
    if (files.length > 0) {
      throw new Refusal('dirty_landing_checkout', `${blocked(landing, late)} Nothing was landed.`, {
        data: { ...where(repo), files },
      });
    }
    await follow(landing, from, to);
  } catch (error) {
    const why = error instanceof GitError ? reasonIn(error.stderr) : inWords(error);
    // Asked before anything is taken back, since that makes room.
    const cause = error instanceof GitError ? await whyUnwritten(landing, error.stderr) : undefined;
    await moveBack({ repo, trunk, landing }, journal, why);
    // Only where the index is held by another git was nothing begun; one that took too long may have written files.
    const untouched = Refusal.is(error) && error.slug !== 'timed_out' && error.slug !== 'cancelled';
    const files = untouched ? [] : await undo(error, landing, to, from);
    await closeJournal(repo.commonDir);
    if (error instanceof Refusal) throw error;
    if (cause !== undefined && files.length === 0) {
      throw new Refusal(
        'unavailable',
        `${landing} could not follow, since git could not write its files (${why}): ${adviceOn(cause, landing)}. Nothing was landed.`,
        { data: where(repo) },
      );
    }
    throw new Refusal(
      'dirty_landing_checkout',
      `${landing} could not follow (${why}): look at it with "git status", put right what is in the way, then accept again. Nothing was landed.`,
      { data: { ...where(repo), files } },
    );
  }
}

/**
 * Takes back what a follow that failed has written; resolves with the files that stand in the way. Where someone wrote
 * into the landing checkout since we looked, git found out before it wrote anything. Any other failure, such as a full
 * disk, may have come between two files.
 */
async function undo(error: unknown, landing: string, to: string, from: string): Promise<string[]> {
  const { changed, untracked } = parseObstacles(error instanceof GitError ? error.stderr : '');
  const files = [...changed, ...untracked];
  return files.length > 0 ? files : catchUp(landing, to, from);
}

/** What the trunk's reflog says where a landing took it back. */
export const TAKEN_BACK = 'discern: the landing checkout could not follow';

/** Takes the trunk back; where that is impossible the work has landed, and the journal stays for a recovery. */
async function moveBack(
  { repo, trunk, landing }: Pick<LandingOrder, 'repo' | 'trunk' | 'landing'>,
  { from, to }: Journal,
  why: string,
): Promise<void> {
  try {
    await moveRef(landing, trunk.ref, from, to, TAKEN_BACK);
  } catch (error) {
    throw new Refusal(
      'partial_acceptance',
      `${trunk.name} has the work (${to.slice(0, 10)}), but ${landing} could not follow (${why}), and the trunk could not be moved back (${inWords(error)}): call status, which continues from here.`,
      { data: { ...where(repo), landing: { ...nothing, trunk_landed: true } } },
    );
  }
}

/**
 * Retires the worktree of a landing whose trunk has moved, its resources first; also what a recovery ends with. Whatever keeps it from doing so
 * is a reason, never an error: the landing itself is done.
 */
export async function retire(
  journal: Journal,
  recovered: boolean,
  repo: Surroundings,
  tearDown: TearDown,
): Promise<LandingResult> {
  const { worktree, landing } = journal;
  const head = headOf(journal);
  const flags: Landing = { ...nothing, recovery_performed: recovered, trunk_landed: true };
  if (!worktree.managed) return { landing: flags };
  const { path, trash, branch } = worktree;
  const teardown = await tearDown(path, journal.project, head).catch((error) => ({
    reason: `the resources of ${path} could not be destroyed: ${inWords(error)}`,
  }));
  if (teardown.reason !== undefined) return { landing: flags, reason: teardown.reason, teardown };
  await point('resource.cleared');
  const removal = { from: landing, path, trash, repo };
  let kept: string | undefined;
  const withBranch = async () => {
    kept = branch === null ? undefined : await deleteBranch(removal, branch, head).catch(inWords);
  };
  const gone = await removeCheckout(removal, cleanAt(head, path), withBranch).catch(
    (error): Retirement => ({
      removed: false,
      reason: `${path} could not be removed: ${inWords(error)}`,
    }),
  );
  const { removed, reason } = gone;
  if (!removed) return { landing: flags, teardown, ...(reason && { reason }) };
  flags.worktree_removed = true;
  flags.branch_deleted = branch !== null && kept === undefined;
  await point('accept.removed');
  const reasons = [reason, kept].filter((one) => one !== undefined);
  const told = ('hints' in teardown && teardown.hints) || [];
  return {
    landing: flags,
    teardown: { ...teardown, hints: [...told, ...goneHints(gone)] },
    ...(reasons.length > 0 && { reason: reasons.join('; ') }),
  };
}

/** What was thrown, as the end of a sentence. */
export const inWords = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
