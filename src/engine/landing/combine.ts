import { Refusal } from '../call/refusal.ts';
import { git, gitLine } from '../git/core.ts';
import { commitForPerson, commitTree, knownNames, mergeTrees } from '../git/merge.ts';
import { identity } from '../git/own-author.ts';
import { isAncestor } from '../git/refs.ts';
import { mergeWork } from '../repository/landed.ts';
import { type Repository, type Trunk, where } from '../repository/repository.ts';
import type { PushTarget } from './push.ts';
import { addressesOf } from './push-address.ts';

/** The most commits of the trunk that are named. */
const MOST_NAMED = 5;

/**
 * A commit of the branch merged with the trunk, for looking at what would land; nothing has it, and nothing moves. Refuses
 * `merge_conflict`, naming the files and the trunk's commits that changed them.
 */
export async function combined(repo: Repository, { name, commit: base }: Trunk): Promise<string> {
  const { top: cwd, commit: head } = repo;
  const merge = await mergeWork(cwd, base, head);
  if (merge === 'unrelated') {
    throw new Refusal(
      'invalid_argument',
      `${repo.branch ?? 'HEAD'} shares no history with ${name}, so it cannot land there.`,
      { data: where(repo) },
    );
  }
  if (merge.tree === undefined) {
    const files = knownNames(merge.conflicts);
    const met = await commitsOfTrunk(cwd, head, base, files);
    throw new Refusal(
      'merge_conflict',
      `${repo.branch ?? 'HEAD'} conflicts with ${name} in ${files.slice(0, 20).join(', ')}${met ? `, changed there by ${met}` : ''}. Nothing was landed: call update, which says how to go on.`,
      { data: { ...where(repo), files } },
    );
  }
  return commitTree(cwd, merge.tree, [head, base], 'What would land\n', identity);
}

/** The trunk's commits that a branch lacks, as a clause: with `files`, only those that changed these. */
export async function commitsOfTrunk(
  cwd: string,
  head: string,
  trunk: string,
  files: readonly string[] = [],
): Promise<string> {
  const args = [
    '--literal-pathspecs',
    'log',
    '--no-show-signature',
    '--no-color',
    '--format=%h "%s" (%an)',
    `${head}..${trunk}`,
    '--',
  ];
  const { stdout } = await git(cwd, [...args, ...files.slice(0, 100)]);
  const all = stdout.toString('utf8').split('\n').filter(Boolean);
  const more = all.length - MOST_NAMED;
  return all.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * The commit that work is combined with before it is pushed: the trunk, or its upstream where that has more, or both merged. Refuses
 * `merge_conflict` where these two do not merge, and where the trunk has what its upstream was made to forget.
 */
export async function pushBase(repo: Repository, trunk: Trunk, target: PushTarget): Promise<string> {
  const { top: cwd } = repo;
  if (await isAncestor(cwd, trunk.commit, target.commit)) return target.commit;
  await requireNotRewritten(repo, trunk, target);
  if (await isAncestor(cwd, target.commit, trunk.commit)) return trunk.commit;
  const merge = await mergeTrees(cwd, trunk.commit, target.commit);
  if (merge === 'unrelated' || merge.tree === undefined) {
    const files = merge === 'unrelated' ? [] : knownNames(merge.conflicts);
    throw new Refusal(
      'merge_conflict',
      `${trunk.name} and what ${target.remote} has conflict${files.length > 0 ? ` in ${files.slice(0, 20).join(', ')}` : ''}: merge the two in ${trunk.name}'s checkout, then accept again. Nothing was landed.`,
      { data: { ...where(repo), files } },
    );
  }
  const upstream = target.ref.replace(/^refs\/remotes\//, '');
  return commitForPerson(cwd, merge.tree, [trunk.commit, target.commit], `Merge ${upstream}\n`);
}

/**
 * Refuses `merge_conflict` where the upstream was rewound or rewritten and the trunk still has commits that it had: pushing would bring back what
 * somebody took away. What it had is what git's reflog of it says (`git merge-base --fork-point`); without one nothing is known.
 */
async function requireNotRewritten(repo: Repository, trunk: Trunk, target: PushTarget): Promise<void> {
  const { top: cwd } = repo;
  const had = await gitLine(cwd, ['merge-base', '--fork-point', target.ref, trunk.commit], { ok: [0, 1] });
  if (had === '' || (await isAncestor(cwd, had, target.commit))) return;
  const dropped = await commitsOfTrunk(cwd, target.commit, had);
  const upstream = target.ref.replace(/^refs\/remotes\//, '');
  const [push, fetch] = await Promise.all([
    addressesOf(cwd, target.remote, 'push'),
    addressesOf(cwd, target.remote, 'fetch'),
  ]);
  const lags =
    push[0] === fetch[0]
      ? ''
      : ` (or what ${target.remote} is fetched from lags behind what it is pushed to, remote.${target.remote}.pushurl: then wait, and accept again)`;
  throw new Refusal(
    'merge_conflict',
    `${upstream} was rewritten${lags}: ${trunk.name} here still has what it dropped (${dropped}), and a push would bring that back. Nothing was landed or pushed. Take it out of ${trunk.name} ("git rebase --onto ${upstream} ${had.slice(0, 10)} ${trunk.name}" in its checkout), or push it again yourself with "git push ${target.remote} ${trunk.name}", then accept again; or accept without push.`,
    { data: where(repo) },
  );
}
