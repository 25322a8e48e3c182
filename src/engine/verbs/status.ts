import { cpus } from 'node:os';
import type { StatusData, Worktree } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../context.ts';
import { proofState } from '../gate/proof.ts';
import { aheadBehind } from '../git/refs.ts';
import { isClean, listChanges, readStatus } from '../git/status.ts';
import type { WorktreeEntry } from '../git/worktree.ts';
import { gitDirOf, readRecord } from '../identity.ts';
import { type Leftovers, recoverRemovals } from '../landing/leftovers.ts';
import { type Recovery, recoverLanding } from '../landing/recover.ts';
import { Refusal } from '../refusal.ts';
import { isHome, openRepository, type Repository, requireTrunk, rootIn, where } from '../repository.ts';
import { exists, homeCheckout } from '../worktree/place.ts';

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
  if (done.length > 0) {
    await requireRoot(repo, done);
    repo = await openRepository(root, ctx.signal);
  }
  const trunk = requireTrunk(repo);
  const [tree, distance, worktrees] = await Promise.all([
    readStatus(repo.top, { signal: ctx.signal }),
    aheadBehind(repo.top, trunk.commit, repo.commit),
    describeWorktrees(repo, ctx),
  ]);
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
    return {
      done: [...(landing ? [inSentence(landing)] : []), ...removals.done],
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

async function describeWorktrees(repo: Repository, ctx: Context): Promise<Worktree[]> {
  const entries = repo.worktrees.filter((entry) => !entry.bare);
  const described: Worktree[] = new Array(entries.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < entries.length; index = next++) {
      described[index] = await describe(repo, entries[index] as WorktreeEntry, ctx);
    }
  };
  await Promise.all(Array.from({ length: Math.min(entries.length, cpus().length * 2) }, worker));
  return described;
}

async function describe(repo: Repository, entry: WorktreeEntry, ctx: Context): Promise<Worktree> {
  const gitDir = await gitDirOf(entry.path);
  const record = gitDir === undefined ? undefined : await readRecord(gitDir);
  const main = entry === repo.worktrees[0] || entry === repo.landing;
  const state = entry.prunable === undefined ? await measure(repo, entry, ctx) : {};
  return {
    path: entry.path,
    root: rootIn(repo, entry.path),
    branch: entry.branch?.replace(/^refs\/heads\//, '') ?? null,
    commit: entry.head ?? '',
    location: main ? 'main' : 'worktree',
    landing: entry === repo.landing,
    managed: record !== undefined,
    ...(entry.locked !== undefined && { locked: entry.locked }),
    ...(entry.prunable !== undefined && { prunable: entry.prunable }),
    ...(record && { id: record.id }),
    ...state,
  };
}

async function measure(
  repo: Repository,
  entry: WorktreeEntry,
  ctx: Context,
): Promise<Pick<Worktree, 'ahead' | 'behind' | 'clean' | 'tracked_changes'>> {
  const [status, distance] = await Promise.all([
    readStatus(entry.path, { signal: ctx.signal }).catch((error: unknown) => {
      // A checkout that vanished since git listed it, or that git cannot read, is shown without a state.
      if (error instanceof Refusal && error.slug === 'cancelled') throw error;
      return undefined;
    }),
    repo.trunk && entry.head ? aheadBehind(repo.top, repo.trunk.commit, entry.head) : {},
  ]);
  if (!status) return distance;
  const tracked = new Set([...status.staged, ...status.unstaged]).size;
  return { ...distance, clean: isClean(status), tracked_changes: tracked };
}
