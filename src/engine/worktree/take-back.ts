import { rm } from 'node:fs/promises';
import { GitError } from '../git/core.ts';
import { deleteRef } from '../git/refs.ts';
import { forgetWorktree } from '../git/worktree.ts';
import { Refusal } from '../refusal.ts';
import { removeDirectories } from './place.ts';

/** What a start has made so far, for taking it back: only what is named here is ours to remove. */
export interface Made {
  directories: string[];
  branch: boolean;
  checkout: boolean;
}

/** Where a start puts what it makes. */
interface Target {
  path: string;
  branch: string;
  baseCommit: string;
}

/** Removes what this start made, and nothing else: the branch only while it is where we put it. */
export async function takeBack(from: string, target: Target, made: Made): Promise<void> {
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
  const told = `It could not be taken back whole (${why}): run "discern drop ${target.branch}", or remove ${target.path} by hand.`;
  if (error instanceof Refusal) error.detail.hints = [...(error.detail.hints ?? []), told];
  else if (error instanceof Error) error.message += ` ${told}`;
}

/** git refuses to forget what it never registered: then there is nothing to take back. */
function unlessGit(error: unknown): void {
  if (!(error instanceof GitError)) throw error;
}
