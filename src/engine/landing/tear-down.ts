import { basename, join } from 'node:path';
import type { Context } from '../call/context.ts';
import { type Stock, takeStock } from '../removal/stock.ts';
import { gitDirOf, namesOf } from '../worktree/identity.ts';
import { readLedger } from '../worktree/ledger.ts';
import { destroyResources, type Teardown } from '../worktree/resources.ts';

/**
 * Destroys what a worktree has outside of itself, before it is removed. `commit` is the one it is to be removed at: what could
 * not be removed anyway keeps its resources.
 */
export type TearDown = (
  path: string,
  project: string,
  commit: string,
) => Promise<Pick<Teardown, 'reason'> & Partial<Teardown>>;

/**
 * The id of our worktree at a path, when it has resources. What is written down of them must name this very checkout: a record
 * in a checkout may say any id. Refuses `untrusted` where what is written down is not ours.
 */
export async function ownerOf(commonDir: string, path: string): Promise<string | undefined> {
  const gitDir = await gitDirOf(path);
  const names = gitDir === undefined ? undefined : await namesOf(gitDir);
  const ledger = names && (await readLedger(commonDir, names.id));
  return gitDir !== undefined && ledger && basename(ledger.git_dir) === basename(gitDir)
    ? ledger.id
    : undefined;
}

/** The names of what goes with a worktree, in the order it is destroyed. */
export async function resourcesOf(commonDir: string, path: string): Promise<string[]> {
  const id = await ownerOf(commonDir, path);
  const ledger = id === undefined ? undefined : await readLedger(commonDir, id);
  return (ledger?.resources ?? []).map(({ name }) => name).reverse();
}

/** Tears down by running the project's commands. `judge` says in words what would keep the worktree from being removed. */
export function tearingDown(
  commonDir: string,
  verb: string,
  ctx: Context,
  judge: (commit: string, path: string) => (found: Stock) => string | undefined,
): TearDown {
  return async (path, project, commit) => {
    const id = await ownerOf(commonDir, path);
    if (id === undefined) return {};
    const gitDir = (await gitDirOf(path)) ?? path;
    const reason = judge(commit, path)(await takeStock({ at: path, path, gitDir }));
    if (reason !== undefined) return { reason };
    ctx.emit({ type: 'progress', message: `Destroying the resources of ${id}.` });
    return destroyResources({ commonDir, id, root: join(path, project) }, verb, ctx);
  };
}

/** For callers that run no command of the project: a worktree that has resources stays until someone may destroy them. */
export function leavingResources(commonDir: string): TearDown {
  return async (path) => {
    const id = await ownerOf(commonDir, path);
    if (id === undefined) return {};
    return { reason: `the resources of ${path} are still to be destroyed, which "discern drop ${id}" does` };
  };
}
