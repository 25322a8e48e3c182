import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { whereNamed, worktreeNamed } from '../fleet/named-worktree.ts';
import { sessionNamed } from '../sessions/named.ts';
import { changeNotes } from '../worktree/notes.ts';

/**
 * Says which agent session a worktree follows; an empty id takes that back. Refuses what is no session, and the beginning of several
 * ids.
 */
export async function remap(root: string, args: Args<'remap'>, ctx: Context): Promise<Result<'remap'>> {
  const worktree = await worktreeNamed(root, args.worktree, ctx);
  const session = args.session === '' ? undefined : await sessionNamed(args.session, process.env, ctx);
  const follows = session && { client: session.adapter.client, session: session.id };
  await changeNotes(worktree, ctx, ({ follows: _before, ...notes }) => ({
    ...notes,
    ...(follows && { follows }),
  }));
  return {
    ok: true,
    data: { ...whereNamed(worktree), ...follows },
    message: follows
      ? `${worktree.top} follows session ${follows.session} of ${follows.client}.`
      : `${worktree.top} follows no session that was named.`,
  };
}
