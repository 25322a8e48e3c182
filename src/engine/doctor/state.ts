import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../contract/data.ts';
import { exists, stateDir } from '../files/files.ts';
import { gitDirOf } from '../git/git-dir.ts';
import { listRefs } from '../git/refs.ts';
import { branchesInUse, mergedInto } from '../maintenance/branches.ts';
import { findLeftovers, type Leftovers } from '../maintenance/find.ts';
import type { Repository } from '../repository/repository.ts';
import { lockHolders } from '../state/lock-holder.ts';
import { shellWord } from '../words/shell-word.ts';
import { type Parked, parkedByPath, unparkWith } from '../worktree/parked.ts';
import { fine, warn } from './finding.ts';

/** More branches than this are counted, not named. */
const MOST_BRANCHES = 10;
/** git holds its index lock for moments; one this old, in milliseconds, was left by a git that was killed. */
const OLD_LOCK_MS = 10 * 60 * 1000;

/** What interrupted runs left behind. Only looks: `status` and `prune` clean up. */
export async function state(repo: Repository): Promise<Finding[]> {
  const [left, held] = await Promise.all([findLeftovers(repo), locks(repo)]);
  const { interrupted, leftovers, landing } = left;
  const found = [
    ...interrupted.map(({ what, next }) => warn('state', what, `discern status ${next}.`)),
    ...held,
    // A landing under way takes some of it away itself.
    ...(landing ? [] : leftovers.map(({ what, remedy }) => warn('state', what, remedy))),
    ...(await lockedAway(repo)),
    ...(await branchesAlone(repo, left)),
  ];
  return found.some(({ level }) => level !== 'ok')
    ? found
    : [fine('state', 'There are no leftovers of interrupted runs.'), ...found];
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

/** Worktrees that are locked, and not where git has them. */
async function lockedAway({ worktrees, top, commonDir }: Repository): Promise<Finding[]> {
  const there = await Promise.all(worktrees.map(({ bare, path }) => bare || exists(path)));
  const lost = worktrees.filter(({ prunable }, index) => !there[index] && prunable === undefined);
  const parked = lost.length > 0 ? await parkedByPath(commonDir) : new Map<string, Parked>();
  return lost.map(({ path }) => {
    const away = parked.get(path);
    if (away) return fine('worktrees', `${path} is parked since ${away.since}; ${unparkWith(away)}.`);
    return warn(
      'worktrees',
      `${path} is gone, and locked, so git keeps its entry.`,
      `git -C ${shellWord(top)} worktree unlock ${shellWord(path)}, then git worktree prune.`,
    );
  });
}

/**
 * Branches with the prefix of worktrees that no checkout has or will come back to, and that `prune` leaves alone: those with
 * work, and those nobody can say discern made.
 */
async function branchesAlone(repo: Repository, { interrupted, leftovers }: Leftovers): Promise<Finding[]> {
  const prefix = repo.config.config.repository.branch_prefix;
  if (!prefix.endsWith('/') || !repo.trunk) return [];
  const pruned = [...interrupted, ...leftovers].flatMap(({ frees, branch }) => [frees, branch]);
  const spokenFor = new Set([...pruned, ...(await branchesInUse(repo))]);
  const all = (await listRefs(repo.top, [`refs/heads/${prefix}`])).map(({ name }) => name);
  const alone = all.filter((name) => !spokenFor.has(name));
  if (alone.length === 0) return [];
  const merged = new Set(await mergedInto(repo.top, repo.trunk.commit, prefix));
  const shown = alone.slice(0, MOST_BRANCHES).map((ref) => {
    const name = ref.replace('refs/heads/', '');
    const word = shellWord(name);
    return merged.has(ref)
      ? warn(
          'branches',
          `${name} has no worktree, and nothing ${repo.trunk?.name} lacks.`,
          `git branch -d ${word}`,
        )
      : warn(
          'branches',
          `${name} has no worktree, and commits that ${repo.trunk?.name} lacks.`,
          `Look at them: git log ${repo.trunk?.name}..${word}. Then git worktree add <directory> ${word}, or git branch -D ${word}.`,
        );
  });
  const more = alone.length - shown.length;
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
