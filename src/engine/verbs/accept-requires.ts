import { Refusal } from '../call/refusal.ts';
import { changedPaths } from '../git/diff.ts';
import type { Obstacles } from '../git/read-tree.ts';
import { resolveCommit } from '../git/refs.ts';
import { unmergedPaths } from '../git/status.ts';
import { insideProject } from '../jobs/scopes.ts';
import { blocked } from '../landing/in-the-way.ts';
import type { Obstacle } from '../removal/look.ts';
import { inTheWay } from '../removal/stock.ts';
import { operationUnderWay } from '../repository/checkout.ts';
import { isHome, type Repository, type Trunk, where } from '../repository/repository.ts';
import { shellWord } from '../words/shell-word.ts';
import { gitDirOf, type WorktreeRecord } from '../worktree/identity.ts';

/** Refuses `not_in_worktree` for the checkout work lands in. */
export function requireWorktree(repo: Repository): void {
  if (!isHome(repo)) return;
  throw new Refusal(
    'not_in_worktree',
    `${repo.top} is where work lands, so there is nothing to accept in it: name the worktree to land by path.`,
    { data: where(repo) },
  );
}

/** The one checkout that has the trunk. Refuses `landing_parked` where there is none. */
export async function requireLanding(repo: Repository, trunk: Trunk): Promise<string> {
  if (!repo.landing)
    throw new Refusal('landing_parked', await parkedAdvice(repo, trunk), { data: where(repo) });
  requireOneLanding(repo, trunk);
  return repo.landing.path;
}

/** Refuses `locked_worktree`, with the reason. */
export function requireUnlocked(repo: Repository): void {
  if (repo.self.locked === undefined) return;
  const why = repo.self.locked ? ` (${repo.self.locked})` : '';
  throw new Refusal(
    'locked_worktree',
    `${repo.top} is locked${why}: run "git worktree unlock ${shellWord(repo.top)}" if that is over.`,
    { data: where(repo) },
  );
}

/** Refuses `dirty_worktree` where a worktree of ours has another branch checked out than it was made for. */
export async function requireMadeFor(repo: Repository, record: WorktreeRecord | undefined): Promise<void> {
  if (!record || repo.branch === record.branch) return;
  throw new Refusal(
    'dirty_worktree',
    `${repo.top} has ${repo.branch ?? 'a detached HEAD'} checked out instead of ${record.branch}: run "${await backTo(repo, record.branch)}" there, or land it by hand.`,
    { data: where(repo) },
  );
}

/** Refuses `busy` where another checkout has the worktree's branch too: it could not be deleted when the work has landed. */
export function requireOwnBranch(repo: Repository): void {
  const { branch, path } = repo.self;
  const other = repo.worktrees.find(
    (one) => one.path !== path && branch !== undefined && one.branch === branch,
  );
  if (!other) return;
  throw new Refusal(
    'busy',
    `${repo.branch} is checked out in ${other.path} too, so it could not be deleted: run "git switch --detach" there, then accept again. Nothing was landed.`,
    { data: where(repo) },
  );
}

/** The refusal of a branch that has nothing to land. */
export const nothingToLand = (repo: Repository, trunk: Trunk): Refusal =>
  new Refusal(
    'invalid_argument',
    `${repo.branch ?? repo.top} has no commit that ${trunk.name} lacks, so there is nothing to land: commit the work first, or call drop.`,
    { data: where(repo) },
  );

/** What brings a worktree back to the branch it was made for: that branch may have been renamed or deleted. */
async function backTo(repo: Repository, branch: string): Promise<string> {
  if ((await resolveCommit(repo.top, `refs/heads/${branch}`)) !== undefined)
    return `git switch ${shellWord(branch)}`;
  return repo.branch === null
    ? `git switch -c ${shellWord(branch)}`
    : `git branch -m ${shellWord(repo.branch)} ${shellWord(branch)}`;
}

/** Refuses `dirty_landing_checkout` where a second checkout has the trunk: its files would not follow. */
function requireOneLanding(repo: Repository, trunk: Trunk): void {
  const [first, second] = repo.worktrees.filter(
    ({ branch, bare, prunable }) => branch === trunk.ref && !bare && prunable === undefined,
  );
  if (!first || !second) return;
  throw new Refusal(
    'dirty_landing_checkout',
    `${trunk.name} is checked out twice, in ${first.path} and ${second.path}, and only one of them can follow: run "git switch --detach" in the other, then accept again.`,
    { data: where(repo) },
  );
}

/** Refuses what would go with the worktree once it has landed, and that nothing can keep. */
export function requireNothingLost(repo: Repository, obstacles: readonly Obstacle[]): void {
  const [first] = obstacles;
  if (!first) return;
  throw new Refusal(
    first.slug,
    `Landing would remove ${repo.top}, and with it more than its commits: ${inTheWay(obstacles)}. Then accept again. Nothing was landed.`,
    { data: { ...where(repo), worktree: repo.top, files: obstacles.map(({ path }) => path) } },
  );
}

/** Refuses `dirty_landing_checkout`, listing the files, where what lands would touch what a person has in the landing checkout. */
export function requireFollowable(repo: Repository, landing: string, obstacles: Obstacles | undefined): void {
  if (!obstacles) return;
  const { changed, untracked } = obstacles;
  throw new Refusal('dirty_landing_checkout', `${blocked(landing, obstacles)} Nothing was landed.`, {
    data: { ...where(repo), files: [...changed, ...untracked] },
  });
}

/** Refuses `outside_project` for changes that the project's gate did not judge. */
export async function requireInsideProject(repo: Repository, from: string, to: string): Promise<void> {
  if (!repo.prefix) return;
  const changed = await changedPaths(repo.top, from, to);
  const outside = changed.filter((path) => insideProject(repo, path) === undefined);
  if (outside.length === 0) return;
  throw new Refusal(
    'outside_project',
    `The gate of ${repo.prefix} did not judge these changes outside it: ${outside.join(', ')}. Land them by hand, or take them out of the branch.`,
    { data: { ...where(repo), files: outside } },
  );
}

/** What to do when no checkout has the trunk. */
async function parkedAdvice(repo: Repository, trunk: Trunk): Promise<string> {
  const none = `No checkout has ${trunk.name} checked out`;
  const [main] = repo.worktrees;
  // A bare repository has no branch checked out: this one has a checkout, and git keeps no way back to it.
  if (main?.bare && main.branch !== undefined) {
    return `Nothing tells where the checkout of ${main.path} lies: run git config core.worktree "$PWD" in that checkout's top directory, then accept again.`;
  }
  if (!main || main.bare) {
    return `${none}: make one with "git worktree add <directory> ${trunk.name}", then accept again.`;
  }
  const operation = await operationUnderWay((await gitDirOf(main.path)) ?? repo.commonDir);
  if (operation) {
    return `${none}: ${main.path} is in the middle of ${operation.what}. Finish it, or leave it with "${operation.remedy}", then accept again.`;
  }
  return `${none}: run "git switch ${trunk.name}" in ${main.path}, then accept again.`;
}

/**
 * Refuses `dirty_landing_checkout` in the middle of a git operation, or with conflicts: git cannot bring such a checkout's files
 * along. Edits are no matter of this: what they keep from landing is for `requireFollowable`.
 */
export async function requireLandingReady(repo: Repository, landing: string): Promise<void> {
  const data = where(repo);
  const operation = await operationUnderWay((await gitDirOf(landing)) ?? repo.commonDir);
  if (operation) {
    throw new Refusal(
      'dirty_landing_checkout',
      `${landing} is in the middle of ${operation.what}: finish it, or leave it with "${operation.remedy}", then accept again.`,
      { data },
    );
  }
  const unmerged = await unmergedPaths(landing);
  if (unmerged.length === 0) return;
  throw new Refusal(
    'dirty_landing_checkout',
    `${landing} has conflicts (${unmerged.slice(0, 5).join(', ')}): resolve and "git add" them, then accept again.`,
    { data: { ...data, files: unmerged } },
  );
}
