import { Refusal } from '../call/refusal.ts';
import { tryGit } from '../git/core.ts';
import { isAncestor, resolveCommit } from '../git/refs.ts';
import { send } from '../landing/push.ts';
import { asksNobody, withoutSecrets } from '../repository/fetch.ts';
import { type Repository, where } from '../repository/repository.ts';

/**
 * Pushes a worktree's commit to the branch of its name, and nothing else; `same` where it is there already. Refuses `branch_exists` where the
 * remote's branch has commits that the worktree lacks, `busy` where it is being moved, and `unavailable` where the remote, or a hook, does not
 * take it.
 */
export async function pushBranch(
  repo: Repository,
  { remote, branch }: { remote: string; branch: string },
  signal: AbortSignal,
): Promise<'pushed' | 'same'> {
  const { top: cwd, commit } = repo;
  const data = where(repo);
  const there = `refs/heads/${branch}`;
  const listed = await tryGit(cwd, ['ls-remote', '--', remote, there], { env: asksNobody, signal });
  if (listed instanceof Error) {
    throw new Refusal(
      'unavailable',
      `${remote} could not be asked (${withoutSecrets(listed.firstLine)}), and nothing was pushed: see that "git ls-remote ${remote}" works without asking, then accept with pr again.`,
      { data },
    );
  }
  // A pattern matches the ends of names too, as in refs/heads/x/refs/heads/<branch>.
  const lines = listed.stdout.toString('utf8').split('\n');
  const lease = lines.map((line) => line.split('\t')).find(([, name]) => name === there)?.[0] ?? '';
  if (lease === commit) return 'same';
  if (lease && !((await resolveCommit(cwd, lease)) && (await isAncestor(cwd, lease, commit)))) {
    throw new Refusal(
      'branch_exists',
      `${branch} on ${remote} has commits that this worktree lacks (${lease.slice(0, 10)}), and nothing is ever forced: run "git fetch ${remote} ${branch}", call update with from FETCH_HEAD, then accept with pr again. Nothing was pushed.`,
      { data },
    );
  }
  const sent = await send(cwd, { remote, there, lease, to: commit }, signal);
  if (sent === 'pushed') return 'pushed';
  if (sent === 'moved') {
    throw new Refusal(
      'busy',
      `${branch} on ${remote} moved just now: accept with pr again. Nothing was pushed.`,
      {
        data,
      },
    );
  }
  const next =
    sent.rejected === undefined ? `See that "git push ${remote}" works without asking` : 'Do what it says';
  throw new Refusal(
    'unavailable',
    `${remote} did not take ${branch} (${sent.reason}). Nothing was pushed. ${next}, then accept with pr again.`,
    { data },
  );
}
