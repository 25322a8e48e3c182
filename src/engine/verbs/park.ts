import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { ParkData } from '../../contract/verbs-worktree.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { loadConfig } from '../config/index.ts';
import { type NamedWorktree, whereNamed, worktreeNamed } from '../fleet/named-worktree.ts';
import { unpark as bringBack, type Parking, park as putAway } from '../parking/park.ts';
import { openCheckout } from '../repository/repository.ts';
import { leavingAdvice } from '../worktree/moving.ts';
import { type Parked, unparkWith } from '../worktree/parked.ts';

/**
 * Takes a worktree's directory away and keeps everything of it, whatever it holds and whatever is under way there. Refuses
 * `not_in_worktree` for a checkout where work lands, and whatever keeps it from being moved; nothing is ever lost by it.
 */
export async function park(root: string, args: Args<'park'>, ctx: Context): Promise<Result<'park'>> {
  const named = await worktreeNamed(root, args.worktree, ctx);
  const parked = await putAway(parkingOf(named), ctx, () => requireWorktree(named));
  const advice = ctx.client === 'terminal' ? [] : [leavingAdvice(ctx.client, named.home)];
  return {
    ok: true,
    data: answered(named, parked),
    hints: advice,
    message: `Parked ${named.top}, with everything in it; ${unparkWith(parked)}.`,
  };
}

/** Brings the directory of a parked worktree back, as it was. Refuses `path_exists` where something is in its place. */
export async function unpark(root: string, args: Args<'unpark'>, ctx: Context): Promise<Result<'unpark'>> {
  const named = await worktreeNamed(root, args.worktree, ctx);
  const parked = await bringBack(parkingOf(named), ctx);
  return {
    ok: true,
    data: answered(named, parked),
    message: `${named.top} is back, as it was${parked.state === 'there' ? '' : ' before'}.`,
  };
}

async function requireWorktree(named: NamedWorktree): Promise<void> {
  if (!(await isHome(named))) return;
  throw new Refusal(
    'not_in_worktree',
    `${named.top} is where work lands, or the repository's own checkout, which is never parked: name a worktree.`,
    { data: whereNamed(named) },
  );
}

const parkingOf = ({ top, gitDir, commonDir, id = top }: NamedWorktree): Parking => ({
  top,
  gitDir,
  commonDir,
  id,
});

const answered = (named: NamedWorktree, { since, place, state }: Parked): ParkData => ({
  ...whereNamed(named),
  parked: state === 'parked',
  ...(state === 'parked' && { since, kept_in: place }),
});

/** True of the main checkout and of the one that has the trunk, as far as its own config or the usual names tell. */
async function isHome({ linked, top, root, branch }: NamedWorktree): Promise<boolean> {
  if (!linked) return true;
  // A config that cannot be read names no trunk.
  const named = await loadConfig(root).then(
    ({ config }) => config.repository.trunk,
    () => undefined,
  );
  return branch !== null && branch === (named ?? (await openCheckout(top)).trunk?.name);
}
