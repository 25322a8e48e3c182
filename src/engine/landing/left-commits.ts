import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitLine } from '../git/core.ts';
import { commitTree } from '../git/merge.ts';
import { identity } from '../git/own-author.ts';
import { listRefs } from '../git/refs.ts';
import { RECOVERED, recoveryRef, timeIn } from '../repository/recovered.ts';

/** More tips than this are kept by one commit that has them as its parents. */
const MOST_REFS = 20;

/** More parents than this are more than one command line may name. */
const MOST_PARENTS = 1_000;

/**
 * What goes with a worktree's git directory: the commits that only its HEAD's reflog, its own refs (`refs/worktree/`,
 * `refs/bisect/`, `refs/rewritten/`) or files such as `ORIG_HEAD` reach and no ref of the repository does, and other objects that
 * its own refs name. Only tips are named: what they descend from comes with them. `from` is a checkout that stays.
 */
export async function leftCommits(from: string, gitDir: string): Promise<string[]> {
  const files = await filesIn(gitDir);
  const ids = await idsIn(files);
  if (ids.length === 0) return [];
  const args = [
    'rev-list',
    '--ignore-missing',
    '--parents',
    '--stdin',
    '--not',
    '--single-worktree',
    // One that keeps them already lets them go one day.
    `--exclude=${RECOVERED}*`,
    '--all',
  ];
  const { stdout } = await git(from, args, { stdin: ids.map((id) => `${id}\n`).join('') });
  const lines = stdout.toString('latin1').split('\n').filter(Boolean);
  const commits = lines.map((line) => line.split(' '));
  const parents = new Set(commits.flatMap(([, ...rest]) => rest));
  const tips = commits.flatMap(([id = '']) => (parents.has(id) ? [] : [id]));
  const hasRefs = files.some((file) => file.startsWith(join(gitDir, 'ref')));
  const others = hasRefs ? await otherObjects(from, gitDir) : [];
  return [...(tips.length > MOST_REFS ? [await joined(from, tips)] : tips), ...others];
}

/** A commit that only has others as its parents; the same for the same ones. */
async function joined(from: string, tips: readonly string[]): Promise<string> {
  if (tips.length > MOST_PARENTS) {
    const parts: string[] = [];
    for (let at = 0; at < tips.length; at += MOST_PARENTS)
      parts.push(await joined(from, tips.slice(at, at + MOST_PARENTS)));
    return joined(from, parts);
  }
  const tree = await gitLine(from, ['hash-object', '-t', 'tree', '-w', '--stdin'], { stdin: '' });
  return commitTree(from, tree, tips, `${tips.length} commits that only a removed worktree reached\n`, kept);
}

/**
 * The objects other than commits that a worktree's own refs name: a tag as it is, and a file or directory in a commit of ours,
 * so that a branch can be made of each.
 */
async function otherObjects(from: string, gitDir: string): Promise<string[]> {
  const format = '--format=%(objecttype) %(objectname) %(refname)';
  const own = ['refs/worktree/', 'refs/bisect/', 'refs/rewritten/'];
  const { stdout } = await git(from, ['for-each-ref', format, '--', ...own], { env: { GIT_DIR: gitDir } });
  const found: string[] = [];
  for (const line of stdout.toString('utf8').split('\n').filter(Boolean)) {
    const [type = '', id = '', ...name] = line.split(' ');
    if (type === 'tag') found.push(id);
    if (type !== 'blob' && type !== 'tree') continue;
    const mode = type === 'blob' ? '100644 blob' : '040000 tree';
    const entry = `${mode} ${id}\t${name.join(' ').split('/').at(-1)}\n`;
    const tree = await gitLine(from, ['mktree'], { stdin: entry });
    found.push(await commitTree(from, tree, [], `${name.join(' ')} of a removed worktree\n`, kept));
  }
  return found;
}

/** With no time of its own, so that what is kept once more is the same commit. */
const kept = { ...identity, GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' };

/** Keeps commits under recovery refs, all or none; resolves with the refs. Keeping one twice changes nothing. */
export async function keepCommits(from: string, name: string, commits: readonly string[]): Promise<string[]> {
  if (commits.length === 0) return [];
  const known = await listRefs(from, [RECOVERED]);
  const kept = commits.map((id) => {
    const end = `left-${id.slice(0, 10)}`;
    const same = known.find((one) => one.commit === id && isFresh(one.name, name, end));
    return { id, ref: same?.name ?? recoveryRef(name, end) };
  });
  const stdin = kept.map(({ id, ref }) => `update ${ref} ${id}\n`).join('');
  const why = 'discern: only a removed worktree reached it';
  await git(from, ['update-ref', '--create-reflog', '-m', why, '--stdin'], { stdin });
  return kept.map(({ ref }) => ref);
}

/** How long a removal that is done once more after a kill takes what it had kept for its own, in milliseconds. */
const SAME_MS = 60 * 60 * 1000;

function isFresh(ref: string, name: string, end: string): boolean {
  if (!ref.startsWith(`${RECOVERED}${name}-`) || !ref.endsWith(`-${end}`)) return false;
  return Date.now() - (timeIn(ref) ?? 0) < SAME_MS;
}

const idPattern = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;

/** Every object id in the files of a worktree's git directory; submodules' repositories and indexes apart. */
async function idsIn(files: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (let at = 0; at < files.length; at += MOST_OPEN)
    await Promise.all(files.slice(at, at + MOST_OPEN).map((file) => addIdsIn(file, found)));
  return [...found];
}

/** How many files are read at once. */
const MOST_OPEN = 8;

async function addIdsIn(file: string, found: Set<string>): Promise<void> {
  let rest = '';
  // A reflog may be of any size.
  for await (const chunk of createReadStream(file, { encoding: 'latin1', highWaterMark: CHUNK })) {
    const text = rest + chunk;
    for (const [id] of text.matchAll(idPattern)) if (!/^0+$/.test(id)) found.add(id);
    rest = text.slice(-LONGEST);
  }
}

/** How much of a file is read at once, and how long an id is at most, with what stands before it; in bytes. */
const CHUNK = 1024 * 1024;
const LONGEST = 65;

async function filesIn(dir: string, top = true): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const below = entries.map(async (entry): Promise<string[]> => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return top && entry.name === 'modules' ? [] : filesIn(path, false);
    return entry.isFile() && !/^(?:index|sharedindex\.|discern-vscode\.)/.test(entry.name) ? [path] : [];
  });
  return (await Promise.all(below)).flat();
}
