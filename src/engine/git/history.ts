import { git } from './core.ts';
import { aheadBehind } from './refs.ts';

/** A commit as it is listed. */
export interface Commit {
  commit: string;
  subject: string;
  /** When it was committed, in ISO 8601. */
  at: string;
}

/** How a commit stands to the trunk. */
export interface Distance {
  ahead: number;
  behind: number;
  /** The newest of those the trunk lacks. */
  commits: Commit[];
}

/** How many of a worktree's own commits are listed. */
const MOST_COMMITS = 3;

interface Node extends Commit {
  parents: string[];
}

/** What is known of earlier calls, by repository: names of commits stand for their whole history. */
const known = new Map<string, Map<string, Distance>>();
const MOST_KNOWN = 100;

/**
 * How far each of these commits is from the trunk's, and the last it has alone: git is asked twice for all of them together, since a
 * git for each is what takes the time with many worktrees.
 */
export async function distancesFrom(
  cwd: string,
  trunk: string,
  heads: Iterable<string>,
  signal?: AbortSignal,
): Promise<Map<string, Distance>> {
  const asked = [...new Set(heads)].filter((head) => head !== trunk).sort();
  const none: Distance = { ahead: 0, behind: 0, commits: [] };
  const key = [cwd, trunk, ...asked].join(' ');
  const before = known.get(key);
  if (before) return before;
  const found = new Map<string, Distance>([[trunk, none]]);
  if (asked.length > 0) {
    const base = await commonBase(cwd, [trunk, ...asked], signal);
    if (base === undefined) {
      // Histories that have nothing in common would have to be read whole.
      for (const head of asked) found.set(head, { ...(await aheadBehind(cwd, trunk, head)), commits: [] });
    } else {
      const nodes = await readNodes(cwd, [trunk, ...asked], base, signal);
      const reached = reachable(nodes, trunk);
      for (const head of asked) found.set(head, distance(nodes, head, reached));
    }
  }
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, found);
  return found;
}

/** A commit that all of these have behind them; `undefined` where there is none. */
async function commonBase(
  cwd: string,
  commits: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const asking = ['merge-base', '--octopus', ...commits];
  const { stdout, code } = await git(cwd, asking, { ok: [0, 1], signal });
  return code === 0 ? stdout.toString('latin1').trim().split('\n')[0] : undefined;
}

async function readNodes(
  cwd: string,
  from: readonly string[],
  base: string,
  signal: AbortSignal | undefined,
): Promise<Map<string, Node>> {
  const format = '--format=%H%x00%P%x00%cI%x00%s';
  const { stdout } = await git(cwd, ['log', '--no-show-signature', '--no-color', '-z', format, '--stdin'], {
    stdin: `${[...from, `^${base}`].join('\n')}\n`,
    signal,
  });
  const fields = stdout.toString('utf8').split('\0');
  const nodes = new Map<string, Node>();
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [commit = '', parents = '', committed = '', subject = ''] = fields.slice(at, at + 4);
    nodes.set(commit, { commit, parents: parents.split(' ').filter(Boolean), at: committed, subject });
  }
  return nodes;
}

/** What can be reached from a commit without leaving what was read, in the order of the walk. */
function reachable(nodes: ReadonlyMap<string, Node>, from: string): Set<string> {
  const seen = new Set<string>();
  const next = [from];
  for (let commit = next.pop(); commit !== undefined; commit = next.pop()) {
    const node = nodes.get(commit);
    if (!node || seen.has(commit)) continue;
    seen.add(commit);
    next.push(...node.parents);
  }
  return seen;
}

function distance(nodes: ReadonlyMap<string, Node>, head: string, trunk: ReadonlySet<string>): Distance {
  const own = reachable(nodes, head);
  const ahead = [...own].filter((commit) => !trunk.has(commit));
  const shared = own.size - ahead.length;
  const listed = ahead
    .map((commit) => nodes.get(commit) as Node)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, MOST_COMMITS);
  return {
    ahead: ahead.length,
    behind: trunk.size - shared,
    commits: listed.map(({ commit, subject, at }) => ({ commit, subject, at })),
  };
}
