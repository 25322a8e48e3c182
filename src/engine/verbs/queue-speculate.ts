import { messageOf } from '../../contract/values.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { loadSettings } from '../config/index.ts';
import { point } from '../faults/faults.ts';
import { passingCause } from '../gate/passing-cause.ts';
import { proofState } from '../gate/proof.ts';
import type { GateRun } from '../gate/run.ts';
import { isAncestor, treeOf } from '../git/refs.ts';
import { readStatus } from '../git/status.ts';
import { combined, commitsOfTrunk } from '../landing/combine.ts';
import { commitLanding } from '../landing/compose.ts';
import { changeEntry, type Entry } from '../queue/entries.ts';
import { landedBelow } from '../repository/landed.ts';
import { openRepository, type Repository, rootIn, type Trunk } from '../repository/repository.ts';
import { gateApart } from './accept-combined.ts';
import { passes } from './queue-tries.ts';

/** An entry's work on what lies before it, and what its gate says of the two. */
export interface Speculation {
  base: string;
  head: string;
  /** The commit that would land; the base where none can be made. */
  to: string;
  met: string;
  /** `stale` is one that says nothing: it is to be made anew. `unjudged` is one whose gate failed by no fault of the work; `paused` one that is made anew at `until` (as `Date.now()`). */
  state: 'running' | 'green' | 'red' | 'unjudged' | 'paused' | 'stale';
  until?: number;
  error?: string;
  reason?: string;
  stop: AbortController;
  /** Resolves when its gate has ended, and never rejects. */
  ended: Promise<void>;
}

/**
 * Combines an entry's commit with `trunk.commit`, which is the trunk or what the entries before it will make of it, and begins the
 * gate of that in a checkout of its own. Nothing moves, whatever comes of it. Where it may not `gate`, it is `stale` without a proof.
 */
export async function judge(entry: Entry, trunk: Trunk, gate: boolean, ctx: Context): Promise<Speculation> {
  const repo = await openRepository(entry.root);
  const stop = new AbortController();
  const spec: Speculation = {
    base: trunk.commit,
    head: entry.commit,
    to: trunk.commit,
    met: '',
    state: 'running',
    stop,
    ended: Promise.resolve(),
  };
  const home = repo.landing?.path ?? repo.top;
  try {
    spec.to = await combine(repo, entry, trunk, home);
    if (!(await isAncestor(repo.top, trunk.commit, entry.commit)))
      spec.met = await commitsOfTrunk(repo.top, entry.commit, trunk.commit);
  } catch (error) {
    return judged(repo, entry, failed(spec, error));
  }
  if (spec.to === trunk.commit) return judged(repo, entry, { ...spec, state: 'green' });
  if (spec.to === repo.commit && (await proofState(repo, await readStatus(repo.top))).state === 'valid')
    return judged(repo, entry, { ...spec, state: 'green' });
  if (!gate) return { ...spec, state: 'stale' };
  await changeEntry(repo.commonDir, entry.number, { judged: 'proving' }, isOver);
  const signal = AbortSignal.any([ctx.signal, stop.signal]);
  // Its jobs are many gates' at once: what is told is how each ends.
  const quiet: Context = { ...ctx, signal, emit: () => undefined };
  const tell = () =>
    judged(repo, entry, spec).then(
      () => undefined,
      (error: unknown) => {
        const why = String(error).slice(0, 200);
        ctx.emit({ type: 'progress', message: `How q${entry.number} was judged cannot be written: ${why}` });
      },
    );
  spec.ended = gateApart({ repo, trunk, landing: home }, spec.to, quiet).then(
    (ran) => {
      if (ran === 'moved' || signal.aborted) spec.state = 'stale';
      else if (ran.error) return byJobs(spec, ran, ran.error).then(tell);
      else if (ran.data.proof?.state === 'valid') spec.state = 'green';
      else
        Object.assign(spec, {
          state: 'red',
          error: 'dirty_worktree',
          reason: `its gate passed, but proves nothing: ${ran.data.proof?.reason ?? 'no proof was written'}`,
        });
      return tell();
    },
    async (error: unknown) => {
      if (signal.aborted) spec.state = 'stale';
      else Object.assign(spec, await failedApart(spec, error));
    },
  );
  return spec;
}

/** Somebody holds it meanwhile, and said why. */
const isOver = ({ state }: Entry) => state !== 'waiting';

/** Says of an entry, for who looks at the queue, how its gate ended. */
async function judged(repo: Repository, entry: Entry, spec: Speculation): Promise<Speculation> {
  if (spec.state === 'green' || spec.state === 'red')
    await changeEntry(repo.commonDir, entry.number, { judged: spec.state }, isOver);
  await point('queue.judged');
  return spec;
}

/** What a red gate says: of the work, or of the machine it ran on. */
async function byJobs(
  spec: Speculation,
  { message, steps, diagnostics }: Pick<GateRun, 'message' | 'steps' | 'diagnostics'>,
  error: string,
): Promise<void> {
  const passing = error === 'cancelled' ? message : await passingCause(steps, diagnostics);
  Object.assign(
    spec,
    passing === undefined
      ? { state: 'red', error, reason: message }
      : { state: 'unjudged', error: 'unavailable', reason: passing },
  );
}

/** What was thrown before there was a verdict: where it is no refusal of the work, it is no verdict on it either. */
function failed(spec: Speculation, error: unknown): Speculation {
  const known = Refusal.is(error);
  const isWork = known && !passes.has(error.slug);
  return {
    ...spec,
    state: isWork ? 'red' : 'unjudged',
    error: known ? error.slug : 'internal_error',
    reason: messageOf(error).slice(0, 2_000),
  };
}

/** {@link failed}, of a checkout for the gate that could not be made or set up: its steps say why. */
async function failedApart(spec: Speculation, error: unknown): Promise<Speculation> {
  const as = failed(spec, error);
  if (as.state !== 'red' || !Refusal.is(error)) return as;
  const { steps = [], diagnostics = [] } = error.detail;
  const passing = await passingCause(steps, diagnostics);
  return passing === undefined ? as : { ...as, state: 'unjudged', error: 'unavailable', reason: passing };
}

async function combine(repo: Repository, entry: Entry, trunk: Trunk, home: string): Promise<string> {
  const { top, commit: head } = repo;
  const isOn = await isAncestor(top, trunk.commit, head);
  const content = isOn ? head : await combined(repo, trunk);
  const [tree, landed, settings] = await Promise.all([
    treeOf(top, content),
    landedBelow(top, trunk.commit, head),
    loadSettings(rootIn(repo, home)),
  ]);
  const how = entry.how ?? settings.landing.how;
  return commitLanding(repo, { base: trunk.commit, head, tree, landed }, how, trunk.name);
}
