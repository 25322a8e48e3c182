import { randomBytes } from 'node:crypto';
import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { exists, stateDir } from '../files/files.ts';
import { worktreesNamed } from '../fleet/named-worktree.ts';
import { treeDifference } from '../git/diff.ts';
import { logOneline } from '../git/refs.ts';
import { branchOf, type WorktreeEntry } from '../git/worktree.ts';
import { recoverRemovals } from '../landing/interrupted-removals.ts';
import { deleteBranch, goneHints, namedIgnored, removeCheckout, trashFor } from '../landing/retire.ts';
import { keepForRecovery } from '../landing/snapshot.ts';
import { resourcesOf } from '../landing/tear-down.ts';
import { cleanAt, inTheWay, takeStock } from '../removal/stock.ts';
import { lockCheckout } from '../repository/checkout.ts';
import { asksPerson, requireWord } from '../repository/consent.ts';
import { isLanded, landedBelow } from '../repository/landed.ts';
import { isHomeEntry, openRepository, type Repository, rootIn, where } from '../repository/repository.ts';
import { madeOwnDir } from '../state/own-dir.ts';
import { PRUNE } from '../state/remedies.ts';
import { shellWord } from '../words/shell-word.ts';
import { gitDirOf } from '../worktree/identity.ts';
import { holdings } from '../worktree/inspect.ts';
import { leavingAdvice } from '../worktree/moving.ts';
import { unparkWith } from '../worktree/parked.ts';
import { findVanishedBy } from '../worktree/reclaim.ts';
import { clearVanished, tearDown, withTeardown } from './drop-resources.ts';

interface Target {
  entry: WorktreeEntry;
  branch: string | null;
  /** Empty before the first commit. */
  head: string;
  /** Uncommitted paths and unlanded commits, in words. */
  lost: string[];
  /** What git ignores, which nothing keeps. */
  ignored: string[];
  gitDir: string;
}

/**
 * Removes a worktree without landing it. Refuses `dirty_worktree` while it holds uncommitted or unlanded work, unless
 * `force`; then everything in it is kept under a recovery ref first. Work inside its submodules can not be kept, and is
 * refused even then. Refuses `locked_worktree`, and to drop the main or landing checkout (`not_in_worktree`).
 */
export async function drop(root: string, args: Args<'drop'>, ctx: Context): Promise<Result<'drop'>> {
  const repo = await openRepository(root, ctx.signal);
  const vanished = await findVanishedBy(repo, args.worktree);
  const asks = args.force && !args.dry_run && (await asksPerson(repo, 'drop', ctx));
  const branchToo = args.delete_branch ? ', and delete its branch' : '';
  if (vanished && asks) {
    const question = `Drop ${args.worktree}, whose directory is gone${branchToo}?`;
    requireWord(repo, { verb: 'drop', subject: [repo.commonDir, args.worktree, branchToo], question }, ctx);
  }
  if (vanished) return clearVanished(repo, vanished, args, ctx);
  const entry = await findWorktree(repo, args.worktree, ctx);
  // An earlier drop may have been cut off when it had moved the directory away.
  if (!args.dry_run && !(await exists(entry.path))) await recoverRemovals(repo, ctx);
  const gitDir = await gitDirOf(entry.path);
  if (gitDir === undefined) {
    throw new Refusal(
      'path_not_found',
      `${entry.path} is gone or no longer a checkout: run "${PRUNE}" to let git forget it.`,
      { data: where(repo) },
    );
  }
  const lock = await lockCheckout(repo, { top: entry.path, gitDir }, 'a drop', ctx, 0);
  try {
    const target = await examine(repo, entry, gitDir);
    if (target.lost.length > 0 && !args.force) {
      throw new Refusal(
        'dirty_worktree',
        `Dropping ${entry.path} would lose ${target.lost.join('; ')}. Land it with accept, or drop it with force: that keeps it under a recovery ref.`,
        { data: { ...where(repo), worktree: entry.path, lost: target.lost } },
      );
    }
    if (args.dry_run) return preview(repo, target, args, await resourcesOf(repo.commonDir, entry.path));
    if (ctx.signal.aborted) throw new Refusal('cancelled', 'drop was cancelled; nothing was removed.');
    if (asks) {
      const { lost, head } = target;
      const losing = lost.length > 0 ? ` It holds ${lost.join('; ')}; a recovery ref keeps that.` : '';
      const question = `Drop ${entry.path} by force${branchToo}?${losing}`;
      requireWord(repo, { verb: 'drop', subject: [entry.path, head, branchToo, ...lost], question }, ctx);
    }
    const teardown = await tearDown(repo, entry.path, args, ctx);
    const answer = withTeardown(await remove(repo, target, args), teardown);
    const home = answer.data?.root ?? repo.root;
    if (ctx.client === 'terminal') return answer;
    return { ...answer, hints: [...(answer.hints ?? []), leavingAdvice(ctx.client, home)] };
  } finally {
    await lock.release();
  }
}

/** The one worktree that goes by `name`, as every verb takes it; of one whose directory is gone, its branch or path. */
async function findWorktree(repo: Repository, name: string, ctx: Context): Promise<WorktreeEntry> {
  const named = name.trim() === '' ? [] : await worktreesNamed(repo, name, ctx, repo.worktrees);
  const away = named.find(({ parked }) => parked)?.parked;
  if (away) {
    throw new Refusal(
      'locked_worktree',
      `${away.path} is parked, with everything in it: ${unparkWith(away)}, then drop it.`,
      { data: where(repo) },
    );
  }
  const there = named.flatMap(({ entry }) => entry ?? []);
  const others = repo.worktrees.filter((one) => !one.bare && !there.includes(one));
  const found = [
    ...there,
    ...others.filter((one) => [one.path, rootIn(repo, one.path), branchOf(one)].includes(name)),
  ];
  const [entry, other] = found;
  if (!entry) throw notFound(repo, name);
  if (other) {
    throw new Refusal(
      'ambiguous_ref',
      `"${name}" may be ${found.map((one) => one.path).join(' or ')}: name the one to drop by its path.`,
      { data: where(repo) },
    );
  }
  if (isHomeEntry(repo, entry)) {
    throw new Refusal(
      'not_in_worktree',
      `${entry.path} is the repository's own checkout, which is never dropped: name a worktree.`,
      { data: where(repo) },
    );
  }
  if (entry.locked !== undefined) {
    throw new Refusal(
      'locked_worktree',
      `${entry.path} is locked${entry.locked ? ` (${entry.locked})` : ''}: run "git worktree unlock ${shellWord(entry.path)}" if that is over.`,
      { data: where(repo) },
    );
  }
  return entry;
}

function notFound(repo: Repository, name: string): Refusal {
  const known = repo.worktrees
    .filter((entry) => !isHomeEntry(repo, entry))
    .map((entry) => branchOf(entry) ?? entry.path);
  return new Refusal(
    'path_not_found',
    `"${name}" is not a worktree of this repository; there ${known.length === 1 ? 'is' : 'are'}: ${known.join(', ') || 'none'}.`,
    { data: where(repo) },
  );
}

async function examine(repo: Repository, entry: WorktreeEntry, gitDir: string): Promise<Target> {
  const { path } = entry;
  const found = await takeStock({
    at: path,
    path,
    gitDir,
    changes: async () =>
      repo.trunk && entry.head ? treeDifference(repo.top, repo.trunk.commit, entry.head) : [],
  });
  const [first] = found.obstacles;
  if (first) {
    throw new Refusal(
      first.slug,
      `Dropping ${path} would lose what no recovery ref can keep: ${inTheWay(found.obstacles)}. Then drop it again. Nothing was removed.`,
      { data: { ...where(repo), worktree: path, lost: found.obstacles.map(({ what }) => what) } },
    );
  }
  const head = found.status.commit ?? '';
  const lost: string[] = [];
  const held = holdings(found);
  if (held !== undefined) lost.push(held);
  if (head && !(await isLanded(repo, head))) {
    const landed = repo.trunk ? await landedBelow(repo.top, repo.trunk.commit, head) : [];
    const commits = await logOneline(repo.top, repo.trunk?.commit, head, 20, landed);
    lost.push(`unlanded commits (${commits.join(', ')})`);
  }
  return {
    entry,
    branch: found.status.branch ?? null,
    head,
    lost,
    ignored: found.status.ignored ?? [],
    gitDir,
  };
}

function preview(
  repo: Repository,
  target: Target,
  args: Args<'drop'>,
  resources: readonly string[],
): Result<'drop'> {
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `Drop ${target.entry.path}`,
      steps: [
        ...(target.lost.length > 0
          ? [{ action: 'keep under a recovery ref', detail: target.lost.join('; ') }]
          : []),
        ...resources.map((detail) => ({ action: 'destroy', detail })),
        ...(target.ignored.length > 0
          ? [{ action: 'delete ignored files', detail: namedIgnored(target.ignored) }]
          : []),
        { action: 'remove', detail: target.entry.path },
        ...(args.delete_branch && target.branch ? [{ action: 'delete branch', detail: target.branch }] : []),
      ],
    },
    data: { ...where(repo), worktree: target.entry.path, lost: target.lost },
  };
}

async function remove(repo: Repository, target: Target, args: Args<'drop'>): Promise<Result<'drop'>> {
  const { entry, head, branch } = target;
  const { path } = entry;
  const home = stayingCheckout(repo, entry);
  const from = home?.path ?? repo.commonDir;
  const name = branch ?? (head.slice(0, 10) || 'unborn');
  let recoveryRef: string | undefined;
  await madeOwnDir(stateDir(repo.commonDir));
  const trash = trashFor(path, randomBytes(4).toString('hex'));
  const removal = { from, path, trash, repo };
  const gone = await removeCheckout(removal, async (found, at) => {
    if (target.lost.length === 0) return cleanAt(head, path)(found);
    if ((found.status.commit ?? '') !== head)
      return `${path} got new commits meanwhile, and they are still there`;
    const obstacle = inTheWay(found.obstacles);
    if (obstacle !== undefined) return obstacle;
    recoveryRef = await keepForRecovery(at, target.gitDir, stateDir(repo.commonDir), name, head);
    await point('drop.kept');
    return undefined;
  });
  const { removed, reason } = gone;
  if (!removed) {
    throw new Refusal('busy', `${reason ?? `${path} could not be removed`}. Nothing was removed.`, {
      data: { ...where(repo), worktree: path, worktree_removed: false, branch_deleted: false },
    });
  }
  await point('drop.removed');
  const kept = args.delete_branch && branch !== null ? await deleteBranch(removal, branch, head) : undefined;
  return {
    ok: true,
    data: {
      ...(await whereNow(repo, home)),
      worktree: path,
      worktree_removed: true,
      branch_deleted: args.delete_branch && branch !== null && kept === undefined,
      ...(recoveryRef && { recovery_ref: recoveryRef }),
      ...(target.lost.length > 0 && { lost: target.lost }),
    },
    hints: [
      ...(reason ? [`${reason}.`] : []),
      ...(kept ? [`The branch stays: ${kept}.`] : []),
      ...(recoveryRef ? [`What it held is kept: git log ${recoveryRef}`] : []),
      ...goneHints(gone),
    ],
    message: `Dropped ${path}${recoveryRef ? `; what it held is in ${recoveryRef}` : ''}.`,
  };
}

/** A checkout to go on from when `entry` is gone: where work lands, the main one, or any other. */
function stayingCheckout(repo: Repository, entry: WorktreeEntry): WorktreeEntry | undefined {
  const others = repo.worktrees.filter(
    (one) => one !== entry && !one.bare && one.prunable === undefined && one.head !== undefined,
  );
  return others.find((one) => one === repo.landing) ?? others[0];
}

/** A drop may remove the very checkout it was called from; then it speaks of the one to go on from. */
async function whereNow(
  repo: Repository,
  home: WorktreeEntry | undefined,
): Promise<ReturnType<typeof where>> {
  if (!home || (await exists(repo.root))) return where(repo);
  return {
    root: rootIn(repo, home.path),
    branch: branchOf(home) ?? null,
    commit: home.head ?? repo.commit,
  };
}
