import type { StatusData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../context.ts';
import { proofState } from '../gate/proof.ts';
import { aheadBehind } from '../git/refs.ts';
import { isClean, listChanges, readStatus } from '../git/status.ts';
import { recoverProving } from '../init/prove.ts';
import { type Leftovers, recoverRemovals } from '../landing/leftovers.ts';
import { type Recovery, recoverLanding } from '../landing/recover.ts';
import { Refusal } from '../refusal.ts';
import { isHome, openRepository, type Repository, requireTrunk, rootIn, where } from '../repository.ts';
import { describeWorktrees } from '../worktree/describe.ts';
import { exists, homeCheckout } from '../worktree/place.ts';
import { vanishedFindings } from '../worktree/reclaim.ts';

/**
 * Where a checkout stands: branch, changes, distance from the trunk, proof, and every worktree of the repository.
 * Finishes an interrupted landing first, unless another process is at it.
 */
export async function status(
  root: string,
  _args: Args<'status'>,
  ctx: Context,
): Promise<Omit<Envelope<StatusData>, 'verb'>> {
  let repo = await openRepository(root, ctx.signal);
  const { done, findings } = await recover(repo, ctx);
  findings.push(...(await vanishedFindings(repo)));
  if (done.length > 0) {
    await requireRoot(repo, done);
    repo = await openRepository(root, ctx.signal);
  }
  const trunk = requireTrunk(repo);
  const [tree, distance] = await Promise.all([
    readStatus(repo.top, { signal: ctx.signal }),
    aheadBehind(repo.top, trunk.commit, repo.commit),
  ]);
  const worktrees = await describeWorktrees(repo, tree, ctx);
  const proof = await proofState(repo, tree);
  const clean = isClean(tree);
  return {
    ok: true,
    data: {
      ...where(repo),
      location: isHome(repo) ? 'main' : 'worktree',
      trunk: trunk.name,
      ...distance,
      clean,
      changes: {
        staged: tree.staged.length,
        unstaged: tree.unstaged.length,
        untracked: tree.untracked.length,
      },
      proof,
      worktrees,
      ...(done.length > 0 && { recovery: { performed: true, detail: done.join(' ') } }),
      ...(findings.length > 0 && { findings }),
    },
    hints: repo.config.notes,
    message: clean ? 'Nothing uncommitted.' : `Uncommitted changes: ${listChanges(tree)}.`,
  };
}

/**
 * Goes on with what an interrupted run left behind. Where that fails it is a finding: a person asks for the status to see
 * what is wrong.
 */
async function recover(repo: Repository, ctx: Context): Promise<Leftovers> {
  try {
    const landing = await recoverLanding(repo, ctx, 0);
    const removals = await recoverRemovals(repo, ctx);
    const proving = await recoverProving(repo, ctx);
    return {
      done: [
        ...(landing ? [inSentence(landing)] : []),
        ...removals.done,
        ...(proving === undefined ? [] : [proving]),
      ],
      findings: removals.findings,
    };
  } catch (error) {
    if (error instanceof Refusal && error.slug === 'cancelled') throw error;
    const what = error instanceof Error ? error.message : String(error);
    return { done: [], findings: [{ what, remedy: 'discern status' }] };
  }
}

/** The landing that was finished may have been that of the very worktree asked about. */
async function requireRoot(repo: Repository, done: readonly string[]): Promise<void> {
  if (await exists(repo.root)) return;
  const home = rootIn(repo, homeCheckout(repo));
  throw new Refusal(
    'root_missing',
    `${repo.root} is gone. ${done.join(' ')} Go on in ${home}: name it as path, or start a new worktree from there.`,
    { data: { root: repo.root } },
  );
}

function inSentence({ journal, reason }: Recovery): string {
  const what = journal.worktree.branch ?? journal.to;
  return `An interrupted landing of ${what} on ${journal.trunk.name} was finished${reason ? `, but ${reason}` : ''}.`;
}
