import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { nothing } from '../landing/land.ts';
import { addEntry, type Entry, hasPlace, readQueue, toldEntries } from '../queue/entries.ts';
import { where } from '../repository/repository.ts';
import type { AcceptAnswer, Candidate } from './accept-answer.ts';

/** Refuses `invalid_argument` for a landing that the queue does not do. */
export function requireQueueable(args: Args<'accept'>): void {
  if (!args.push && !args.pr) return;
  throw new Refusal(
    'invalid_argument',
    'accept takes queue alone, without push or pr: the queue lands here; push the trunk with a later accept or with git. Nothing was landed.',
  );
}

/**
 * Gives work a place in the queue, for the very commit it is at, and answers at once. The same commit keeps the place it has; a newer
 * one of the same worktree gets a new one. Refuses `branch_exists` where another worktree has an entry of this branch.
 */
export async function enqueue(
  { repo, trunk, landing }: Candidate,
  args: Args<'accept'>,
  agreed: boolean,
  ctx: Context,
): Promise<AcceptAnswer> {
  const { commonDir, top, root, branch, commit } = repo;
  const make = { worktree: top, root, branch, commit, for: ctx.client, agreed };
  const existing = (entries: readonly Entry[]) => {
    const standing = entries.filter(hasPlace);
    const other = standing.find((one) => branch !== null && one.branch === branch && one.worktree !== top);
    if (other) {
      throw new Refusal(
        'branch_exists',
        `${branch} is in the queue already, as q${other.number} from ${other.worktree}: one branch has one place. Drop that entry first (queue with action drop). Nothing was queued.`,
        { data: where(repo) },
      );
    }
    return standing.find(
      (one) => one.worktree === top && one.commit === commit && (args.how ?? one.how) === one.how,
    );
  };
  const entry = await addEntry(commonDir, { ...make, ...(args.how && { how: args.how }) }, existing);
  const told = await toldEntries(commonDir, (await readQueue(commonDir)).entries);
  const queue = told.find((one) => one.entry === `q${entry.number}`);
  return {
    ok: true,
    data: {
      ...where(repo),
      landing: nothing,
      trunk: trunk.name,
      worktree: top,
      ...(queue && { queue }),
    },
    hints: [
      `It lands when somebody waits for it: call await with until "landed" (path "${landing}" finds it once the worktree is gone, as worktree "q${entry.number}").`,
    ],
    message: `${commit.slice(0, 10)} has place ${queue?.place ?? 1} in the queue for ${trunk.name}, as q${entry.number}.`,
  };
}
