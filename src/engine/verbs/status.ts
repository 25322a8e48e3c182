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
import { recoverLanding } from '../landing/recover.ts';
import { Refusal } from '../refusal.ts';
import { isHome, openRepository, type Repository, requireTrunk, rootIn, where } from '../repository.ts';

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
  const { recovery, finding } = await recover(repo, ctx);
  if (recovery) repo = await openRepository(root, ctx.signal);
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
      ...(recovery && { recovery }),
      ...(finding && { findings: [finding] }),
    },
    hints: repo.config.notes,
    message: clean ? 'Nothing uncommitted.' : `Uncommitted changes: ${listChanges(tree)}.`,
  };
}

async function recover(
  repo: Repository,
  ctx: Context,
): Promise<{
  recovery?: { performed: boolean; detail: string };
  finding?: { what: string; remedy: string };
}> {
  try {
    const found = await recoverLanding(repo, ctx, 0);
    if (!found) return {};
    const detail = `An interrupted landing of ${found.journal.worktree.branch ?? found.journal.to} on ${found.journal.trunk.name} was finished${found.reason ? `, but ${found.reason}` : ''}.`;
    return { recovery: { performed: true, detail } };
  } catch (error) {
    if (!(error instanceof Refusal) || error.slug !== 'busy') throw error;
    return { finding: { what: error.message, remedy: 'discern status' } };
  }
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
): Promise<{ ahead?: number; behind?: number; clean?: boolean }> {
  const clean = await readStatus(entry.path, { signal: ctx.signal }).then(isClean, (error) => {
    // A checkout that vanished since git listed it, or that git cannot read, is shown without a state.
    if (error instanceof Refusal && error.slug === 'cancelled') throw error;
    return undefined;
  });
  const distance = repo.trunk && entry.head ? await aheadBehind(repo.top, repo.trunk.commit, entry.head) : {};
  return { ...distance, ...(clean !== undefined && { clean }) };
}
