import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { type GateRun, runGate } from '../gate/run.ts';
import { isAncestor } from '../git/refs.ts';
import { commitsOfTrunk } from '../landing/combine.ts';
import { commitLanding } from '../landing/compose.ts';
import { inWords } from '../landing/land.ts';
import { moveForward } from '../landing/move-forward.ts';
import { withOwnCheckout } from '../landing/own-checkout.ts';
import { openRepository, type Repository, rootIn, where } from '../repository/repository.ts';
import type { Candidate } from './accept-answer.ts';

/** A branch and the trunk together, in the commit that would land. */
export interface Combined {
  to: string;
  /** The trunk's commits it met, as a clause. */
  met: string;
  /** Absent where the branch brings nothing that the trunk lacks. */
  gate?: GateRun;
}

/**
 * Makes the commit of a branch that lacks commits of the trunk as it would land, and runs the gate on it in a checkout of its own: the
 * worktree, its branch and the trunk stay as they are, whatever comes of it. Refuses `gate_failed` where that checkout cannot be set up,
 * and what `commitLanding` refuses; `moved` where the trunk moved before the gate began.
 */
export async function gateCombined(candidate: Candidate, ctx: Context): Promise<Combined | 'moved'> {
  const { repo, trunk, work, how } = candidate;
  const met = await commitsOfTrunk(repo.top, work.head, work.base);
  const to = await commitLanding(repo, work, how, trunk.name);
  if (to === work.base) return { to, met };
  ctx.emit({
    type: 'progress',
    message: `Combined with ${trunk.name} as ${to.slice(0, 10)}; its gate runs.`,
  });
  const gate = await gateApart(candidate, to, ctx);
  return gate === 'moved' ? gate : { to, met, gate };
}

/** Runs the gate on a commit of what is to land, in a checkout of its own. Refuses `gate_failed` where that cannot be set up. */
export async function gateApart(
  { repo, trunk, landing }: Pick<Candidate, 'repo' | 'trunk' | 'landing'>,
  to: string,
  ctx: Context,
): Promise<GateRun | 'moved'> {
  return withOwnCheckout(await homeOf(repo, landing), to, ctx, async ({ root, setup }) => {
    const { failed, steps, diagnostics, hints } = setup;
    if (!failed) return gateOrMoved(root, ctx);
    const cancelled = ctx.signal.aborted;
    throw new Refusal(
      cancelled ? 'cancelled' : 'gate_failed',
      cancelled
        ? 'accept was cancelled; nothing was landed.'
        : `Nothing was landed. A checkout for the gate of it and ${trunk.name} could not be set up: "${failed.command}" failed. Fix that, or call update and then done.`,
      { data: where(repo), steps, diagnostics, hints },
    );
  });
}

/** The trunk may move before the gate begins: then it lacks what it got, and nothing was run. */
export async function gateOrMoved(root: string, ctx: Context): Promise<GateRun | 'moved'> {
  try {
    return await runGate(root, 'done', ctx);
  } catch (error) {
    if (Refusal.is(error) && error.slug === 'behind_trunk') return 'moved';
    throw error;
  }
}

/** Where ignored files and values come from: the landing checkout, where that is a project already. */
async function homeOf(repo: Repository, landing: string): Promise<Repository> {
  try {
    return await openRepository(rootIn(repo, landing));
  } catch (error) {
    if (Refusal.is(error) && error.slug === 'not_initialized') return repo;
    throw error;
  }
}

/**
 * Brings a branch that stays up to date with what has landed of it, which contains it. Whatever keeps it from that is told and
 * nothing more: the landing is done.
 */
export async function catchUpBranch({ repo, trunk, managed }: Candidate, to: string): Promise<string[]> {
  if (managed || to === repo.commit || !(await isAncestor(repo.top, repo.commit, to))) return [];
  const data = {
    ...where(repo),
    from: trunk.name,
    before: repo.commit,
    after: to,
    merged: false,
    conflicts: [],
  };
  try {
    await moveForward(repo, to, trunk.name, data);
    return [];
  } catch (error) {
    return [`${repo.branch ?? repo.top} was not brought up to date (${inWords(error)}): call update.`];
  }
}
