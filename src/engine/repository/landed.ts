import { git } from '../git/core.ts';
import { commitTree, type MergeResult, mergeTrees } from '../git/merge.ts';
import { identity } from '../git/own-author.ts';
import { readPlace } from '../git/place.ts';
import { isAncestor, mayHaveRefs, resolveCommit, treeOf } from '../git/refs.ts';
import { loggedAt } from './recovered.ts';
import type { Repository } from './repository.ts';
import { ownCommits } from './work.ts';

/** Where the commits of a branch that was squashed or rebased are kept, under the name of what they landed as. */
const LANDED = 'refs/discern/landed/';

/** Work that is on the trunk in other commits than it was made in. */
export interface LandedWork {
  ref: string;
  /** The branch's commit. */
  head: string;
  /** The trunk's commit before. */
  from: string;
  /** The trunk's commit with all of it. */
  to: string;
}

/** The ref that says that `head` landed when the trunk moved from one commit to the other; it also keeps `head`. */
export const landedRef = (from: string, to: string): string => `${LANDED}${from}-${to}`;

const pattern = /^refs\/discern\/landed\/([0-9a-f]{40}|[0-9a-f]{64})-([0-9a-f]{40}|[0-9a-f]{64})$/;

async function listLanded(cwd: string, which: readonly string[] = []): Promise<LandedWork[]> {
  const place = await readPlace(cwd);
  if (place && !(await mayHaveRefs(place.commonDir, LANDED))) return [];
  const asking = ['for-each-ref', ...which, '--format=%(refname)%00%(objectname)', '--', LANDED];
  const { stdout } = await git(cwd, asking);
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [ref = '', head = ''] = line.split('\0');
      const [, from, to] = pattern.exec(ref) ?? [];
      return from !== undefined && to !== undefined && from !== to ? [{ ref, head, from, to }] : [];
    });
}

/** Answers that stay true: all three are names of content. */
const judged = new Map<string, boolean>();

/**
 * Whether a record is true, which git alone decides: its landing is on `trunk`, and the tree that landed is the one that merging
 * `head` into the trunk's commit before makes. So nobody who can write a ref makes unlanded work look landed.
 */
async function isTrue(cwd: string, { head, from, to }: LandedWork, trunk: string): Promise<boolean> {
  for (const commit of [from, to]) if ((await resolveCommit(cwd, commit)) !== commit) return false;
  if (!(await isAncestor(cwd, to, trunk)) || !(await isAncestor(cwd, from, to))) return false;
  const key = `${head} ${from} ${to}`;
  const known = judged.get(key);
  if (known !== undefined) return known;
  const merge = await mergeWork(cwd, from, head);
  const holds = merge !== 'unrelated' && merge.tree === (await treeOf(cwd, to));
  judged.set(key, holds);
  return holds;
}

async function trueOnes(cwd: string, trunk: string, which: readonly string[]): Promise<LandedWork[]> {
  const found: LandedWork[] = [];
  for (const one of await listLanded(cwd, which)) if (await isTrue(cwd, one, trunk)) found.push(one);
  return found;
}

/**
 * The commit to merge with a branch in place of the trunk at `base`. What of the branch is on that trunk already, squashed or
 * rebased, counts as merged: else each line of it that was changed since would conflict with itself.
 */
export async function asMerged(cwd: string, base: string, head: string): Promise<string> {
  const merged = await landedBelow(cwd, base, head);
  if (merged.length === 0) return base;
  return commitTree(cwd, await treeOf(cwd, base), [base, ...merged], 'As merged\n', identity);
}

/** Merges a branch into the trunk at `base`, in the object store: {@link asMerged}. */
export const mergeWork = async (
  cwd: string,
  base: string,
  head: string,
): Promise<MergeResult | 'unrelated'> => mergeTrees(cwd, await asMerged(cwd, base, head), head);

/** The trunk's commit that a commit's work landed as, where that was squashed or rebased; `undefined` where it did not. */
export async function landedAs({ top, trunk }: Pick<Repository, 'top' | 'trunk'>, commit: string) {
  if (!trunk) return undefined;
  return (await trueOnes(top, trunk.commit, [`--contains=${commit}`]))[0]?.to;
}

/** Whether a commit is on the trunk, as it is or squashed or rebased. */
export async function isLanded(repo: Pick<Repository, 'top' | 'trunk'>, commit: string): Promise<boolean> {
  const { top, trunk } = repo;
  if (!trunk) return false;
  if (await isAncestor(top, commit, trunk.commit)) return true;
  return (await landedAs(repo, commit)) !== undefined || (await bringsNothing(top, trunk.commit, commit));
}

/** Whether all that landed work got since are merges that bring the trunk nothing, as an update makes them. */
async function bringsNothing(cwd: string, trunk: string, commit: string): Promise<boolean> {
  const landed = await landedBelow(cwd, trunk, commit);
  if (landed.length === 0) return false;
  const own = await ownCommits(cwd, { base: trunk, head: commit, landed });
  if (own.length > 0) return false;
  const merge = await mergeWork(cwd, trunk, commit);
  return merge !== 'unrelated' && merge.tree === (await treeOf(cwd, trunk));
}

/** The commits of `commit` (itself among them) whose work is on the trunk at `base`, squashed or rebased. */
export async function landedBelow(cwd: string, base: string, commit: string): Promise<string[]> {
  return (await trueOnes(cwd, base, [`--merged=${commit}`])).map(({ head }) => head);
}

/** Whether any work was ever landed so: only then has anything more to be asked. */
export const anyLanded = async (cwd: string): Promise<boolean> => (await listLanded(cwd)).length > 0;

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The records that are older than `days` and that no branch and no checkout needs any more to be known for landed; none with 0.
 */
export async function outdatedLanded(repo: Repository, days: number): Promise<LandedWork[]> {
  if (days === 0) return [];
  const { top, commonDir, worktrees } = repo;
  const found: LandedWork[] = [];
  for (const one of await listLanded(top)) {
    const at = (await loggedAt(commonDir, one.ref)) ?? (await committedAt(top, one.to));
    if (at === undefined || Date.now() - at <= days * DAY_MS) continue;
    if (
      await isNeeded(
        top,
        one,
        worktrees.flatMap(({ head }) => head ?? []),
      )
    )
      continue;
    found.push(one);
  }
  return found;
}

async function isNeeded(cwd: string, { head, from }: LandedWork, heads: readonly string[]): Promise<boolean> {
  for (const commit of heads) {
    if (/^0+$/.test(commit)) continue;
    const related = (await isAncestor(cwd, head, commit)) || (await isAncestor(cwd, commit, head));
    if (related && !(await isAncestor(cwd, commit, from))) return true;
  }
  for (const which of [[`--contains=${head}`], [`--merged=${head}`, `--no-merged=${from}`]]) {
    const { stdout } = await git(cwd, ['for-each-ref', ...which, '--format=%(refname)', '--', 'refs/heads/']);
    if (stdout.length > 0) return true;
  }
  return false;
}

async function committedAt(cwd: string, commit: string): Promise<number | undefined> {
  const { stdout, code } = await git(
    cwd,
    ['log', '--max-count=1', '--no-show-signature', '--format=%ct', commit, '--'],
    {
      ok: [0, 128],
    },
  );
  const seconds = Number(stdout.toString('latin1').trim());
  return code === 0 && seconds > 0 ? seconds * 1000 : undefined;
}
