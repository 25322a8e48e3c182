import type { LandingWay } from '../../contract/settings.ts';
import { commitForPerson } from '../git/merge.ts';
import { isAncestor, treeOf } from '../git/refs.ts';
import type { Repository } from '../repository/repository.ts';
import { authorsOf, ownCommits, type Work } from '../repository/work.ts';
import { replay } from './replay.ts';

/**
 * The commit that the trunk is to move to: the work's tree, in as many commits as the way it lands makes of it. Where the branch's
 * own commit is just that, it is the branch's own. Nothing is moved. Refuses `merge_conflict` where commits cannot be made anew one
 * by one, and `unavailable` where they cannot be signed.
 */
export async function commitLanding(
  repo: Repository,
  work: Work,
  how: LandingWay,
  trunk: string,
): Promise<string> {
  const { base, head, tree } = work;
  const { top: cwd } = repo;
  const bringsNothing = async () => tree === (await treeOf(cwd, base));
  const branch = repo.branch ?? head.slice(0, 10);
  switch (how) {
    case 'ff':
      if (await isAncestor(cwd, base, head)) return head;
      return commitForPerson(cwd, tree, [head, base], `Merge ${trunk} into ${branch}\n`);
    case 'merge':
      if (base === head) return head;
      return commitForPerson(cwd, tree, [base, head], `Merge branch '${branch}'\n`);
    case 'squash':
      return (await bringsNothing()) ? base : squash(cwd, work, branch);
    case 'rebase':
      return (await bringsNothing()) ? base : replay(repo, work);
  }
}

/** One commit of all: what one commit is already stays that one. */
async function squash(cwd: string, work: Work, branch: string): Promise<string> {
  const { base, head, tree } = work;
  const commits = await ownCommits(cwd, work);
  const [only = ''] = commits;
  if (commits.length === 1 && only === `${head} ${base}`) return head;
  const written = await authorsOf(
    cwd,
    commits.map((line) => line.split(' ')[0] ?? ''),
  );
  const [first] = written;
  const others = new Map(written.map(({ author }) => [author.email, author]));
  if (first) others.delete(first.author.email);
  const trailers = [...others.values()]
    .map(({ name, email }) => `Co-authored-by: ${name} <${email}>\n`)
    .join('');
  const single = written.length === 1 ? first?.message.trimEnd() : undefined;
  const subjects = written.map(({ message }) => `* ${message.split('\n')[0]}`).join('\n');
  const message = single ? `${single}\n` : `Land ${branch}\n\n${subjects}\n`;
  const author = first && { name: first.author.name, email: first.author.email };
  return commitForPerson(cwd, tree, [base], trailers ? `${message}\n${trailers}` : message, author);
}
