import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Result } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { Args } from '../../contract/verbs.ts';
import { oneLine } from '../../contract/visible.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { errnoOf } from '../files/errno.ts';
import { exists } from '../files/files.ts';
import { rememberMain } from '../git/main-place.ts';
import { createBranch, isAncestor } from '../git/refs.ts';
import { sharedWorkTree } from '../git/shared-settings.ts';
import { listChanges, readStatus, type TreeStatus } from '../git/status.ts';
import { addWorktree } from '../git/worktree.ts';
import { resolveRef } from '../repository/checkout.ts';
import {
  isHome,
  openRepository,
  type Repository,
  requireTrunk,
  rootIn,
  where,
} from '../repository/repository.ts';
import { CONFIG_FILE } from '../repository/root.ts';
import { behindWords, trunkBehind } from '../repository/upstream.ts';
import { inodeOf } from '../state/remove.ts';
import { shellWord } from '../words/shell-word.ts';
import type { CommandsResult, Order } from '../worktree/commands.ts';
import { identify } from '../worktree/identify.ts';
import { bring } from '../worktree/ignored/bring.ts';
import { type Wanted, wantedOf } from '../worktree/ignored/wanted.ts';
import { whileMarked } from '../worktree/mark.ts';
import { movingAdvice } from '../worktree/moving.ts';
import { newId, slugify } from '../worktree/name.ts';
import { homeCheckout, makeDirectories, worktreesDir } from '../worktree/place.ts';
import { reclaimVanished } from '../worktree/reclaim.ts';
import { opened, setUp } from '../worktree/set-up.ts';
import { ensureCommands, stepCommands } from '../worktree/setup.ts';
import { type Made, takeBack, tellLeft } from '../worktree/take-back.ts';

interface Target {
  id: string;
  branch: string;
  path: string;
  base: string;
  baseCommit: string;
  /** What the work is, as it was named. */
  title?: string;
}

/** Characters of a worktree's title. */
const LONGEST_TITLE = 120;

/**
 * Makes a worktree on a new branch for one piece of work, ready to use: environment, setup steps, ensures. A start that
 * fails, or is cancelled, takes back exactly what it made.
 *
 * Refuses `already_in_worktree`, `unknown_ref`, `ambiguous_ref`, `invalid_argument`, `branch_exists`, `path_exists`,
 * and `gate_failed` when a setup command fails.
 */
export async function start(root: string, args: Args<'start'>, ctx: Context): Promise<Result<'start'>> {
  const slug = slugify(args.name ?? 'work');
  const repo = await openRepository(root, ctx.signal);
  if (!isHome(repo)) {
    throw new Refusal(
      'already_in_worktree',
      `${repo.top} already is a worktree (${repo.branch ?? 'detached HEAD'}): work here, or start from ${homeAdvice(repo)}.`,
      { data: where(repo) },
    );
  }
  await requireOwnWorkTrees(repo);
  const base = args.from ?? requireTrunk(repo).name;
  const baseCommit = args.from === undefined ? requireTrunk(repo).commit : await resolveRef(repo, args.from);
  const title = args.name && oneLine(args.name.replace(/\s+/g, ' ').trim()).slice(0, LONGEST_TITLE);
  const target = { ...(await chooseTarget(repo, slug, base, baseCommit)), ...(title && { title }) };
  const along = await wantedOf(repo);
  const hints = [...(await beginsBehind(repo, baseCommit, ctx)), ...along.hints];
  if (args.dry_run) return { ...preview(repo, target, along.wanted), ...(hints.length > 0 && { hints }) };
  const known = { wanted: along.wanted, hints };
  return whileMarked(repo.commonDir, target.id, ctx, () => make(repo, target, known, ctx));
}

/** What to know of a trunk that is behind its upstream, where the new branch begins without what it lacks. */
async function beginsBehind(repo: Repository, baseCommit: string, ctx: Context): Promise<string[]> {
  const upstream = await trunkBehind(repo, ctx.signal);
  if (!upstream || !repo.trunk || (await isAncestor(repo.top, upstream.commit, baseCommit))) return [];
  return [
    `${behindWords(repo.trunk.name, upstream)} The new branch begins without that: to have it, run "${upstream.remedy}", then update.`,
  ];
}

/** Refuses `unavailable` where git would take one directory for the work tree of every checkout, a new one's too. */
async function requireOwnWorkTrees(repo: Repository): Promise<void> {
  const shared = await sharedWorkTree(repo.commonDir, repo.top);
  if (shared === undefined) return;
  const own = `git config --worktree core.worktree ${shellWord(shared)}`;
  throw new Refusal(
    'unavailable',
    `A new worktree would be none to git: extensions.worktreeConfig is on, and core.worktree in ${join(repo.commonDir, 'config')} holds for every checkout. Run "${own}" and "git config --local --unset core.worktree" in ${repo.top}, then call again.`,
    { data: where(repo) },
  );
}

function homeAdvice(repo: Repository): string {
  const home = homeCheckout(repo);
  if (home !== repo.top) return `${home} by naming it as path`;
  return `a checkout of ${repo.trunk?.name ?? 'the trunk'}, which you can make with "git worktree add <directory> ${repo.trunk?.name ?? '<trunk>'}"`;
}

async function chooseTarget(
  repo: Repository,
  slug: string,
  base: string,
  baseCommit: string,
): Promise<Target> {
  const dir = worktreesDir(repo);
  for (let attempt = 0; attempt < 5; attempt++) {
    const id = newId(slug);
    const path = join(dir, id);
    if (!(await exists(path))) {
      return { id, branch: `${repo.config.config.repository.branch_prefix}${id}`, path, base, baseCommit };
    }
  }
  throw new Refusal(
    'path_exists',
    `Every name tried under ${dir} is taken: call again, or with another name.`,
    {
      data: where(repo),
    },
  );
}

function preview(repo: Repository, target: Target, wanted: readonly Wanted[]): Result<'start'> {
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `Start ${target.id}`,
      steps: [
        {
          action: 'branch',
          detail: `${target.branch} at ${target.base} (${target.baseCommit.slice(0, 10)})`,
        },
        { action: 'worktree', detail: target.path },
        ...wanted.map(({ source, patterns }) => ({
          action: 'bring',
          detail: `ignored files that ${source} names: ${patterns.join(' ')}`,
        })),
        ...repo.config.config.worktree.resources.map(({ name, create }) => ({
          action: `worktree.resources.${name}`,
          detail: create,
        })),
        ...[...stepCommands(repo), ...ensureCommands(repo)].map(({ name, command }) => ({
          action: name,
          detail: command,
        })),
      ],
    },
    data: { ...where(repo), base: target.base, base_commit: target.baseCommit },
  };
}

async function make(
  repo: Repository,
  target: Target,
  known: { wanted: readonly Wanted[]; hints: readonly string[] },
  ctx: Context,
): Promise<Result<'start'>> {
  const reclaimed = await reclaimVanished(repo, ctx);
  const made: Made & Required<Pick<Made, 'brought' | 'wrote'>> = {
    directories: await makeDirectories(worktreesDir(repo)),
    branch: false,
    wrote: new Map(),
    brought: new Map(),
  };
  try {
    // Its git directory may not say where it lies, and the worktree's calls will want to know.
    if (!repo.linked && dirname(repo.commonDir) !== repo.top) await rememberMain(repo.commonDir, repo.top);
    await point('start.directories');
    await branchOff(repo, target);
    made.branch = true;
    await point('start.branched');
    // Any folder on the way may be a symlink, and roots are free of them.
    target.path = join(await realpath(worktreesDir(repo)), target.id);
    await claim(repo, target.path);
    made.checkout = (await inodeOf(target.path)) ?? '';
    await point('start.claimed');
    // What stays behind is asked for while git writes the files.
    const reading = Promise.allSettled([readStatus(repo.root, { compare: 'not', signal: ctx.signal })]);
    await addWorktree(repo.top, target.path, target.branch, ctx.signal);
    const [read] = await reading;
    if (read.status === 'rejected') throw read.reason;
    await point('start.added');
    const root = rootIn(repo, target.path);
    if (!(await exists(join(root, CONFIG_FILE)))) {
      throw new Refusal(
        'not_initialized',
        `${target.base} has no ${repo.prefix ? `${repo.prefix}/` : ''}${CONFIG_FILE}, so a worktree of it would not be a project: commit the file there first.`,
        { data: where(repo) },
      );
    }
    const { gitDir, record, hints: ofPort } = await identify(repo, target, ctx);
    made.resources = { id: record.id, root };
    await point('start.recorded');
    const fresh = await opened(repo, target, root, gitDir);
    const { brought, hints: ofBringing } = await bring(repo, fresh, known.wanted, made.brought, ctx);
    const { hints, setup } = await setUp(repo, fresh, record, { wrote: made.wrote, verb: 'start' }, ctx);
    if (setup.failed) throw setupRefusal(repo, setup, setup.failed, ctx);
    if (ctx.signal.aborted) throw new Refusal('cancelled', 'The call was cancelled.', { data: where(repo) });
    return {
      ok: true,
      data: {
        ...where(fresh),
        path: root,
        worktree: target.path,
        id: target.id,
        base: target.base,
        base_commit: target.baseCommit,
        port: record.port,
        ...(brought && { brought }),
      },
      ...(setup.steps.length > 0 && { steps: setup.steps }),
      hints: [
        movingAdvice(ctx.client, root),
        ...leftBehind(repo, read.value),
        ...known.hints,
        ...reclaimed,
        ...ofPort,
        ...ofBringing,
        ...hints,
        ...fresh.config.notes,
        ...setup.hints,
      ],
      message: 'Worktree ready.',
    };
  } catch (error) {
    await takeBack(repo, target, made, ctx, error).catch((left) => tellLeft(error, target, left));
    throw error;
  }
}

/** Makes the branch first, by compare-and-swap, so that taking back never deletes a branch that was there before. */
async function branchOff(repo: Repository, target: Target): Promise<void> {
  if (target.branch.startsWith('-')) throw badPrefix(repo, target);
  const reason = `discern: start from ${target.base}`;
  const made = await createBranch(repo.top, target.branch, target.baseCommit, reason);
  if (made === 'created') return;
  if (made.kind === 'bad_name') throw badPrefix(repo, target);
  if (made.kind !== 'name_taken') throw made;
  throw new Refusal(
    'branch_exists',
    `The branch ${target.branch} cannot be made, another is in its way (${made.lastLine}): rename that one, or set [repository].branch_prefix.`,
    { data: where(repo) },
  );
}

/** The rest of the name is ours and always fits git-check-ref-format(1). */
function badPrefix(repo: Repository, target: Target): Refusal {
  return new Refusal(
    'config_error',
    `"${target.branch}" is not a branch name that git allows: correct [repository].branch_prefix in ${CONFIG_FILE}.`,
    { data: where(repo) },
  );
}

/** Makes the worktree's directory, so that from here on it is ours; git checks out into an empty one. */
async function claim(repo: Repository, path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    throw new Refusal('path_exists', `${path} is there already: call again, or with another name.`, {
      data: where(repo),
    });
  }
}

function leftBehind(repo: Repository, status: TreeStatus): string[] {
  const changed = new Set([...status.staged, ...status.unstaged, ...status.untracked]).size;
  if (changed === 0) return [];
  return [
    `${count(changed, 'uncommitted change')} ${changed === 1 ? 'stays' : 'stay'} in ${repo.top} (${listChanges(status)}); the new worktree does not have them.`,
  ];
}

function setupRefusal(repo: Repository, setup: CommandsResult, { command }: Order, ctx: Context): Refusal {
  const cancelled = ctx.signal.aborted;
  const late = setup.steps.at(-1)?.outcome === 'timed_out';
  return new Refusal(
    cancelled ? 'cancelled' : late ? 'timed_out' : 'gate_failed',
    cancelled
      ? 'start was cancelled; the worktree was removed.'
      : `The setup command "${command}" ${late ? 'ran out of time' : 'failed'}, so the worktree was removed: fix it in ${CONFIG_FILE} (or what it needs) and start again.`,
    { data: where(repo), steps: setup.steps, diagnostics: setup.diagnostics, hints: setup.hints },
  );
}
