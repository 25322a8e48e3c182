import { git, gitLine } from '../git/core.ts';
import type { Author } from '../git/merge.ts';

/** A branch's work, merged with the trunk: whatever way it lands, this is the tree. */
export interface Work {
  /** The trunk's commit it is merged with. */
  base: string;
  /** The branch's commit. */
  head: string;
  tree: string;
  /** Commits of the branch whose work is on the trunk already, squashed or rebased. */
  landed: readonly string[];
}

/** What git knows of one commit's making. */
export interface Written {
  author: Required<Author>;
  message: string;
}

/** The work's own commits, the oldest first, each as its id and those of its parents. */
export async function ownCommits(cwd: string, { base, head, landed }: Omit<Work, 'tree'>): Promise<string[]> {
  const without = [base, ...landed].map((one) => `^${one}`);
  const list = ['rev-list', '--reverse', '--topo-order', '--parents', '--no-merges', head, ...without, '--'];
  return (await gitLine(cwd, list)).split('\n').filter(Boolean);
}

/** Who wrote each commit, and what they said of it. */
export async function authorsOf(cwd: string, commits: readonly string[]): Promise<Written[]> {
  const found: Written[] = [];
  for (const commit of commits) {
    const format = '--format=%an%x00%ae%x00%ad%x00%B';
    const { stdout } = await git(cwd, [
      'log',
      '--max-count=1',
      '--no-show-signature',
      '--no-color',
      '--date=raw',
      format,
      commit,
      '--',
    ]);
    const [name = '', email = '', date = '', ...message] = stdout.toString('utf8').split('\0');
    found.push({ author: { name, email, date }, message: message.join('\0').replace(/\n$/, '') });
  }
  return found;
}
