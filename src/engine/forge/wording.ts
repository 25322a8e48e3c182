import { proofOf } from '../gate/proof.ts';
import { landedBelow } from '../repository/landed.ts';
import type { Repository, Trunk } from '../repository/repository.ts';
import { authorsOf, ownCommits } from '../repository/work.ts';
import { readNotes } from '../worktree/notes.ts';

/** Characters of the longest title, body and list of commits: forges take about these, and a command line holds them. */
const LONGEST_TITLE = 200;
const LONGEST_BODY = 20_000;
const MOST_COMMITS = 50;

/**
 * Title and body of a pull request, from the branch's commits and its proof. One commit speaks for itself; of several the worktree's title
 * is the title, else the first one's subject.
 */
export async function wordingOf(repo: Repository, trunk: Trunk): Promise<{ title: string; body: string }> {
  const { top, commit: head, commonDir, prefix } = repo;
  const base = trunk.commit;
  const landed = await landedBelow(top, base, head);
  const commits = await ownCommits(top, { base, head, landed });
  const shown = commits.slice(0, MOST_COMMITS).map((line) => line.split(' ')[0] ?? '');
  const messages = (await authorsOf(top, shown)).map(({ message }) => message);
  const [first = ''] = messages;
  const linked = repo.gitDir !== commonDir;
  const { notes } = await readNotes({ gitDir: repo.gitDir, commonDir, linked });
  const single = messages.length === 1;
  const title =
    (single ? subjectOf(first) : notes.title) || subjectOf(first) || repo.branch || head.slice(0, 10);
  const more = commits.length - shown.length;
  const list = messages.map((one) => `- ${subjectOf(one)}`).join('\n');
  const said = single ? first.split('\n').slice(1).join('\n').trim() : list;
  const parts = [
    ...(notes.description ? [notes.description] : []),
    said + (more > 0 ? `\n- and ${more} more` : ''),
    ...(notes.tickets ?? []).map(({ repo: name, number, url }) => `About ${url ?? `${name}#${number}`}.`),
  ].filter(Boolean);
  const proof = await proofWords(commonDir, head, prefix);
  return {
    title: title.slice(0, LONGEST_TITLE),
    body: `${parts.join('\n\n').slice(0, LONGEST_BODY)}\n\n${proof}`.trim(),
  };
}

const subjectOf = (message: string) => message.trimStart().split('\n')[0]?.trim() ?? '';

/** What the proof says, for whoever reads it elsewhere. */
async function proofWords(commonDir: string, head: string, prefix: string): Promise<string> {
  const proof = await proofOf(commonDir, head, prefix);
  if (!proof) return '';
  const jobs = proof.jobs.map(({ name, outcome, receipt }) => `${name} (${receipt ? 'reused' : outcome})`);
  return `The gate passed on ${head.slice(0, 10)} (tree ${proof.tree.slice(0, 10)}): ${jobs.join(', ') || 'no jobs'}.`;
}
