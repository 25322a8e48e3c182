import type { PullRequest } from '../../contract/pull-request.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { checkWords, prChecks } from '../forge/checks.ts';
import { findForge } from '../forge/forge.ts';
import { forgeClis } from '../forge/index.ts';
import type { Forge, Found, Where } from '../forge/pull-request.ts';
import { pushBranch } from '../forge/push-branch.ts';
import { wordingOf } from '../forge/wording.ts';
import { proofState } from '../gate/proof.ts';
import { runGate } from '../gate/run.ts';
import { gitLine } from '../git/core.ts';
import { isAncestor, logOneline } from '../git/refs.ts';
import { readStatus } from '../git/status.ts';
import { nothing } from '../landing/land.ts';
import { requireOneAddress } from '../landing/push-address.ts';
import { requireCleanWorktree } from '../repository/checkout.ts';
import { asksPerson, requireWord } from '../repository/consent.ts';
import { landedAs } from '../repository/landed.ts';
import {
  openRepository,
  type Repository,
  requireTrunk,
  type Trunk,
  where,
} from '../repository/repository.ts';
import { readRecord } from '../worktree/identity.ts';
import { type AcceptAnswer, refusedByGate } from './accept-answer.ts';
import { nothingToLand, requireInsideProject, requireMadeFor, requireWorktree } from './accept-requires.ts';

/**
 * Pushes a proved branch and opens a pull request for it through the forge's own command line; one that is open already gets the push, and
 * where there is nothing to push, what its checks have come to is told. Nothing lands here: worktree, branch and trunk stay. Never forces, and
 * pushes that one branch alone. The forge is asked first, so that who is not logged in waits for no gate and pushes nothing.
 */
export async function acceptByPullRequest(
  first: Repository,
  args: Args<'accept'>,
  ctx: Context,
): Promise<AcceptAnswer> {
  const trunk = requireTrunk(first);
  const branch = await examineBranch(first, trunk, args);
  if (args.dry_run) return previewed(first, trunk, branch);
  const asks = await asksPerson(first, 'accept', ctx);
  const { signal } = ctx;
  const forge = await findForge(first, signal);
  if (branch === forge.base) throw isTheBase(first, forge);
  await requireOneAddress(first, forge.remote, 'then accept with pr again');
  const at: Where = { cwd: first.top, signal };
  const before = await forgeClis[forge.tool].find(forge, branch, at);
  // One whose commit is not known may have been of other work on a branch of the same name.
  const merged = before.find(({ state, head }) => state === 'merged' && head === first.commit);
  if (merged && !before.some(({ state }) => state === 'open'))
    return answered(first, forge, { ...merged, did: 'merged' });
  const isProved = async (repo: Repository) =>
    (await proofState(repo, await readStatus(repo.top, {}))).state === 'valid';
  if (!(await isProved(first))) {
    const gate = await runGate(first.root, 'done', ctx);
    if (gate.error) return refusedByGate(gate, false);
  }
  const repo = await openRepository(first.root, signal);
  if (repo.commit !== first.commit || repo.branch !== branch || !(await isProved(repo))) {
    throw new Refusal(
      'dirty_worktree',
      'Nothing was pushed: the worktree changed while its gate ran, so its commit is not proved. Accept with pr again.',
      { data: where(repo) },
    );
  }
  if (asks) {
    requireWord(
      repo,
      {
        verb: 'accept',
        subject: [repo.top, repo.commit, 'pr', forge.remote, forge.base],
        question: `Push ${branch} to ${forge.remote}, and open a pull request for it on ${forge.host}? It is at ${repo.commit.slice(0, 10)}.`,
      },
      ctx,
    );
  }
  ctx.emit({ type: 'progress', message: `Pushing ${branch} to ${forge.remote}.` });
  const came = await pushBranch(repo, { remote: forge.remote, branch }, signal);
  const open = before.find(({ state }) => state === 'open');
  if (!open)
    return answered(repo, forge, { ...(await opened(repo, trunk, forge, branch, at)), did: 'opened' });
  if (came === 'pushed') return answered(repo, forge, { ...open, did: 'updated' });
  return withChecks(repo, forge, { ...open, head: repo.commit }, at);
}

/** Everything that may refuse without asking anybody elsewhere. Resolves with the branch's name. */
async function examineBranch(repo: Repository, trunk: Trunk, args: Args<'accept'>): Promise<string> {
  const data = where(repo);
  if (args.push || args.how) {
    throw new Refusal(
      'invalid_argument',
      `pr lands nothing here, so ${args.push ? 'push' : 'how'} does not go with it: the forge says how a pull request is merged. Leave one of the two away.`,
      { data },
    );
  }
  requireWorktree(repo);
  if (repo.branch === null) {
    throw new Refusal(
      'invalid_argument',
      `${repo.top} is on no branch, and a pull request is of one: run "git switch -c <name>" there, then accept again.`,
      { data },
    );
  }
  const record = await readRecord(repo.gitDir);
  await requireCleanWorktree(repo, await readStatus(repo.top, {}));
  await requireMadeFor(repo, record);
  const { top, commit } = repo;
  if ((await isAncestor(top, commit, trunk.commit)) || (await landedAs({ top, trunk }, commit)) !== undefined)
    throw nothingToLand(repo, trunk);
  const fork = await gitLine(top, ['merge-base', trunk.commit, commit], { ok: [0, 1] });
  await requireInsideProject(repo, fork || trunk.commit, commit);
  return repo.branch;
}

const isTheBase = (repo: Repository, { remote, base }: Forge) =>
  new Refusal(
    'invalid_argument',
    `${repo.branch} is what ${remote} calls its trunk (${base}), so no pull request of it can go there: work on a branch of another name.`,
    { data: where(repo) },
  );

/** Opens one; where somebody was faster, theirs is it. */
async function opened(
  repo: Repository,
  trunk: Trunk,
  forge: Forge,
  branch: string,
  at: Where,
): Promise<Shown> {
  const cli = forgeClis[forge.tool];
  const wording = { branch, ...(await wordingOf(repo, trunk)) };
  const findOpen = async () => (await cli.find(forge, branch, at)).find(({ state }) => state === 'open');
  try {
    const url = await cli.open(forge, wording, at);
    const number = Number(/(\d+)$/.exec(url ?? '')?.[1]);
    if (url !== undefined) return { url, ...(number > 0 && { number }) };
  } catch (error) {
    const found =
      Refusal.is(error) && error.slug === 'unavailable' ? await findOpen().catch(() => undefined) : undefined;
    if (!found) throw error;
    return found;
  }
  const found = await findOpen();
  if (found) return found;
  throw new Refusal(
    'unavailable',
    `${forge.tool} said that it opened a pull request of ${branch}, and there is none: look at ${forge.host}/${forge.repo}.`,
    { data: where(repo) },
  );
}

type Shown = Pick<Found, 'url'> & Partial<Pick<Found, 'number'>>;

const didWords: Record<PullRequest['state'], string> = {
  opened: 'Opened',
  updated: 'Pushed to the open pull request',
  unchanged: 'The pull request is open',
  merged: 'The pull request was merged',
};

function answered(
  repo: Repository,
  { tool, remote, base }: Forge,
  { url, number, did }: Shown & { did: PullRequest['state'] },
  more: { checks?: PullRequest['checks']; words?: string; diagnostics?: AcceptAnswer['diagnostics'] } = {},
): AcceptAnswer {
  const pull_request: PullRequest = {
    url,
    ...(number !== undefined && { number }),
    forge: tool,
    remote,
    base,
    state: did,
    ...(more.checks && { checks: more.checks }),
  };
  const next =
    did === 'merged'
      ? `Bring ${base} up to date ("git pull" in its checkout), then drop this worktree.`
      : (more.words ??
        'Nothing landed here, and the worktree stays. Its checks: await with until checks, or accept with pr again.');
  return {
    ok: true,
    message: `${didWords[did]}: ${url}. ${next}`,
    data: {
      ...where(repo),
      landing: nothing,
      trunk: requireTrunk(repo).name,
      worktree: repo.top,
      pull_request,
    },
    ...(more.diagnostics && more.diagnostics.length > 0 && { diagnostics: more.diagnostics }),
  };
}

async function withChecks(repo: Repository, forge: Forge, found: Found, at: Where): Promise<AcceptAnswer> {
  const checked = await prChecks(forge, found, at);
  const { checks, diagnostics } = checked ?? {};
  const words = checks ? checkWords(checks) : `${forge.tool} cannot tell of its checks: look there.`;
  return answered(
    repo,
    forge,
    { ...found, did: 'unchanged' },
    { words, ...(checks && { checks }), ...(diagnostics && { diagnostics }) },
  );
}

/** What accept with pr would do, as far as it is known without asking anybody elsewhere. */
async function previewed(repo: Repository, trunk: Trunk, branch: string): Promise<AcceptAnswer> {
  const commits = await logOneline(repo.top, trunk.commit, repo.commit, 20);
  const proof = await proofState(repo, await readStatus(repo.top, {}));
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `Open a pull request of ${branch} for ${trunk.name}`,
      steps: [
        ...(proof.state === 'valid' ? [] : [{ action: 'run the gate', detail: 'there is no valid proof' }]),
        ...commits.map((commit) => ({ action: 'push', detail: commit })),
        { action: 'open a pull request', detail: `${branch} into ${trunk.name}; an open one gets the push` },
      ],
    },
    data: { ...where(repo), trunk: trunk.name, landing: nothing, worktree: repo.top },
  };
}
