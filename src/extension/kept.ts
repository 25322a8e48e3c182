import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { KeptRef } from '../contract/data.ts';

const exec = promisify(execFile);

/** Where removals keep what only a worktree had. */
const KEPT = 'refs/discern/recovered/';

/** The branch that a kept ref comes back as. */
export const branchFor = ({ ref }: Pick<KeptRef, 'ref'>): string => `recovered/${ref.slice(KEPT.length)}`;

/** Makes a branch of what was kept, by the very git that {@link KeptRef.restore} names. Rejects where the branch is there already. */
export const bringBack = (root: string, kept: KeptRef): Promise<void> =>
  git(root, ['branch', '--no-track', branchFor(kept), kept.ref]);

/** Lets go of what was kept, as {@link KeptRef.remove} does: only while the ref still has the commit that was shown. */
export const letGo = (root: string, { ref, commit }: KeptRef): Promise<void> =>
  git(root, ['update-ref', '-d', ref, commit]);

async function git(root: string, args: readonly string[]): Promise<void> {
  await exec('git', ['-c', 'core.hooksPath=/dev/null', ...args], { cwd: root });
}
