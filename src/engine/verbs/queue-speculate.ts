import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { loadSettings } from '../config/index.ts';
import { point } from '../faults/faults.ts';
import { proofState } from '../gate/proof.ts';
import { isAncestor, treeOf } from '../git/refs.ts';
import { readStatus } from '../git/status.ts';
import { combined, commitsOfTrunk } from '../landing/combine.ts';
import { commitLanding } from '../landing/compose.ts';
import { changeEntry, type Entry } from '../queue/entries.ts';
import { landedBelow } from '../repository/landed.ts';
import { openRepository, type Repository, rootIn, type Trunk } from '../repository/repository.ts';
import { gateApart } from './accept-combined.ts';

/** An entry's work on what lies before it, and what its gate says of the two. */
export interface Speculation {
  base: string;
  head: string;
  /** The commit that would land; the base where none can be made. */
  to: string;
  met: string;
  /** `stale` is one that says nothing: it is to be made anew. */
  state: 'running' | 'green' | 'red' | 'stale';
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
  await changeEntry(repo.commonDir, entry.number, { judged: 'proving' });
  const signal = AbortSignal.any([ctx.signal, stop.signal]);
  // Its jobs are many gates' at once: what is told is how each ends.
  const quiet: Context = { ...ctx, signal, emit: () => undefined };
  spec.ended = gateApart({ repo, trunk, landing: home }, spec.to, quiet).then(
    (ran) => {
      if (ran === 'moved' || signal.aborted) spec.state = 'stale';
      else if (ran.error) Object.assign(spec, { state: 'red', error: ran.error, reason: ran.message });
      else if (ran.data.proof?.state === 'valid') spec.state = 'green';
      else
        Object.assign(spec, {
          state: 'red',
          error: 'dirty_worktree',
          reason: `its gate passed, but proves nothing: ${ran.data.proof?.reason ?? 'no proof was written'}`,
        });
      return judged(repo, entry, spec).then(
        () => undefined,
        (error: unknown) => {
          const why = String(error).slice(0, 200);
          ctx.emit({
            type: 'progress',
            message: `How q${entry.number} was judged cannot be written: ${why}`,
          });
        },
      );
    },
    async (error: unknown) => {
      if (signal.aborted) spec.state = 'stale';
      else Object.assign(spec, failed(spec, error));
    },
  );
  return spec;
}

/** Says of an entry, for who looks at the queue, how its gate ended. */
async function judged(repo: Repository, entry: Entry, spec: Speculation): Promise<Speculation> {
  if (spec.state === 'green' || spec.state === 'red')
    await changeEntry(repo.commonDir, entry.number, { judged: spec.state });
  await point('queue.judged');
  return spec;
}

function failed(spec: Speculation, error: unknown): Speculation {
  const known = Refusal.is(error);
  return {
    ...spec,
    state: 'red',
    error: known ? error.slug : 'internal_error',
    reason: known
      ? error.message
      : `${error instanceof Error ? error.message : String(error)}`.slice(0, 2_000),
  };
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
