import { cpus } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Worktree } from '../../contract/data.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { loadOwnIndex } from '../git/own-index.ts';
import { isProvablyAsOurs, isProvablyClean } from '../git/quiet.ts';
import { aheadBehind, treesOf } from '../git/refs.ts';
import { isClean, readStatus, type TreeStatus } from '../git/status.ts';
import { branchOf, type WorktreeEntry } from '../git/worktree.ts';
import { anyLanded, landedAs } from '../repository/landed.ts';
import { isHomeEntry, type Repository, rootIn } from '../repository/repository.ts';
import { gitDirOf, namesOf, readRecord } from './identity.ts';
import { listeningOn } from './listening.ts';
import { type Notes, readNotes, shortTicket } from './notes.ts';
import { type Parked, parkedByPath } from './parked.ts';

/** How each checkout of the repository stands; `tree` is what is known already of the one asked about. */
export async function describeWorktrees(
  repo: Repository,
  tree: TreeStatus,
  ctx: Context,
): Promise<Worktree[]> {
  const entries = repo.worktrees.filter((entry) => !entry.bare);
  // One without a commit has no distance from anything.
  for (const entry of entries) if (/^0+$/.test(entry.head ?? '')) delete entry.head;
  const others = entries.filter((entry) => entry !== repo.self && entry.prunable === undefined);
  const parked = await parkedAmong(repo, entries);
  const heads = others.flatMap(({ head }) => (head === undefined ? [] : [head]));
  const trees = heads.length > 0 ? await treesOf(repo.top, heads, ctx.signal) : new Map<string, string>();
  const landed = await anyLanded(repo.top);
  const described: Worktree[] = new Array(entries.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < entries.length; index = next++) {
      const entry = entries[index] as WorktreeEntry;
      const own = entry === repo.self ? tree : undefined;
      const known = { own, tree: trees.get(entry.head ?? ''), parked: parked.get(entry.path) };
      const one = await describe(repo, entry, known, ctx);
      const as = landed && one.ahead ? await landedAs(repo, one.commit) : undefined;
      described[index] = { ...one, ...(as !== undefined && { landed: as }) };
    }
  };
  await Promise.all(Array.from({ length: Math.min(entries.length, cpus().length * 2) }, worker));
  const listening = await listeningOn(described.flatMap(({ port }) => port ?? []));
  return described.map((one) =>
    one.port === undefined ? one : { ...one, listening: listening.has(one.port) },
  );
}

interface Known {
  /** The status, of the checkout that was asked about. */
  own: TreeStatus | undefined;
  /** The tree of the commit it is at. */
  tree: string | undefined;
  /** How it is written down, where its directory is put away. */
  parked: Parked | undefined;
}

/** Those that are parked, which git has locked. */
async function parkedAmong(
  { commonDir }: Repository,
  entries: readonly WorktreeEntry[],
): Promise<ReadonlyMap<string, Parked>> {
  return entries.some(({ locked }) => locked !== undefined) ? parkedByPath(commonDir) : new Map();
}

async function describe(
  repo: Repository,
  entry: WorktreeEntry,
  known: Known,
  ctx: Context,
): Promise<Worktree> {
  const { parked } = known;
  const gitDir = parked ? join(repo.commonDir, 'worktrees', parked.admin) : await gitDirOf(entry.path);
  const record = gitDir === undefined ? undefined : await readRecord(gitDir);
  const names = record ?? (gitDir === undefined ? undefined : await namesOf(gitDir));
  const linked = entry !== repo.worktrees[0];
  const own = gitDir ?? (linked ? undefined : repo.commonDir);
  const checkout = own === undefined ? undefined : { gitDir: own, commonDir: repo.commonDir, linked };
  const { notes }: { notes: Notes } = checkout ? await readNotes(checkout) : { notes: {} };
  const { title = names?.title, tickets = [] } = notes;
  const state = entry.prunable === undefined ? await measure(repo, entry, gitDir, known, ctx) : {};
  return {
    path: entry.path,
    root: rootIn(repo, entry.path),
    branch: branchOf(entry) ?? null,
    commit: entry.head ?? '',
    location: isHomeEntry(repo, entry) ? 'main' : 'worktree',
    landing: entry === repo.landing,
    managed: record !== undefined,
    ...(entry.locked !== undefined && { locked: entry.locked }),
    ...(entry.prunable !== undefined && { prunable: entry.prunable }),
    ...(parked && { parked: parked.since }),
    ...(names && { id: names.id, port: names.port }),
    ...(title !== undefined && { title }),
    ...(tickets.length > 0 && { tickets: tickets.map(shortTicket) }),
    ...state,
  };
}

type State = Pick<Worktree, 'ahead' | 'behind' | 'clean' | 'tracked_changes'>;

async function measure(
  repo: Repository,
  entry: WorktreeEntry,
  gitDir: string | undefined,
  { own, tree, parked }: Known,
  ctx: Context,
): Promise<State> {
  const distance = repo.trunk && entry.head ? await aheadBehind(repo.top, repo.trunk.commit, entry.head) : {};
  if (parked) return distance;
  const place = { top: entry.path, gitDir: gitDir ?? repo.commonDir, commonDir: repo.commonDir };
  const status = own ?? (await quickStatus(place, { commit: entry.head ?? '', tree }, ctx));
  return { ...distance, ...(status && changesOf(status)) };
}

/**
 * How a checkout's files are, without asking git where that is not needed; `undefined` of one that vanished meanwhile or that git
 * cannot read. `tree` is that of the commit it is at, where it is known.
 */
export async function quickStatus(
  place: { top: string; gitDir: string; commonDir: string },
  { commit, tree }: { commit: string; tree: string | undefined },
  ctx: Context,
): Promise<TreeStatus | undefined> {
  // Looking into files is done in one go; others get their turn in between.
  await turn();
  const ours = await loadOwnIndex(place);
  const proved =
    tree !== undefined &&
    (ours ? await isProvablyAsOurs({ ...place, tree }, commit, ours) : isProvablyClean({ ...place, tree }));
  if (proved) return { commit, staged: [], unstaged: [], unmerged: [], untracked: [] };
  return readStatus(place.top, { compare: 'known', signal: ctx.signal }).catch((error: unknown) => {
    // It is shown without a state.
    if (error instanceof Refusal && error.slug === 'cancelled') throw error;
    return undefined;
  });
}

function changesOf(status: TreeStatus): Pick<State, 'clean' | 'tracked_changes'> {
  return { clean: isClean(status), tracked_changes: new Set([...status.staged, ...status.unstaged]).size };
}
