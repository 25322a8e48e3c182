import { rm } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { GitError } from '../git/core.ts';
import { goingOn } from '../git/heard.ts';
import { deleteRef } from '../git/refs.ts';
import { forgetWorktree } from '../git/worktree.ts';
import { Refusal } from '../refusal.ts';
import type { Repository } from '../repository.ts';
import { PRUNE } from '../state/remedies.ts';
import { removeDirectories } from './place.ts';
import { destroyResources } from './resources.ts';

/** What a start has made so far, for taking it back: only what is named here is ours to remove. */
export interface Made {
  directories: string[];
  branch: boolean;
  checkout: boolean;
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
  if (made.checkout) {
    await rm(target.path, { recursive: true, force: true, maxRetries: 3 });
    // A setup command may have locked it; it is ours all the same.
    await forgetWorktree(from, target.path, { evenLocked: true }).catch(unlessGit);
  }
  if (made.branch) {
    await deleteRef(from, `refs/heads/${target.branch}`, target.baseCommit).catch(unlessGit);
  }
  await removeDirectories(made.directories);
}

/** Adds what could not be taken back to what made the start fail. */
export function tellLeft(error: unknown, target: Target, left: unknown): void {
  const why = left instanceof Error ? left.message : String(left);
  tell(
    error,
    `It could not be taken back whole (${why}): run "discern drop ${target.branch}", or remove ${target.path} by hand.`,
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
