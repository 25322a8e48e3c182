import { join } from 'node:path';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { exists } from '../files/files.ts';
import { lockCheckout } from '../repository/checkout.ts';
import type { Repository } from '../repository/repository.ts';
import { holding } from '../state/lock.ts';
import { isInUse } from '../worktree/admin.ts';
import { traceOf } from '../worktree/home-link.ts';
import { listParked, type Parked, readParked } from '../worktree/parked.ts';
import { settleBack } from './park.ts';

type Place = Pick<Repository, 'commonDir'>;

const gitDirFor = ({ commonDir }: Place, { admin }: Parked) => join(commonDir, 'worktrees', admin);

/** Worktrees whose parking or unparking was cut off with their directory in place, and that no living process is at. */
export async function interruptedParking(repo: Place): Promise<Parked[]> {
  const { parked } = await listParked(repo.commonDir);
  const found: Parked[] = [];
  for (const one of parked)
    if (one.state === 'there' && !(await isInUse(repo.commonDir, gitDirFor(repo, one)))) found.push(one);
  return found;
}

/**
 * Ends what is written down of a parked worktree whose directory was deleted: from then on it is one that is gone, as any other; or that
 * git has forgotten too: then there is none.
 */
export async function giveUpParking(repo: Place, admin: string, ctx: Context): Promise<void> {
  const known = await readParked(repo.commonDir, admin);
  if (!known) return;
  const checkout = { top: known.path, gitDir: gitDirFor(repo, known) };
  await holding(await lockCheckout(repo, checkout, 'a prune', ctx, 0), async () => {
    const now = await readParked(repo.commonDir, admin);
    if (now?.state !== 'lost') return;
    const forgotten = !(await exists(checkout.gitDir));
    if (forgotten || (await traceOf(checkout.gitDir)) === 'gone') await settleBack(repo.commonDir, now);
  });
}

/** Ends parkings and unparkings whose process died: what is in place is as any other worktree again. Resolves with sentences. */
export async function finishParking(repo: Place, ctx: Context): Promise<string[]> {
  const done: string[] = [];
  for (const one of await interruptedParking(repo)) {
    try {
      const lock = await lockCheckout(
        repo,
        { top: one.path, gitDir: gitDirFor(repo, one) },
        'parking',
        ctx,
        0,
      );
      await holding(lock, async () => {
        // The process that held the lock may just have finished.
        const now = await readParked(repo.commonDir, one.admin);
        if (now?.state !== 'there') return;
        await settleBack(repo.commonDir, now);
        done.push(`${one.path} is in place: its parking was cut off.`);
      });
    } catch (error) {
      if (!Refusal.is(error) || error.slug !== 'busy') throw error;
    }
  }
  return done;
}
