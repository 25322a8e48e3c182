import { stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import type { FleetWorktree } from '../../contract/verbs-fleet.ts';
import type { Context } from '../call/context.ts';
import { configDigest } from '../config/index.ts';
import { exists } from '../files/files.ts';
import { proofState } from '../gate/proof.ts';
import { gitDirOf } from '../git/git-dir.ts';
import { type Distance, distancesFrom } from '../git/history.ts';
import { treesOf } from '../git/refs.ts';
import { isClean, type TreeStatus } from '../git/status.ts';
import { branchOf, type WorktreeEntry } from '../git/worktree.ts';
import { isHomeEntry, type Repository, rootIn } from '../repository/repository.ts';
import { quickStatus } from '../worktree/describe.ts';
import { namesOf, readRecord } from '../worktree/identity.ts';
import { lastRunIn } from '../worktree/last-run.ts';
import { readNotes, shownTicket } from '../worktree/notes.ts';
import { type Parked, parkedByPath } from '../worktree/parked.ts';
import { readPhase, readTodos } from '../worktree/reported.ts';

/** A checkout as it was looked at, before sessions are put into it. */
export interface Looked {
  row: Omit<FleetWorktree, 'sessions' | 'needs_attention' | 'last_activity'>;
  /** When something was reported, run or committed here last. Milliseconds. */
  active: number;
  /** When git made it. Milliseconds; absent of the main checkout. */
  made?: number | undefined;
  /** When a tracked file that is changed now was written last. Milliseconds; only of where work lands. */
  edited?: number | undefined;
  /** The session it follows. */
  follows?: { client: string; session: string } | undefined;
}

/** Every checkout of a repository that the caller is served. A few gits answer for all of them together. */
export async function lookAtCheckouts(repo: Repository, ctx: Context): Promise<Looked[]> {
  const entries = repo.worktrees.filter(({ bare }) => !bare);
  const heads = entries.flatMap(({ head }) => (head === undefined || /^0+$/.test(head) ? [] : [head]));
  const [distances, trees] = await Promise.all([
    repo.trunk ? distancesFrom(repo.top, repo.trunk.commit, heads, ctx.signal) : new Map<string, Distance>(),
    heads.length > 0 ? treesOf(repo.top, heads, ctx.signal) : new Map<string, string>(),
  ]);
  const locked = entries.some((entry) => entry.locked !== undefined);
  const parked = locked ? await parkedByPath(repo.commonDir) : new Map<string, Parked>();
  const looked: (Looked | undefined)[] = new Array(entries.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < entries.length; index = next++) {
      const entry = entries[index] as WorktreeEntry;
      const { head = '' } = entry;
      const known = {
        distance: distances.get(head),
        tree: trees.get(head),
        parked: parked.get(entry.path),
      };
      looked[index] = await lookAtOne(repo, entry, known, ctx);
    }
  };
  await Promise.all(Array.from({ length: Math.min(entries.length, cpus().length * 2) }, worker));
  return looked.filter((one) => one !== undefined);
}

interface Known {
  distance: Distance | undefined;
  tree: string | undefined;
  /** How it is written down, where its directory is put away. */
  parked: Parked | undefined;
}

async function lookAtOne(
  repo: Repository,
  entry: WorktreeEntry,
  { distance, tree, parked }: Known,
  ctx: Context,
): Promise<Looked | undefined> {
  const { path, head = '', locked } = entry;
  const root = rootIn(repo, path);
  const there = entry.prunable === undefined && (await exists(path));
  // What is gone can be no other project's.
  if (there && ctx.serves && !(await ctx.serves(root))) return undefined;
  const linked = entry !== repo.worktrees[0];
  const gitDir = there && linked ? await gitDirOf(path) : linked ? undefined : repo.commonDir;
  const base = {
    path,
    root,
    branch: branchOf(entry) ?? null,
    commit: /^0+$/.test(head) ? '' : head,
    location: isHomeEntry(repo, entry) ? ('main' as const) : ('worktree' as const),
    ...(locked !== undefined && { locked }),
    ...(distance && { ahead: distance.ahead, behind: distance.behind }),
    ...(distance && distance.commits.length > 0 && { commits: distance.commits }),
  };
  const committed = Date.parse(distance?.commits[0]?.at ?? '') || 0;
  if (parked) {
    const managed = (await readRecord(join(repo.commonDir, 'worktrees', parked.admin))) !== undefined;
    return { row: { ...base, id: parked.id, managed, parked: parked.since }, active: committed };
  }
  if (!there || gitDir === undefined) {
    return { row: { ...base, id: basename(path), managed: false, missing: true }, active: committed };
  }
  const checkout = { top: path, gitDir, commonDir: repo.commonDir, linked };
  const [names, record, status, notes, phase, todos, run] = await Promise.all([
    linked ? namesOf(gitDir) : undefined,
    linked ? readRecord(gitDir) : undefined,
    quickStatus(checkout, { commit: head, tree }, ctx),
    readNotes(checkout),
    readPhase(gitDir),
    readTodos(gitDir),
    lastRunIn(checkout),
  ]);
  const { title = names?.title, tickets = [], follows } = notes.notes;
  const row = {
    ...base,
    ...(linked && { id: names?.id ?? basename(gitDir) }),
    ...(title !== undefined && { title }),
    managed: record !== undefined,
    ...(status && { changes: countsOf(status) }),
    ...(status && head && { proof: await proofOf(repo, { ...checkout, root, commit: head }, status) }),
    ...runsOf(run),
    ...(phase.phase && { phase: phase.phase }),
    ...(todos.value && todos.value.all > 0 && { todos: { done: todos.value.done, all: todos.value.all } }),
    ...(tickets.length > 0 && { tickets: tickets.map(shownTicket) }),
  };
  const times = [phase.phase?.at, todos.at, run?.ended ?? run?.began].map((at) => Date.parse(at ?? '') || 0);
  return {
    row,
    active: Math.max(committed, ...times),
    made: linked ? await writtenAt(join(gitDir, 'commondir')) : undefined,
    edited: row.location === 'main' && status ? await editedAt(path, status) : undefined,
    follows,
  };
}

const countsOf = ({ staged, unstaged, untracked }: TreeStatus) => ({
  staged: staged.length,
  unstaged: unstaged.length,
  untracked: untracked.length,
});

async function proofOf(
  repo: Repository,
  checkout: { top: string; gitDir: string; root: string; commit: string },
  status: TreeStatus,
): Promise<FleetWorktree['proof']> {
  const { commonDir, prefix, trunk } = repo;
  // A branch from before the project was one has no config, and so no proof.
  const digest = await configDigest(checkout.root);
  if (digest === undefined) return 'none';
  const { top, gitDir, commit } = checkout;
  const asked = { top, gitDir, commonDir, prefix, commit, ...(trunk && { trunk }), config: { digest } };
  return (await proofState(asked, status)).state;
}

/** A run that is going on, or the one that ended last; one that is not over and that nobody runs was cut off. */
function runsOf(run: Awaited<ReturnType<typeof lastRunIn>>): Pick<FleetWorktree, 'gate' | 'last_run'> {
  if (run === undefined) return {};
  const { verb, began, jobs, done, commit, ended, ok = false, error } = run;
  if (run.alive) {
    return {
      gate: { verb, since: began, jobs, done, running: run.running.map(({ job }) => job).slice(0, 10) },
    };
  }
  const why = ended === undefined ? 'interrupted' : error;
  const failed = run.failed.map(({ job }) => job).slice(0, 10);
  return {
    last_run: {
      verb,
      at: ended ?? began,
      commit,
      ok,
      ...(why !== undefined && { error: why }),
      ...(failed.length > 0 && { failed }),
    },
  };
}

/** How many changed files are looked at for their time. */
const MOST_LOOKED_AT = 50;

async function editedAt(top: string, status: TreeStatus): Promise<number | undefined> {
  if (isClean(status)) return undefined;
  const changed = [...new Set([...status.staged, ...status.unstaged])].slice(0, MOST_LOOKED_AT);
  const times = await Promise.all(changed.map((file) => writtenAt(join(top, file))));
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}

const writtenAt = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    // Deleted, or gone meanwhile.
    () => undefined,
  );
