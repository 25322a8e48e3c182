import type { Held, StatusData } from './data.ts';
import { isInside } from './inside.ts';

/** How the server's held root stands to what the editor shows (contract §8). */
export type Divergence =
  /** The held root is (in) a workspace folder. */
  | { state: 'aligned' }
  /** The server holds no project. */
  | { state: 'none' }
  /** The held root is no workspace folder, but a checkout of the same repository is. */
  | { state: 'diverged'; root: string }
  /** The held root belongs to another repository than every workspace folder. */
  | { state: 'foreign'; root: string }
  /** The held root no longer exists. */
  | { state: 'missing'; root: string }
  /** The held worktree is pristine while the landing checkout's tracked files change: edits go to the wrong place. */
  | { state: 'strand'; root: string; landing: string; files: number };

/**
 * Tells how the held root and the workspace folders stand. `status` is the held root's own; without it (the root is gone, or
 * not read yet) only what the paths say is known.
 */
export function divergenceOf(
  held: Pick<Held, 'root' | 'missing'>,
  folders: readonly string[],
  status: Partial<StatusData> | undefined,
): Divergence {
  const { root } = held;
  if (root === null) return { state: 'none' };
  if (held.missing) return { state: 'missing', root };
  const worktrees = status?.worktrees ?? [];
  const own = worktrees.find((tree) => tree.root === root);
  const landing = worktrees.find((tree) => tree.landing);
  if (
    own &&
    landing &&
    own !== landing &&
    own.clean &&
    own.ahead === 0 &&
    (landing.tracked_changes ?? 0) > 0
  ) {
    return { state: 'strand', root, landing: landing.root, files: landing.tracked_changes ?? 0 };
  }
  if (folders.some((folder) => isInside(root, folder) || isInside(folder, root))) return { state: 'aligned' };
  const sibling = worktrees.some((tree) =>
    folders.some((folder) => isInside(folder, tree.path) || isInside(tree.root, folder)),
  );
  return { state: sibling ? 'diverged' : 'foreign', root };
}
