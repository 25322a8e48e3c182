import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { nothing } from '../landing/land.ts';
import { addEntry, type Entry, hasPlace, outdatedBy, readQueue, toldEntries } from '../queue/entries.ts';
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

/** The entry that stands for this very work already. Refuses `branch_exists` where another worktree has an entry of its branch. */
function standingFor({ repo }: Candidate, how: Entry['how'], entries: readonly Entry[]): Entry | undefined {
  const { top, branch, commit } = repo;
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
    (one) => one.worktree === top && one.commit === commit && (how ?? one.how) === one.how,
  );
}

/** The place that {@link enqueue} would give, and the entries it would end. */
export async function previewQueue(candidate: Candidate, args: Args<'accept'>): Promise<AcceptAnswer> {
  const { repo, trunk } = candidate;
  const { entries } = await readQueue(repo.commonDir);
  const there = standingFor(candidate, args.how, entries);
  const ended = there ? [] : outdatedBy(entries, repo.top);
  const before = entries.filter(
    (one) => hasPlace(one) && !ended.includes(one) && (!there || one.number < there.number),
  );
  const place = `place ${before.length + 1}${there ? `, which it has as q${there.number}` : ''}`;
  const after = before.length === 0 ? '' : `, after ${before.map(({ number }) => `q${number}`).join(', ')}`;
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `Queue ${repo.branch ?? repo.top} for ${trunk.name}`,
      steps: [
        ...ended.map(({ number, commit }) => ({
          action: 'take out',
          detail: `q${number}, which stands for ${commit.slice(0, 10)}`,
        })),
        { action: 'queue', detail: `${repo.commit.slice(0, 10)} at ${place}${after}` },
        { action: 'later', detail: 'gated with those before it, and landed in turn, when somebody waits' },
      ],
    },
    data: { ...where(repo), trunk: trunk.name, landing: nothing, worktree: repo.top },
  };
}

/**
 * Gives work a place in the queue, for the very commit it is at, and answers at once. The same commit keeps the place it has; a newer
 * one of the same worktree gets a new one. Refuses `branch_exists` where another worktree has an entry of this branch.
 */
export async function enqueue(
  candidate: Candidate,
  args: Args<'accept'>,
  agreed: boolean,
  ctx: Context,
): Promise<AcceptAnswer> {
  const { repo, trunk, landing } = candidate;
  const { commonDir, top, root, branch, commit } = repo;
  const make = { worktree: top, root, branch, commit, onto: trunk.commit, for: ctx.client, agreed };
  const entry = await addEntry(commonDir, { ...make, ...(args.how && { how: args.how }) }, (entries) =>
    standingFor(candidate, args.how, entries),
  );
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
