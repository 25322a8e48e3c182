import type { Standard } from '../../contract/config.ts';
import { changedPaths } from '../git/diff.ts';
import { isAncestor, resolveCommit } from '../git/refs.ts';
import type { TreeStatus } from '../git/status.ts';
import { scopeMatchers } from '../jobs/scope-paths.ts';
import { insideProject } from '../jobs/scopes.ts';
import type { Repository } from '../repository/repository.ts';
import { type Measurement, measureOf } from './history.ts';
import { holds } from './judge.ts';

/** How many earlier measurements of one standard are considered; each costs a few gits. */
const CONSIDERED = 3;

/** A value that was measured on an earlier commit and still is the value here. */
export interface Replay {
  value: number;
  commit: string;
}

/**
 * Finds the standards that need no measuring: they declare their `inputs`, and none of these, nor of the paths they are
 * divided by, changed since a commit of this branch on which they were measured. Only a value that holds is replayed; one
 * that does not is measured, so that it fails on what is true now. A status with every untracked file is needed.
 */
export async function findReplays(
  repo: Repository,
  standards: readonly Standard[],
  history: readonly Measurement[],
  status: TreeStatus,
): Promise<Map<string, Replay>> {
  const changes = changesSince(repo, status);
  const replays = new Map<string, Replay>();
  for (const standard of standards) {
    // What a variable was at an earlier measurement is not written down.
    if (!standard.inputs || standard.inputs.length === 0 || standard.environment?.length) continue;
    const measure = measureOf(standard);
    const earlier = history
      .filter((one) => one.name === standard.name && one.measure === measure)
      .reverse()
      .slice(0, CONSIDERED);
    const reads = scopeMatchers([
      ...standard.inputs,
      ...(standard.toolchain ?? []),
      ...(standard.per && 'paths' in standard.per ? standard.per.paths : []),
    ]);
    for (const { value, commit } of earlier) {
      if (!holds(standard, value)) continue;
      const changed = await changes(commit);
      if (changed?.some(reads) !== false) continue;
      replays.set(standard.name, { value, commit });
      break;
    }
  }
  return replays;
}

/** Paths of the project that differ from a commit of this branch, uncommitted ones included; asked once a commit. */
function changesSince(repo: Repository, status: TreeStatus) {
  const known = new Map<string, string[] | undefined>();
  const pending = [...status.staged, ...status.unstaged, ...status.untracked];
  return async (commit: string): Promise<string[] | undefined> => {
    if (!known.has(commit)) known.set(commit, await read(commit));
    return known.get(commit);
  };
  async function read(commit: string): Promise<string[] | undefined> {
    // It may have been of a branch that was dropped, and is forgotten by now.
    if (commit !== repo.commit && (await resolveCommit(repo.top, commit)) === undefined) return undefined;
    if (!(await isAncestor(repo.top, commit, repo.commit))) return undefined;
    const committed = commit === repo.commit ? [] : await changedPaths(repo.top, commit, repo.commit);
    return [...committed, ...pending]
      .map((path) => insideProject(repo, path))
      .filter((path) => path !== undefined);
  }
}
