import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../git/core.ts';
import { listRefs } from '../git/refs.ts';
import { RECOVERED, recoveryRef, timeIn } from '../repository/recovered.ts';

/** More ids than this are those of a repository's life, and all but the newest are reached by something else. */
const MOST_IDS = 2_000;

/** A file of ids that is larger than this is none of git's. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The commits that go with a worktree's git directory: those that only its HEAD's reflog, its own refs (`refs/worktree/`,
 * `refs/bisect/`, `refs/rewritten/`) or files such as `ORIG_HEAD` reach, and no ref of the repository does. Only tips are
 * named: what they descend from comes with them. `from` is a checkout that stays.
 */
export async function leftCommits(from: string, gitDir: string): Promise<string[]> {
  const ids = await idsIn(gitDir);
  if (ids.length === 0) return [];
  const args = [
    'rev-list',
    '--ignore-missing',
    '--parents',
    ...ids,
    '--not',
    '--single-worktree',
    // One that keeps them already lets them go one day.
    `--exclude=${RECOVERED}*`,
    '--all',
    '--',
  ];
  const { stdout } = await git(from, args);
  const lines = stdout.toString('latin1').split('\n').filter(Boolean);
  const commits = lines.map((line) => line.split(' '));
  const parents = new Set(commits.flatMap(([, ...rest]) => rest));
  return commits.flatMap(([id = '']) => (parents.has(id) ? [] : [id]));
}

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

/** Every object id in the small files of a worktree's git directory; submodules' repositories and indexes apart. */
async function idsIn(gitDir: string): Promise<string[]> {
  const found = new Set<string>();
  for (const file of await filesIn(gitDir)) {
    const text = await readFile(file, 'latin1');
    if (text.length > MOST_BYTES) continue;
    for (const [id] of text.matchAll(idPattern)) if (!/^0+$/.test(id)) found.add(id);
  }
  return [...found].slice(-MOST_IDS);
}

async function filesIn(dir: string, top = true): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const below = entries.map(async (entry): Promise<string[]> => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return top && entry.name === 'modules' ? [] : filesIn(path, false);
    return entry.isFile() && !/^(?:index|sharedindex\.|discern-vscode\.)/.test(entry.name) ? [path] : [];
  });
  return (await Promise.all(below)).flat();
}
