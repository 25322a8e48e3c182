import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../contract/values.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { GitError } from '../git/core.ts';
import { goingOn } from '../git/heard.ts';
import { tryDeleteRef } from '../git/refs.ts';
import { forgetWorktree } from '../git/worktree.ts';
import type { Repository } from '../repository/repository.ts';
import { PRUNE } from '../state/remedies.ts';
import { inodeOf, removeNamedTree } from '../state/remove.ts';
import { type Rest, takeAway } from './leave-rest.ts';
import { removeDirectories } from './place.ts';
import { destroyResources } from './resources.ts';

/** What a start has made so far, for taking it back: only what is named here is ours to remove. */
export interface Made {
  directories: string[];
  branch: boolean;
  /** The worktree's directory, by its inode; '' where that was not written down, which is before it held anything. */
  checkout?: string;
  /** True for a worktree that is nobody's to work in: all of it goes. */
  throwaway?: boolean;
  /** Digests of the files that were written beside git, by their absolute path. */
  wrote?: Map<string, string>;
  /** Stamps of the ignored files that came along, by their absolute path. */
  brought?: Map<string, string>;
  /** Once the worktree has a name that resources may be made under. */
  resources?: { id: string; root: string };
}

/** Where a start puts what it makes. */
interface Target {
  path: string;
  branch: string;
  baseCommit: string;
}

/**
 * Removes what this start made, and nothing else: its resources, its checkout, and the branch only while it is where we put
 * it. What could not be destroyed stays written down, and is told in `failure`.
 */
export function takeBack(
  place: Pick<Repository, 'top' | 'commonDir'>,
  target: Target,
  made: Made,
  ctx: Context,
  failure: unknown,
): Promise<void> {
  return goingOn(() => remove(place, target, made, ctx, failure));
}

async function remove(
  { top: from, commonDir }: Pick<Repository, 'top' | 'commonDir'>,
  target: Target,
  made: Made,
  ctx: Context,
  failure: unknown,
): Promise<void> {
  if (made.resources) {
    // A start that was cancelled has made them all the same.
    const own = { ...ctx, signal: new AbortController().signal };
    const torn = await destroyResources({ commonDir, ...made.resources }, 'start', own, { anyway: true });
    if (torn.left.length > 0) {
      tell(
        failure,
        `Of its resources ${torn.left.join(', ')} could not be destroyed; "${PRUNE}" tries again, and so does the next start.`,
      );
    }
  }
  if (made.checkout !== undefined) {
    // A setup command may have locked it; it is ours all the same.
    const forget = () => forgetWorktree(from, target.path, { evenLocked: true }).catch(unlessGit);
    if (made.throwaway) await removeThrowaway(target.path, made.checkout).then(forget);
    else {
      const { path, branch, baseCommit: commit } = target;
      const taken = {
        path,
        branch,
        commit,
        ino: made.checkout,
        wrote: made.wrote ?? new Map(),
        brought: made.brought ?? new Map(),
      };
      const rest = await takeAway(commonDir, taken, forget);
      if (rest) tell(failure, keptWords(rest));
    }
  }
  if (made.branch) {
    await tryDeleteRef(from, `refs/heads/${target.branch}`, target.baseCommit);
  }
  await removeDirectories(made.directories);
}

async function removeThrowaway(path: string, ino: string): Promise<void> {
  if (ino === '') {
    // What someone has put there since, or put in its place, is not ours.
    await rmdir(path).catch((error: NodeJS.ErrnoException) => {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(error.code ?? '')) throw error;
    });
    return;
  }
  if ((await inodeOf(path)) !== ino) return;
  const left = await removeNamedTree({ path, within: dirname(path), ino });
  if (left !== undefined) throw new Error(`${path} ${left}`);
}

/** The most names of what was kept that are told. */
const MOST_NAMES = 10;

function keptWords({ dir, paths, whole }: Rest): string {
  if (whole !== undefined)
    return `What someone may have written into it could not be told from what was made (${whole}), so all of it is kept in ${dir}.`;
  const more = paths.length - MOST_NAMES;
  const named = paths.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `What was in it beside the commit, made by its setup or by someone meanwhile, is kept in ${dir}: ${named}.`;
}

/** Adds what could not be taken back to what made the start fail. */
export function tellLeft(error: unknown, target: Target, left: unknown): void {
  const why = messageOf(left);
  tell(
    error,
    `It could not be removed completely (${why}): run "discern drop ${target.branch}", or remove ${target.path} by hand.`,
  );
}

function tell(error: unknown, what: string): void {
  if (error instanceof Refusal) error.detail.hints = [...(error.detail.hints ?? []), what];
  else if (error instanceof Error) error.message += ` ${what}`;
}

/** git refuses to forget what it never registered: then there is nothing to take back. */
function unlessGit(error: unknown): void {
  if (!(error instanceof GitError)) throw error;
}
