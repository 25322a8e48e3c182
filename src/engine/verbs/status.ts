import type { Result } from '../../contract/answers.ts';
import type { Worktree } from '../../contract/data.ts';
import type { Args } from '../../contract/verbs.ts';
import { oneLine } from '../../contract/visible.ts';
import type { Context } from '../call/context.ts';
import { worktreesOf } from '../fleet/named-worktree.ts';
import { meantOf, type Reference, requireReference } from '../fleet/ticket-ref.ts';
import { proofState } from '../gate/proof.ts';
import { aheadBehind } from '../git/refs.ts';
import { isClean, listChanges, readStatus, type TreeStatus } from '../git/status.ts';
import { findLeftovers } from '../maintenance/find.ts';
import { finishInterrupted, requireRoot, tellInterrupted } from '../maintenance/finish.ts';
import { notKnown } from '../repository/not-known.ts';
import { listRecovered, toldOf } from '../repository/recovered.ts';
import { isHome, openRepository, type Repository, requireTrunk, where } from '../repository/repository.ts';
import { trunkBehind } from '../repository/upstream.ts';
import { describeWorktrees } from '../worktree/describe.ts';
import { divergence } from '../worktree/divergence.ts';
import { readNotes } from '../worktree/notes.ts';

function overlookedHint({ overlooked }: TreeStatus): string[] {
  if (!overlooked || overlooked.edited.length === 0) return [];
  return [
    `git was told to overlook edits in ${overlooked.edited.slice(0, 5).join(', ')}: no gate proves them.`,
  ];
}

/** What to know of work that is on the trunk in other commits than the branch has. */
function landedHint(repo: Repository, worktrees: readonly Worktree[]): string[] {
  const { landed, managed } = worktrees.find(({ path }) => path === repo.top) ?? {};
  if (landed === undefined) return [];
  const next = managed ? 'accept removes the worktree, or commit more' : 'commit more, or start anew';
  return [`All of it is on ${repo.trunk?.name} already, as ${landed.slice(0, 10)}: ${next}.`];
}

/** Those of the worktrees that have a ticket. */
async function havingTicket(
  repo: Repository,
  worktrees: readonly Worktree[],
  reference: Reference,
  ctx: Context,
): Promise<Worktree[]> {
  const named = await worktreesOf(repo, ctx, { parked: true, entries: repo.worktrees });
  const having = await Promise.all(
    named.map(async (one) => {
      const { tickets = [] } = (await readNotes(one)).notes;
      return meantOf(reference, tickets).length > 0 ? [one.entry?.path] : [];
    }),
  );
  const paths = new Set(having.flat());
  return worktrees.filter(({ path }) => paths.has(path));
}

/**
 * Where a checkout stands: branch, changes, distance from the trunk, proof, and every worktree of the repository.
 * With `ticket` only the worktrees that have it. Finishes an interrupted landing first, unless another process is at it, or the caller
 * may only look. Refuses `invalid_argument` for what is no ticket.
 */
export async function status(root: string, args: Args<'status'>, ctx: Context): Promise<Result<'status'>> {
  const reference = args.ticket === undefined ? undefined : requireReference(args.ticket);
  let repo = await openRepository(root, ctx.signal);
  const { done, running, ...finished } = ctx.lookOnly
    ? await tellInterrupted(repo)
    : await finishInterrupted(repo, ctx);
  if (done.length > 0) {
    await requireRoot(repo, done);
    repo = await openRepository(root, ctx.signal);
  }
  const trunk = requireTrunk(repo);
  const [tree, distance, left, recovered, upstream] = await Promise.all([
    readStatus(repo.top, { signal: ctx.signal }),
    aheadBehind(repo.top, trunk.commit, repo.commit),
    running === undefined ? findLeftovers(repo) : undefined,
    listRecovered(repo.top, repo.commonDir),
    trunkBehind(repo, ctx.signal),
  ]);
  const worktrees = await describeWorktrees(repo, tree, ctx);
  const leftovers = (left?.leftovers ?? []).map(({ what, remedy }) => ({ what, remedy }));
  const findings = [...finished.findings, ...leftovers];
  const proof = await proofState(repo, tree);
  const clean = isClean(tree);
  const diverged = await divergence(repo, tree, ctx, worktrees);
  const shown = reference ? await havingTicket(repo, worktrees, reference, ctx) : worktrees;
  return {
    ok: true,
    data: {
      ...where(repo),
      location: isHome(repo) ? 'main' : 'worktree',
      trunk: trunk.name,
      ...distance,
      ...(upstream && { upstream }),
      clean,
      changes: {
        staged: tree.staged.length,
        unstaged: tree.unstaged.length,
        untracked: tree.untracked.length,
      },
      proof,
      worktrees: shown,
      ...(diverged && { divergence: diverged }),
      ...(done.length > 0 && { recovery: { performed: true, detail: done.join(' ') } }),
      ...(findings.length > 0 && { findings }),
      ...(recovered.length > 0 && {
        kept: { total: recovered.length, refs: recovered.map(toldOf) },
      }),
    },
    hints: [
      ...(running === undefined ? [] : [running]),
      ...(shown.length === 0 ? [`No worktree here has the ticket ${oneLine(args.ticket ?? '')}.`] : []),
      ...landedHint(repo, worktrees),
      ...overlookedHint(tree),
      ...(await notKnown(repo.top, tree)),
      ...repo.config.notes,
    ],
    message: clean
      ? (diverged ?? 'Nothing uncommitted.')
      : [diverged, `Uncommitted changes: ${listChanges(tree)}.`].filter(Boolean).join(' '),
  };
}
