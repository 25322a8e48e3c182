import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../contract/data.ts';
import { exists, stateDir } from '../files.ts';
import { gitLine } from '../git/core.ts';
import { listRefs } from '../git/refs.ts';
import { gitDirOf } from '../git-dir.ts';
import { distrustedProving } from '../init/prove.ts';
import { lockHolders } from '../lock.ts';
import type { Repository } from '../repository.ts';
import { vanishedFindings } from '../worktree/reclaim.ts';
import { unreadableJournal } from '../wreckage/journal.ts';
import { distrustedRemovals } from '../wreckage/removals.ts';
import { unfinished } from '../wreckage/unfinished.ts';
import { PRUNE } from '../wreckage/wreck.ts';
import { fine, warn } from './finding.ts';

/** More branches than this are counted, not named. */
const MOST_BRANCHES = 10;
/** git holds its index lock for moments; one this old, in milliseconds, was left by a git that was killed. */
const OLD_LOCK_MS = 10 * 60 * 1000;

/** What interrupted runs left behind. Only looks: `status` is what mends. */
export async function state(repo: Repository): Promise<Finding[]> {
  const found = (
    await Promise.all([
      interrupted(repo),
      locks(repo),
      goneWorktrees(repo),
      orphanBranches(repo),
      vanished(repo),
      distrusted(repo),
    ])
  ).flat();
  return found.some(({ level }) => level !== 'ok')
    ? found
    : [fine('state', 'Nothing was left behind by an interrupted run.'), ...found];
}

async function interrupted(repo: Repository): Promise<Finding[]> {
  const { found } = await unfinished(repo);
  return found.map(({ what, next }) => warn('state', what, `discern status ${next}.`));
}

/** Records where ours would be that this user has not written here. */
async function distrusted(repo: Repository): Promise<Finding[]> {
  const found = await Promise.all([
    unreadableJournal(repo),
    distrustedProving(repo.commonDir),
    distrustedRemovals(repo),
  ]);
  return found.flat().map(({ what, remedy }) => warn('state', what, remedy));
}

/** Resources of worktrees that are gone. */
async function vanished(repo: Repository): Promise<Finding[]> {
  return (await vanishedFindings(repo)).map(({ what, remedy }) => warn('state', what, remedy));
}

async function locks(repo: Repository): Promise<Finding[]> {
  const held = await lockHolders(join(stateDir(repo.commonDir), 'locks'));
  const indexes = await Promise.all(
    repo.worktrees.map(async ({ path, bare }) => {
      const gitDir = bare ? repo.commonDir : ((await gitDirOf(path)) ?? repo.commonDir);
      const file = join(gitDir, 'index.lock');
      const found = await stat(file).catch(() => undefined);
      return found && Date.now() - found.mtimeMs > OLD_LOCK_MS ? [file] : [];
    }),
  );
  return [
    ...held.map(({ purpose, pid, alive, file }) =>
      alive
        ? fine('locks', `${purpose} is running in process ${pid}.`)
        : fine(
            'locks',
            `${file} was left by process ${pid}, which is gone; whoever needs it next takes it over.`,
          ),
    ),
    ...[...new Set(indexes.flat())].map((file) =>
      warn(
        'locks',
        `${file} is old: a git that was killed left it, and git refuses to work there.`,
        `rm '${file}'`,
      ),
    ),
  ];
}

async function goneWorktrees({ worktrees, top }: Repository): Promise<Finding[]> {
  const gone = worktrees.filter(({ prunable }) => prunable !== undefined);
  const unlocked = await Promise.all(
    worktrees.map(async (tree) => ({ tree, there: tree.bare || (await exists(tree.path)) })),
  );
  const lost = unlocked.filter(({ tree, there }) => !there && tree.prunable === undefined);
  return [
    ...gone.map(({ path }) => warn('worktrees', `${path} is gone, and git still lists it.`, PRUNE)),
    ...lost.map(({ tree: { path } }) =>
      warn(
        'worktrees',
        `${path} is gone, and locked, so git keeps its entry.`,
        `git -C ${top} worktree unlock ${path}, then git worktree prune.`,
      ),
    ),
  ];
}

/** Branches that were made for a piece of work and have no checkout any more. */
async function orphanBranches(repo: Repository): Promise<Finding[]> {
  const prefix = repo.config.config.repository.branch_prefix;
  if (!prefix.endsWith('/') || !repo.trunk) return [];
  const used = new Set(repo.worktrees.map(({ branch }) => branch));
  const all = (await listRefs(repo.top, [`refs/heads/${prefix}`])).map(({ name }) => name);
  const orphans = all.filter((name) => !used.has(name));
  if (orphans.length === 0) return [];
  const merged = new Set(
    (
      await gitLine(repo.top, [
        'for-each-ref',
        '--format=%(refname)',
        `--merged=${repo.trunk.commit}`,
        `refs/heads/${prefix}`,
      ])
    ).split('\n'),
  );
  const shown = orphans.slice(0, MOST_BRANCHES).map((ref) => {
    const name = ref.replace('refs/heads/', '');
    return merged.has(ref)
      ? warn('branches', `${name} has no worktree, and nothing ${repo.trunk?.name} lacks.`, PRUNE)
      : warn(
          'branches',
          `${name} has no worktree, and commits that ${repo.trunk?.name} lacks.`,
          `Look at them: git log ${repo.trunk?.name}..${name}. Then git worktree add <directory> ${name}, or git branch -D ${name}.`,
        );
  });
  const more = orphans.length - shown.length;
  return more > 0
    ? [
        ...shown,
        warn(
          'branches',
          `${more} more branches under ${prefix} have no worktree.`,
          `git branch --list '${prefix}*'`,
        ),
      ]
    : shown;
}
