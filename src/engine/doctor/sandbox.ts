import { realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Finding } from '../../contract/data.ts';
import { isInside } from '../../contract/inside.ts';
import { parseTree, type TableNode } from '../config/tree.ts';
import { readBounded } from '../files/bounded-file.ts';
import { git } from '../git/core.ts';
import { at, namesAt, stringsAt, textAt } from '../init/toml-values.ts';
import type { Repository } from '../repository/repository.ts';
import { CONFIG_FILE } from '../repository/root.ts';
import { homeCheckout, worktreesDir } from '../worktree/place.ts';
import { fine, warn } from './finding.ts';

const MOST_BYTES = 1024 * 1024;
const CHECK = 'sandbox';

/**
 * Whether a client that works in a sandbox may write where `start` makes worktrees. Looked at where Codex's own settings name
 * our server and its sandbox lets it write at all: `workspace-write`, which is also what it takes for a trusted folder when
 * nothing is said. (Codex, "Configuration": `sandbox_mode`, `[sandbox_workspace_write]`.)
 */
export async function sandbox(repo: Repository): Promise<Finding[]> {
  const path = join(process.env.CODEX_HOME || join(homedir(), '.codex'), 'config.toml');
  const read = await readBounded(path, MOST_BYTES);
  const tree = read !== undefined && 'text' in read ? parseTree(read.text) : undefined;
  // What cannot be read is told by the look at the hosts.
  if (tree === undefined || !('root' in tree)) return [];
  const { root } = tree;
  if (!namesAt(root, 'mcp_servers').includes('discern')) return [];
  if ((textAt(root, 'sandbox_mode') ?? 'workspace-write') !== 'workspace-write') return [];

  const home = homeCheckout(repo);
  const dir = worktreesDir(repo);
  const [real, ...open] = await Promise.all([dir, home, ...writable(root)].map(resolved));
  if (real === undefined) return [];
  if (open.some((one) => real === one || isInside(real, one))) {
    return [fine(CHECK, `Codex's sandbox may write ${dir}, where worktrees are made.`)];
  }
  const offered = await ignoredIn(home);
  const inside = offered
    ? `[worktree] root = "${offered}" in ${CONFIG_FILE}, which git ignores already`
    : `[worktree] root = ".worktrees" in ${CONFIG_FILE} and the line /.worktrees/ in .gitignore`;
  return [
    warn(
      CHECK,
      `Codex's sandbox may not write ${dir}, where worktrees are made: its agent can edit nothing there.`,
      `Either in ${path}, under [sandbox_workspace_write]: writable_roots = ${JSON.stringify([...stringsAt(root, 'sandbox_workspace_write', 'writable_roots'), dir])}; or make them inside the repository: ${inside}. Commits are discern_commit's either way.`,
    ),
  ];
}

/** What `workspace-write` opens beside the directory Codex is launched in. */
function writable(root: TableNode): string[] {
  const table = 'sandbox_workspace_write';
  const excludes = (name: string) => {
    const node = at(root, table, name);
    return node?.kind === 'boolean' && node.value === true;
  };
  return [
    ...stringsAt(root, table, 'writable_roots').filter(isAbsolute),
    ...(excludes('exclude_slash_tmp') || process.platform === 'win32' ? [] : ['/tmp']),
    ...(excludes('exclude_tmpdir_env_var') || !process.env.TMPDIR ? [] : [tmpdir()]),
  ];
}

const resolved = (path: string) => realpath(path).catch(() => path);

/** A folder for worktrees that git ignores in this repository as it is; nothing where there is none. */
async function ignoredIn(home: string): Promise<string | undefined> {
  const names = ['.worktrees', 'worktrees', '.trees', '.claude/worktrees', '.discern/worktrees'];
  const { stdout } = await git(home, ['check-ignore', '-z', '--stdin'], {
    stdin: names.map((name) => `${name}/x\0`).join(''),
    // 1: none is.
    ok: [0, 1],
  });
  const ignored = stdout.toString().split('\0');
  return names.find((name) => ignored.includes(`${name}/x`));
}
