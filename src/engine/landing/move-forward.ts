import type { UpdateData } from '../../contract/data.ts';
import { Refusal } from '../call/refusal.ts';
import { adviceOn } from '../git/cause.ts';
import { GitError } from '../git/core.ts';
import { treeDifference } from '../git/diff.ts';
import { goingOn } from '../git/heard.ts';
import { fastForward } from '../git/merge.ts';
import { resolveCommit } from '../git/refs.ts';
import type { Repository } from '../repository/repository.ts';
import { catchUp } from './catch-up.ts';
import { editedInTheWay } from './hidden-edits.ts';
import { inWords } from './land.ts';
import { reasonIn, whyUnwritten } from './unwritten.ts';

/**
 * Moves a worktree and its branch forward to `after`, which `from` brought. Refuses `dirty_worktree` where that would overwrite
 * what is edited or not tracked. Where git is cut off between two files, by a full disk or because it took too long, what it
 * wrote is taken back.
 */
export async function moveForward(
  repo: Repository,
  after: string,
  from: string,
  data: UpdateData,
): Promise<void> {
  const changes = await treeDifference(repo.top, repo.commit, after);
  const hidden = await editedInTheWay(repo.top, repo.commit, after, changes);
  if (hidden.length > 0) {
    throw new Refusal(
      'dirty_worktree',
      `${from} changes files that are edited here and that git was told to overlook (${hidden.join(', ')}): run "git update-index --no-assume-unchanged --no-skip-worktree" on them, commit or discard the edits, and call again.`,
      { data },
    );
  }
  const moved = await fastForward(repo.top, after, repo.branch).catch((error: unknown) =>
    takeBackForward(repo, after, error, data),
  );
  if (moved === 'moved') return;
  const { inTheWay, why } = moved;
  if (inTheWay.length === 0) return takeBackForward(repo, after, why, data);
  throw new Refusal(
    'dirty_worktree',
    `${from} brings files that would overwrite files here (${inTheWay.join(', ')}): move them away and call again.`,
    { data },
  );
}

/** Ends a move that failed with nothing in its way: the checkout is as it was before, or the refusal names what is not. */
async function takeBackForward(
  repo: Repository,
  after: string,
  error: unknown,
  data: UpdateData,
): Promise<never> {
  const why = error instanceof GitError ? reasonIn(error.stderr) : inWords(error);
  // Asked before anything is taken back, since that makes room.
  const cause = error instanceof GitError ? await whyUnwritten(repo.top, error.stderr) : undefined;
  const wrote = cause === 'no_space' || cause === 'unwritten' || Refusal.is(error);
  const left = wrote ? await goingOn(() => takeBack(repo, after)) : [];
  if (Refusal.is(error) && left.length === 0) throw error;
  const rest =
    left.length === 0
      ? 'Nothing was changed.'
      : `These files are of neither commit now: ${left.join(', ')}; look at them with "git diff".`;
  throw new Refusal(
    cause === undefined || cause === 'locked' ? 'busy' : 'unavailable',
    `${repo.top} could not move forward (${why})${cause === undefined ? '' : `: ${adviceOn(cause, repo.top)}`}. ${rest}`,
    { data },
  );
}

/** Undoes what was written of a move that HEAD has not made; resolves with the files that are as neither commit has them. */
async function takeBack(repo: Repository, after: string): Promise<string[]> {
  if ((await resolveCommit(repo.top, 'HEAD')) !== repo.commit) return [];
  return catchUp(repo.top, after, repo.commit);
}
