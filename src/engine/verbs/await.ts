import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../../contract/answers.ts';
import type { RefusalSlug } from '../../contract/refusals.ts';
import { refusals } from '../../contract/refusals.ts';
import type { Args } from '../../contract/verbs.ts';
import type { AwaitData } from '../../contract/verbs-queue.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { exists } from '../files/files.ts';
import { proofState } from '../gate/proof.ts';
import { readStatus } from '../git/status.ts';
import { type Entry, entryNamed, hasPlace, readQueue, toldEntries } from '../queue/entries.ts';
import { isLanded } from '../repository/landed.ts';
import { openRepository, type Repository, requireTrunk, rootIn, where } from '../repository/repository.ts';
import { awaitChecks } from './await-checks.ts';
import { driveQueue } from './queue-drive.ts';

const DEFAULT_SECONDS = 600;

/**
 * How often what is waited for is looked at, in milliseconds, and how often while this process runs the queue, which says when it
 * has settled something; and how often a client is told that the wait goes on.
 */
const LOOK_MS = 250;
const LOOK_RUNNING_MS = 1_000;
const TELL_MS = 10_000;

/**
 * Waits until work is proved or landed, or the trunk moved, and runs the queue of landings meanwhile, so that whoever waits is who
 * drives it. Ends at once where it is so already, but for `trunk_moved`, which counts from this call on. Refuses `timed_out` when the
 * time is over, `cancelled`, why an entry fell out, and `unavailable` for one that is held; every one but the last two may be called again.
 */
export async function awaitWork(root: string, args: Args<'await'>, ctx: Context): Promise<Result<'await'>> {
  const first = await openRepository(root, ctx.signal);
  const home = first.landing ? rootIn(first, first.landing.path) : first.root;
  const watched = await subjectOf(first, args);
  if (args.until === 'checks') return awaitChecks(watched.root, args.timeout ?? DEFAULT_SECONDS, ctx);
  const began = requireTrunk(first).commit;
  const until = Date.now() + (args.timeout ?? DEFAULT_SECONDS) * 1_000;
  const stop = new AbortController();
  const either = AbortSignal.any([stop.signal, ctx.signal]);
  const driving: Driving = { failure: undefined, run: undefined, settled: new AbortController() };
  try {
    for (let told = Date.now(); ; await pause(driving, ctx.signal)) {
      if (driving.failure !== undefined) throw driving.failure;
      // The worktree goes when its work lands: what is looked at lies in the checkout it lands in.
      const repo = await openRepository(home);
      const { entries } = await readQueue(repo.commonDir);
      const waiting = entries.some(({ state }) => state === 'waiting');
      const now = { waiting, ...(await look(repo, entries, watched, args.until, began)) };
      const data = await answerData(repo, now.entry, args.until);
      if (now.happened !== undefined) return ended(data, now.happened, now.entry);
      if (ctx.signal.aborted)
        throw new Refusal('cancelled', 'await was cancelled; what waits in the queue keeps its place.', {
          data,
        });
      if (Date.now() >= until) {
        return {
          ok: false,
          error: 'timed_out',
          data: { ...data, happened: 'time_over' },
          message: `Not ${args.until} yet, and the time is over: call await again, nothing is lost by that.`,
        };
      }
      if (now.waiting) drive(repo, driving, ctx, either);
      if (Date.now() - told >= TELL_MS) {
        told = Date.now();
        ctx.emit({ type: 'progress', message: `Waiting until ${args.until.replace('_', ' ')}.` });
      }
    }
  } finally {
    stop.abort();
    await driving.run;
  }
}

interface Driving {
  failure: unknown;
  run: Promise<void> | undefined;
  /** Aborts once the run has settled something, or is over. */
  settled: AbortController;
}

/** Runs the queue beside the wait, unless that is going on. */
function drive(repo: Repository, driving: Driving, ctx: Context, stop: AbortSignal): void {
  const emit: Context['emit'] = (event) => {
    ctx.emit(event);
    driving.settled.abort();
  };
  driving.run ??= driveQueue(repo, { ...ctx, emit }, stop)
    .catch((error: unknown) => {
      if (!stop.aborted) driving.failure = error;
    })
    .then(() => {
      driving.run = undefined;
      driving.settled.abort();
    });
}

/** Until it is worth another look. */
async function pause(driving: Driving, signal: AbortSignal): Promise<void> {
  const ms = driving.run !== undefined ? LOOK_RUNNING_MS : LOOK_MS;
  const woken = AbortSignal.any([signal, driving.settled.signal]);
  await sleep(ms, undefined, { signal: woken }).catch(() => undefined);
  if (!driving.settled.signal.aborted) return;
  driving.settled = new AbortController();
  // A queue in which nothing waits is over at once, each time.
  await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
}

/** What is waited for: an entry of the queue, or a worktree with the commit it is at. */
interface Watched {
  number: number | undefined;
  worktree: string;
  root: string;
  commit: string;
}

async function subjectOf(repo: Repository, { worktree: name, until }: Args<'await'>): Promise<Watched> {
  const { entries } = await readQueue(repo.commonDir);
  const entry = entryNamed(entries, name ?? repo.top);
  const other = repo.worktrees.find(
    ({ path, branch }) => path === name || branch === `refs/heads/${name}` || path.endsWith(`/${name}`),
  );
  // One that is over, of another commit, says nothing of the work as it is now.
  const head = name === undefined ? repo.commit : other?.head;
  const isNow = entry && (head === undefined || entry.commit === head || `q${entry.number}` === name);
  if (entry && (isNow || (name !== undefined && hasPlace(entry)))) {
    const { number, worktree, root, commit } = entry;
    return { number, worktree, root, commit };
  }
  if (name !== undefined && !other) {
    throw new Refusal(
      'path_not_found',
      `No worktree and no entry of the queue is called ${name}: call queue and status, which list them.`,
      { data: where(repo) },
    );
  }
  const top = other?.path ?? repo.top;
  const isTrunk =
    (other ?? { branch: repo.branch && `refs/heads/${repo.branch}` }).branch === repo.trunk?.ref;
  if (until === 'landed' && isTrunk) {
    throw new Refusal(
      'not_in_worktree',
      `${top} is where work lands, so nothing of it is to land: name a worktree, or an entry of the queue.`,
      { data: where(repo) },
    );
  }
  return { number: undefined, worktree: top, root: rootIn(repo, top), commit: other?.head ?? repo.commit };
}

/** What has happened of what is waited for; nothing where the wait goes on. */
async function look(
  repo: Repository,
  entries: readonly Entry[],
  watched: Watched,
  until: AwaitData['until'],
  began: string,
): Promise<{ happened?: AwaitData['happened']; entry?: Entry }> {
  const entry = entries.find(({ number }) => number === watched.number);
  const at = entry ? { entry } : {};
  if (until === 'trunk_moved')
    return requireTrunk(repo).commit === began ? at : { ...at, happened: 'trunk_moved' };
  if (entry?.state === 'landed') return { entry, happened: until };
  if (entry?.state === 'out') return { entry, happened: 'fell_out' };
  if (entry?.state === 'held') return { entry, happened: 'held' };
  if (until === 'landed') {
    if (entry) return at;
    return (await isLanded(repo, watched.commit)) && !(await isFresh(repo, watched))
      ? { happened: 'landed' }
      : {};
  }
  if (!(await exists(watched.root))) return at;
  const there = await openRepository(watched.root);
  const proof = await proofState(there, await readStatus(there.top));
  return proof.state === 'valid' ? { ...at, happened: 'green' } : at;
}

/** A worktree that has brought nothing yet: its commit is on the trunk because it began there. */
async function isFresh(repo: Repository, { worktree, commit }: Watched): Promise<boolean> {
  return commit === requireTrunk(repo).commit && (await exists(worktree));
}

async function answerData(
  repo: Repository,
  entry: Entry | undefined,
  until: AwaitData['until'],
): Promise<Omit<AwaitData, 'happened'>> {
  const trunk = requireTrunk(repo);
  const told = entry && (await toldEntries(repo.commonDir, (await readQueue(repo.commonDir)).entries));
  const one = told?.find((row) => row.entry === `q${entry?.number}`);
  return { ...where(repo), until, trunk: trunk.name, trunk_commit: trunk.commit, ...(one && { entry: one }) };
}

function ended(
  data: Omit<AwaitData, 'happened'>,
  happened: AwaitData['happened'],
  entry: Entry | undefined,
): Result<'await'> {
  const name = entry ? `q${entry.number}` : 'The work';
  const all = { ...data, happened };
  switch (happened) {
    case 'fell_out':
      return {
        ok: false,
        error: slugOf(entry?.error),
        data: all,
        message: `${name} fell out of the queue: ${entry?.reason ?? 'its reason is not known'} Correct that in ${entry?.worktree ?? 'its worktree'}, then accept with queue again.`,
      };
    case 'held':
      return {
        ok: false,
        error: 'unavailable',
        data: all,
        message: `${name} is held and keeps its place: ${entry?.reason ?? ''} Call queue with action release when it may go on.`,
      };
    case 'trunk_moved':
      return {
        ok: true,
        data: all,
        message: `${data.trunk} moved, and is at ${data.trunk_commit.slice(0, 10)}.`,
      };
    case 'landed':
      return {
        ok: true,
        data: all,
        message: `${name} landed on ${data.trunk} as ${(entry?.landed ?? data.trunk_commit).slice(0, 10)}.`,
      };
    default:
      return { ok: true, data: all, message: `${name} is green.` };
  }
}

const slugOf = (error = 'gate_failed'): RefusalSlug =>
  (refusals as readonly string[]).includes(error) ? (error as RefusalSlug) : 'gate_failed';
