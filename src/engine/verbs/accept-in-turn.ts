import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { landedByHand } from '../queue/entries.ts';
import { anchorOf } from '../repository/anchor.ts';
import { accept, type GoFirst } from './accept.ts';
import type { AcceptAnswer } from './accept-answer.ts';
import { landReady } from './queue-drive.ts';

/**
 * {@link accept} as it is called. What stands at the head of the queue and needs no gate lands first, so that a queue nobody waits
 * for goes on; whatever needs one keeps its place, since this call is not to take as long as other people's gates.
 */
export async function acceptInTurn(root: string, args: Args<'accept'>, ctx: Context): Promise<AcceptAnswer> {
  const went: string[] = [];
  const goFirst: GoFirst = async (repo) => {
    went.push(...(await landReady(repo, ctx)));
    return went.length > 0;
  };
  const landsNow = !args.dry_run && !args.queue && !args.pr;
  const answer = await accept(root, args, ctx, landsNow ? goFirst : undefined);
  await settleEntries(answer);
  if (went.length === 0) return answer;
  return {
    ...answer,
    hints: [...(answer.hints ?? []), `Landed first, as queued before and proved: ${went.join(', ')}.`],
  };
}

/** An entry of the queue for what has just landed has nothing to wait for any more. */
async function settleEntries({ data }: AcceptAnswer): Promise<void> {
  if (!data?.landing?.trunk_landed || !data.worktree || !data.landed_commit) return;
  const anchor = await anchorOf(data.root ?? data.worktree);
  if (anchor) await landedByHand(anchor.commonDir, data.worktree, data.landed_commit);
}
