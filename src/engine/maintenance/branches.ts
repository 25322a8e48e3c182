import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { exists, orWhenAbsent } from '../files/files.ts';
import { git, tryGit } from '../git/core.ts';
import { listRefs } from '../git/refs.ts';
import { listWorktrees } from '../git/worktree.ts';
import { isReachable } from '../landing/keep.ts';
import { deleteBranch } from '../landing/retire.ts';
import { isLanded } from '../repository/landed.ts';
import { type Repository, where } from '../repository/repository.ts';
import { isHeld } from '../state/lock-holder.ts';
import { PRUNE } from '../state/remedies.ts';
import { adminDirs, isInUse } from '../worktree/admin.ts';
import { gitDirOf, namesOf } from '../worktree/identity.ts';
import { startMarkPath } from '../worktree/mark.ts';
import { isId } from '../worktree/name.ts';
import type { Leftover } from './leftover.ts';

interface Branch {
  ref: string;
  name: string;
  /** What is behind the prefix: the id of the worktree it was made for. */
  id: string;
  commit: string;
}

/**
 * Branches that discern made for worktrees which are gone, and that hold nothing of their own: everything on them is on
 * the trunk, or they still stand where they began and another ref has that commit. A branch that a worktree has or was
 * made for, that a rebase or bisect will come back to, or whose start is under way, is in use and none of these. `freed` are those of worktrees that are about to be forgotten.
 */
export async function leftBranches(repo: Repository, freed: ReadonlySet<string>): Promise<Leftover[]> {
  const { branch_prefix: prefix } = repo.config.config.repository;
  const refs = await listRefs(repo.top, [`refs/heads/${prefix}*`]);
  const ours = refs.flatMap(({ name: ref, commit, target }): Branch[] => {
    const name = ref.slice('refs/heads/'.length);
    const id = name.slice(prefix.length);
    return target === undefined && isId(id) && ref !== repo.trunk?.ref ? [{ ref, name, id, commit }] : [];
  });
  const checkedOut = new Set(
    repo.worktrees.flatMap(({ branch }) => (branch !== undefined && !freed.has(branch) ? [branch] : [])),
  );
  const alone = ours.filter(({ ref }) => !checkedOut.has(ref));
  if (alone.length === 0) return [];
  const held = await branchesInUse(repo);
  const free: Branch[] = [];
  for (const branch of alone) {
    if (held.has(branch.ref) || (await isHeld(startMarkPath(repo.commonDir, branch.id)))) continue;
    if (!(await isInUse(repo.commonDir, join(repo.commonDir, 'worktrees', branch.id)))) free.push(branch);
  }
  if (free.length === 0) return [];
  const merged = new Set(repo.trunk ? await mergedInto(repo.top, repo.trunk.commit, prefix) : []);
  const loose = new Set(free.map(({ ref }) => ref));
  const found: Leftover[] = [];
  for (const branch of free) {
    // A branch of the person's may be called like ours: only its reflog tells.
    if (!(await isMadeByStart(repo, branch))) continue;
    if (merged.has(branch.ref)) found.push(left(branch, `everything on it is on ${repo.trunk?.name}`));
    else if (await isLanded(repo, branch.commit))
      found.push(left(branch, `all of its work has landed on ${repo.trunk?.name}`));
    else if ((await isWhereItBegan(repo.top, branch)) && (await isReachable(repo.top, branch.commit, loose)))
      found.push(left(branch, 'it stands where it began'));
  }
  return found;
}

function left(branch: Branch, why: string): Leftover {
  return {
    what: `The branch ${branch.name} has no worktree any more, and ${why}.`,
    remedy: PRUNE,
    branch: branch.ref,
    cleanup: {
      action: 'delete branch',
      detail: `${branch.name}: ${why}`,
      perform: (repo) => remove(repo, branch),
    },
  };
}

async function remove(repo: Repository, { name, commit, ref }: Branch): Promise<undefined> {
  const worktrees = await listWorktrees(repo.top);
  const removal = { from: repo.top, path: '', repo: { commonDir: repo.commonDir, worktrees } };
  const kept = (await branchesInUse({ ...repo, worktrees })).has(ref)
    ? `the branch ${name} is in use again`
    : await deleteBranch(removal, name, commit);
  if (kept !== undefined) throw new Refusal('busy', `${kept}.`, { data: where(repo) });
}

/** The branches under a prefix that are merged into a commit, as full refs. */
export async function mergedInto(cwd: string, commit: string, prefix: string): Promise<string[]> {
  const { stdout } = await git(cwd, [
    'for-each-ref',
    `--merged=${commit}`,
    '--format=%(refname)',
    '--',
    `refs/heads/${prefix}*`,
  ]);
  return stdout.toString('utf8').split('\n');
}

/** The branches checkouts have, were made for, or will come back to. */
export async function branchesInUse(repo: Repository): Promise<Set<string>> {
  const inUse = new Set<string>();
  // The directory of one that is locked may be away.
  const admins = await adminDirs(repo.commonDir);
  for (const entry of repo.worktrees) {
    if (entry.bare || entry.prunable !== undefined) continue;
    if (entry.branch !== undefined) inUse.add(entry.branch);
    const gitDir = (await gitDirOf(entry.path)) ?? admins.get(entry.path) ?? join(entry.path, '.git');
    const record = await namesOf(gitDir);
    if (record) inUse.add(`refs/heads/${record.branch}`);
    for (const ref of await comingBackTo(gitDir)) inUse.add(ref);
  }
  return inUse;
}

/** Where a rebase or a bisect began (git keeps it in these files of the checkout's git directory). */
async function comingBackTo(gitDir: string): Promise<string[]> {
  const files = ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START'];
  const texts = await Promise.all(
    files.map((file) => readFile(join(gitDir, file), 'utf8').catch(orWhenAbsent(''))),
  );
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => (text.startsWith('refs/') ? text : `refs/heads/${text}`));
}

/**
 * Whether its reflog begins with the start that made it; a branch without a reflog proves nothing. git is asked only where the
 * reflog is no file of its own (gitrepository-layout(5), `logs`).
 */
async function isMadeByStart({ top, commonDir }: Repository, { ref }: Branch): Promise<boolean> {
  if (await exists(join(commonDir, 'reftable')))
    return (await reflogOf(top, ref)).at(-1)?.startsWith(STARTED) ?? false;
  const text = await readFile(join(commonDir, 'logs', ref), 'utf8').catch(orWhenAbsent(''));
  return text.split('\n', 1)[0]?.split('\t')[1]?.startsWith(STARTED) ?? false;
}

/** Whether all its reflog knows is that `start` made it (git-reflog(1)); a branch without a reflog proves nothing. */
async function isWhereItBegan(cwd: string, { ref }: Branch): Promise<boolean> {
  const lines = await reflogOf(cwd, ref);
  return lines.length === 1 && (lines[0] ?? '').startsWith(STARTED);
}

/** What `start` writes into the reflog of the branch it makes. */
const STARTED = 'discern: start from ';

/** The subjects of a ref's reflog, the newest first; none where it has no reflog. */
async function reflogOf(cwd: string, ref: string): Promise<string[]> {
  const told = await tryGit(cwd, ['reflog', 'show', '--format=%gs', ref, '--']);
  return told instanceof Error ? [] : told.stdout.toString('utf8').trimEnd().split('\n');
}
