import { readFile } from 'node:fs/promises';
import { Refusal } from '../call/refusal.ts';
import { configFile } from '../config/index.ts';
import { point } from '../faults/faults.ts';
import { stateDir } from '../files/files.ts';
import { git, gitLine } from '../git/core.ts';
import { commitForPerson, fastForward } from '../git/merge.ts';
import { writeTree } from '../git/write-tree.ts';
import { type Repository, where } from '../repository/repository.ts';
import { withPrivateIndex } from '../state/private-index.ts';
import { withLimits } from './edit.ts';

/** A limit that is tightened. */
export interface Pin {
  name: string;
  from: number;
  to: number;
}

/**
 * Commits tighter limits, and nothing but these numbers in `discern.toml`. The commit is made in the object store, with an
 * index of its own, and the checkout then moves forward to it: killed before that, nothing has changed. Resolves with the
 * commit. Refuses `dirty_worktree` when the file on disk is not what HEAD has, and `busy` when the checkout cannot follow.
 */
export async function commitPins(repo: Repository, pins: readonly Pin[]): Promise<string> {
  const file = repo.prefix ? `${repo.prefix}/${configFile}` : configFile;
  const text = await readFile(repo.config.path, 'utf8');
  const entry = await committedEntry(repo, file, text);
  const edited = withLimits(text, new Map(pins.map(({ name, to }) => [name, to])));
  const blob = await hashObject(repo, file, edited);
  const tree = await treeWith(repo, `${entry.mode},${blob},${file}`);
  const commit = await commitForPerson(repo.top, tree, [repo.commit], commitMessage(pins));
  await point('pin.committed');
  const moved = await fastForward(repo.top, commit, repo.branch);
  if (moved !== 'moved') {
    throw new Refusal(
      'busy',
      `${repo.top} could not move forward to the pinned limits: ${moved.why.message}. Nothing was changed; call again.`,
      { data: where(repo) },
    );
  }
  await point('pin.moved');
  return commit;
}

/** What HEAD has at the config's path, which must be a plain file with this text. */
async function committedEntry(repo: Repository, file: string, text: string): Promise<{ mode: string }> {
  const line = await gitLine(repo.top, ['--literal-pathspecs', 'ls-tree', repo.commit, '--', file]);
  // "<mode> blob <id>\t<path>"
  const [mode = '', , id = ''] = line.split(/[ \t]/);
  if (!mode.startsWith('100')) {
    throw new Refusal(
      'dirty_worktree',
      `${configFile} is not a file in HEAD, so its limits cannot be pinned: commit it as a plain file first.`,
      { data: where(repo) },
    );
  }
  if ((await hashObject(repo, file, text)) !== id) {
    throw new Refusal(
      'dirty_worktree',
      `${configFile} differs from what HEAD has: commit or discard the change, then pin again.`,
      { data: where(repo) },
    );
  }
  return { mode };
}

/** Writes a text as git would store it at that path, line ends and filters included. */
function hashObject(repo: Repository, file: string, text: string): Promise<string> {
  return gitLine(repo.top, ['hash-object', '-w', '--stdin', `--path=${file}`], { stdin: text });
}

/** HEAD's tree with one entry replaced. */
async function treeWith(repo: Repository, cacheInfo: string): Promise<string> {
  return withPrivateIndex(stateDir(repo.commonDir), 'pin', async (env) => {
    await git(repo.top, ['read-tree', repo.commit], { env });
    await git(repo.top, ['update-index', '--cacheinfo', cacheInfo], { env });
    return writeTree(repo.top, env);
  });
}

function commitMessage(pins: readonly Pin[]): string {
  const [only] = pins;
  const subject =
    only && pins.length === 1 ? `Pin the standard ${only.name}` : `Pin ${pins.length} standards`;
  const lines = pins.map(({ name, from, to }) => `${name}: limit ${from} -> ${to}`);
  return `${subject}\n\n${lines.join('\n')}\n`;
}
