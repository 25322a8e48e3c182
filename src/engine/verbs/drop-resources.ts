import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { ownerOf } from '../landing/tear-down.ts';
import { type Repository, rootIn, where } from '../repository/repository.ts';
import { PRUNE } from '../state/remedies.ts';
import type { Ledger } from '../worktree/ledger.ts';
import { reclaimPlace } from '../worktree/reclaim.ts';
import { destroyResources, type Teardown } from '../worktree/resources.ts';

/** Destroys what a worktree that is gone has left; the branch it may have left is not looked at. */
export async function clearVanished(
  repo: Repository,
  ledger: Ledger,
  args: Args<'drop'>,
  ctx: Context,
): Promise<Result<'drop'>> {
  const { path, resources } = ledger;
  const data = { ...where(repo), worktree: path, worktree_removed: true, branch_deleted: false };
  if (args.dry_run) {
    const steps = resources.map(({ name }) => ({ action: 'destroy', detail: name })).reverse();
    return { ok: true, dry_run: true, plan: { title: `Clear what ${path} left`, steps }, data };
  }
  const torn = await destroyResources(reclaimPlace(repo, ledger), 'drop', ctx);
  if (torn.reason !== undefined) throw notTornDown(path, torn, data, ctx);
  return withTeardown(
    {
      ok: true,
      data,
      hints: [...(args.delete_branch ? ['Its branch, if it has left one, stays: delete it with git.'] : [])],
      message: `${path} was gone already; what it had left is destroyed.`,
    },
    torn,
  );
}

/**
 * Destroys what the worktree has outside of itself, while its directory is still there. Where that fails the worktree stays,
 * unless `force`: then what is left stays written down.
 */
export async function tearDown(
  repo: Repository,
  path: string,
  args: Args<'drop'>,
  ctx: Context,
): Promise<Teardown | undefined> {
  const { commonDir } = repo;
  const id = await ownerOf(commonDir, path);
  if (id === undefined) return undefined;
  ctx.emit({ type: 'progress', message: `Destroying the resources of ${id}.` });
  const place = { commonDir, id, root: rootIn(repo, path) };
  const torn = await destroyResources(place, 'drop', ctx, { anyway: args.force === true });
  if (torn.reason === undefined) return torn;
  const data = { ...where(repo), worktree: path, worktree_removed: false, branch_deleted: false };
  throw notTornDown(path, torn, data, ctx);
}

function notTornDown(path: string, torn: Teardown, data: Record<string, unknown>, ctx: Context): Refusal {
  const { reason, steps, diagnostics, hints } = torn;
  const late = steps.at(-1)?.outcome === 'timed_out';
  return new Refusal(
    ctx.signal.aborted ? 'cancelled' : late ? 'timed_out' : 'gate_failed',
    `${path} was not dropped: ${reason}. Drop it again once that can be done${data.worktree_removed ? '' : ', or with force, which leaves it behind'}.`,
    { data, steps, diagnostics, hints },
  );
}

/** Adds what came of destroying the resources to what drop answers. */
export function withTeardown(answer: Result<'drop'>, teardown: Teardown | undefined): Result<'drop'> {
  if (!teardown) return answer;
  const { steps, diagnostics, hints, left } = teardown;
  const behind =
    left.length === 0
      ? []
      : [`${left.join(', ')} could not be destroyed; the next start tries again, and so does "${PRUNE}".`];
  return {
    ...answer,
    ...(steps.length > 0 && { steps, diagnostics }),
    hints: [...(answer.hints ?? []), ...hints, ...behind],
  };
}
