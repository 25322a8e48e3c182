import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import type { GateRun } from '../gate/run.ts';
import { openRepository, type Repository, where } from '../repository/repository.ts';
import { type AcceptAnswer, type Candidate, refusedByGate } from './accept-answer.ts';
import { gateCombined, gateOrMoved } from './accept-combined.ts';
import { examineSettled, type Recoveries } from './accept-settle.ts';

/** What the queue has proved of a worktree's work: that commit lands, on that very trunk, or nothing does. */
export interface Prepared {
  /** The trunk's commit. */
  base: string;
  /** The branch's. */
  head: string;
  to: string;
  met: string;
}

/** Work that may land: what `to` is has its own proof already; else its tree is that of the branch's commit, which has. */
export interface ProvedWork {
  candidate: Candidate;
  to?: string;
  met?: string;
  gate?: GateRun;
}

/** What the queue has proved, where the trunk and the branch are what they were then. */
export function provedBefore(candidate: Candidate, { base, head, to, met }: Prepared): ProvedWork {
  const { repo, trunk, already } = candidate;
  const data = where(repo);
  if (repo.commit !== head)
    throw new Refusal('dirty_worktree', `The branch moved since ${head.slice(0, 10)} was queued.`, { data });
  if (already) return { candidate };
  if (trunk.commit !== base)
    throw new Refusal('behind_trunk', `${trunk.name} moved since this was proved with it.`, { data });
  return { candidate, to, ...(met && { met }) };
}

/** Sees that what would land is proved, by running the gate where nothing says so yet. */
export async function prove(
  candidate: Candidate,
  args: Args<'accept'>,
  before: Recoveries,
  ctx: Context,
): Promise<ProvedWork | { answer: AcceptAnswer } | { moved: true }> {
  if (candidate.proved) return { candidate };
  const { repo } = candidate;
  if (candidate.behind) {
    const together = await gateCombined(candidate, ctx);
    if (together === 'moved') return { moved: true };
    const { gate, ...combined } = together;
    if (!gate) return { candidate, ...combined };
    if (gate.error)
      return { answer: refusedByGate(gate, before.found.length > 0, { candidate, ...combined }) };
    requireProof(repo, gate);
    return { candidate, ...combined, gate };
  }
  const gate = await gateOrMoved(repo.root, ctx);
  if (gate === 'moved') return { moved: true };
  if (gate.error) return { answer: refusedByGate(gate, before.found.length > 0) };
  const now = await examineSettled(await openRepository(repo.root, ctx.signal), args, ctx, before);
  // Where the trunk has moved meanwhile, the two together are still to be proved.
  if (now.behind) return prove(now, args, before, ctx);
  if (!now.proved) requireProof(now.repo, gate, 'The worktree changed since: accept again.');
  return { candidate: now, gate };
}

/** Refuses `dirty_worktree` where a gate that passed earned no proof, or `otherwise` says why it is not of this commit. */
function requireProof(repo: Repository, gate: GateRun, otherwise?: string): void {
  const { proof } = gate.data;
  if (proof?.state === 'valid' && otherwise === undefined) return;
  const why = proof?.reason ?? otherwise ?? '';
  throw new Refusal(
    'dirty_worktree',
    `Nothing was landed: the gate passed, but the commit is not proved. ${why}`,
    { data: where(repo) },
  );
}
