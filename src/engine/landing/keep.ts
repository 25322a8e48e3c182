import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { exists } from '../files/files.ts';
import { git, gitLine } from '../git/core.ts';
import { commitTree } from '../git/merge.ts';
import { identity } from '../git/own-author.ts';
import { moveRef, treeOf } from '../git/refs.ts';
import { branchOf, type WorktreeEntry } from '../git/worktree.ts';
import { treeIfWhole } from '../git/write-tree.ts';
import { lookIntoStore } from '../removal/look.ts';
import { inTheWay } from '../removal/stock.ts';
import { RECOVERED, recoveryRef } from '../repository/recovered.ts';
import { shellWord } from '../words/shell-word.ts';
import { keepCommits, leftCommits } from './left-commits.ts';
import { refName } from './retire.ts';

/**
 * Keeps what goes when git forgets a checkout whose directory is gone: what was staged in it, and the commits that only its HEAD,
 * its reflog or refs of its own have. Resolves with the recovery refs that were needed.
 *
 * Refuses `dirty_worktree` where that cannot be kept: an unfinished merge in its index, or commits in repositories of its
 * submodules that no remote has.
 */
export async function keepAdministered(cwd: string, admin: string, entry: WorktreeEntry): Promise<string[]> {
  await refuseModules(admin, entry.path);
  const head = entry.head === undefined || /^0+$/.test(entry.head) ? undefined : entry.head;
  const staged = await stagedTree(cwd, admin, entry.path);
  const name = branchOf(entry) ?? (head?.slice(0, 10) || 'unborn');
  const kept: string[] = [];
  if (staged !== undefined && staged !== (await treeAt(cwd, head))) {
    const what = `What was staged in ${entry.path}\n`;
    const commit = await commitTree(cwd, staged, head === undefined ? [] : [head], what, identity);
    const ref = recoveryRef(name, randomBytes(3).toString('hex'));
    await moveRef(cwd, ref, commit, '', 'discern: kept when its worktree was pruned');
    kept.push(ref);
  }
  return [...kept, ...(await keepCommits(cwd, refName(entry.path), await leftCommits(cwd, admin)))];
}

/** The tree of a commit; the empty one before the first. */
const treeAt = (cwd: string, head: string | undefined) =>
  head === undefined
    ? gitLine(cwd, ['hash-object', '-t', 'tree', '--stdin'], { stdin: '' })
    : treeOf(cwd, head);

async function stagedTree(cwd: string, admin: string, path: string): Promise<string | undefined> {
  if (!(await exists(join(admin, 'index')))) return undefined;
  const tree = await treeIfWhole(cwd, { GIT_INDEX_FILE: join(admin, 'index') });
  if (tree !== undefined) return tree;
  const index = shellWord(join(admin, 'index'));
  throw new Refusal(
    'dirty_worktree',
    `An unfinished merge is staged in ${path}, which no commit can hold. "GIT_INDEX_FILE=${index} git ls-files --stage" lists what it has, and "git show <id>" shows each; "git worktree remove --force ${shellWord(path)}" discards it.`,
  );
}

/** True when a ref outside `except` has the commit; a recovery ref lets it go one day. */
export async function isReachable(
  cwd: string,
  commit: string,
  except: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const { stdout } = await git(cwd, ['for-each-ref', `--contains=${commit}`, '--format=%(refname)']);
  return stdout
    .toString('utf8')
    .split('\n')
    .some((ref) => ref !== '' && !ref.startsWith(RECOVERED) && !except.has(ref));
}

/** A linked checkout's submodules have their repositories in git's directory for it, and these go with it. */
async function refuseModules(admin: string, path: string): Promise<void> {
  const obstacles = await lookIntoStore(admin);
  if (obstacles.length === 0) return;
  throw new Refusal('dirty_worktree', `Submodules of ${path} would go: ${inTheWay(obstacles)}.`);
}
