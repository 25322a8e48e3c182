import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { loadSettings } from '../config/index.ts';
import { errnoOf } from '../files/errno.ts';
import type { JobResult, PlannedJob } from '../jobs/planned-job.ts';
import type { Repository } from '../repository/repository.ts';
import { jobEnv } from '../worktree/job-env.ts';
import { keepFiles, restoreFiles } from './artifacts.ts';
import { type Decision, decide } from './decide.ts';
import { aroundOf, type Identified, identify } from './identity.ts';
import { ignoredIn } from './ignored-inputs.ts';
import type { Receipt } from './receipt.ts';
import { addReceipts, artifactsDir, readCounts, readReceipt } from './store.ts';
import { projectTree } from './tree.ts';

type Groups = readonly { jobs: readonly PlannedJob[] }[];

/** Which results stand in for the jobs of a run, and what becomes of those that run. */
export interface Reusing {
  decisions: ReadonlyMap<string, Decision>;
  identified: ReadonlyMap<string, Identified>;
  /** The results that were known before the run, by their keys. */
  receipts: ReadonlyMap<string, Receipt>;
  /** The paths the commit tracks. */
  isTracked: (path: string) => boolean;
  /** Jobs that found other things around them, when their turn came, than were looked at before the run. */
  unlike: Set<string>;
  /** A job has run since the first look, so that what no commit has may be another by now. */
  hasRun: boolean;
  /** A job has run, or files were put back: until then the run has not touched the tree. */
  hasWritten: boolean;
}

/**
 * Decides for a clean checkout which jobs need not run; with `rerun` all do. `undefined` where no job declares inputs.
 * Refuses `config_error` where our own settings are wrong, which say how often a reuse is checked.
 */
export async function openReceipts(
  repo: Repository,
  groups: Groups,
  { rerun }: { rerun: boolean },
  ctx: Context,
): Promise<Reusing | undefined> {
  const jobs = groups.flatMap((group) => group.jobs);
  if (!jobs.some(({ evidence }) => evidence?.inputs)) return undefined;
  const [tree, ignored, env, counts, settings] = await Promise.all([
    projectTree(repo, ctx.signal),
    ignoredIn(repo, ctx.signal),
    jobEnv(repo),
    readCounts(repo.commonDir),
    loadSettings(repo.root),
  ]);
  const every = settings.receipts.check_every;
  const identified = await identify(jobs, { repo, tree, ignored, env });
  const receipts = new Map<string, Receipt>();
  await Promise.all(
    [...identified.values()].map(async (one) => {
      const receipt = 'key' in one ? await readReceipt(repo.commonDir, one.key) : undefined;
      if (receipt) receipts.set(receipt.key, receipt);
    }),
  );
  const tracked = new Set(tree.map(({ path }) => path));
  return {
    decisions: decide(groups, { identified, receipts, counts, every, rerun }),
    identified,
    receipts,
    isTracked: (path) => tracked.has(path),
    unlike: new Set(),
    hasRun: false,
    hasWritten: false,
  };
}

/**
 * The result of a job that need not run, asked when its turn has come; `undefined` when it has to: what it made cannot be put
 * back, or an earlier job changed what it reads and no commit has.
 */
export async function standIn(
  repo: Repository,
  job: PlannedJob,
  reusing: Reusing,
  ctx: Context,
): Promise<JobResult | undefined> {
  const before = reusing.hasRun;
  const result = await find(repo, job, reusing, before, ctx);
  if (!result) reusing.hasRun = true;
  reusing.hasWritten ||= !result || result.putBack === true;
  return result;
}

async function find(
  repo: Repository,
  job: PlannedJob,
  { decisions, identified, isTracked, unlike }: Reusing,
  hasRun: boolean,
  ctx: Context,
): Promise<JobResult | undefined> {
  const one = identified.get(job.name);
  if (!one || 'why' in one) return undefined;
  if (hasRun) {
    const around = await aroundOf(job, repo.root, await ignoredIn(repo, ctx.signal), one.ways);
    const { toolchain, ignored } = one.parts;
    if (JSON.stringify(around) !== JSON.stringify({ toolchain, ignored })) {
      unlike.add(job.name);
      return undefined;
    }
  }
  const receipt = decisions.get(job.name)?.reuse;
  if (!receipt) return undefined;
  const now = Date.now();
  if (!(await restoreFiles(repo.root, receipt, artifactsDir(repo.commonDir), isTracked))) return undefined;
  const { key, commit, worktree, ended, value } = receipt;
  if (value !== undefined) job.measured?.stoodIn(value, commit);
  return {
    step: {
      name: job.name,
      stage: job.stage,
      outcome: 'passed',
      duration_ms: 0,
      reused: { commit, worktree, at: new Date(ended).toISOString() },
    },
    diagnostics: [],
    hints: [],
    from: now,
    to: Date.now(),
    receipt: key,
    ...(receipt.artifacts.length > 0 && { putBack: true }),
  };
}

/** How a run went, as far as its results may be kept. */
export interface Ended {
  results: readonly JobResult[];
  /** The tree was, and stayed, exactly the commit: only then does a pass say something of it. */
  isOfCommit: boolean;
}

/**
 * Keeps what the jobs of a run came to, for later runs of all worktrees. Answers what a person should know, in sentences; that
 * nothing could be written is one of these, since the run is as green or red without it.
 */
export async function keepResults(...given: Parameters<typeof keep>): Promise<string[]> {
  try {
    return await keep(...given);
  } catch (error) {
    if (!Refusal.is(error) && errnoOf(error) === undefined) throw error;
    return [`The results were not kept for later runs: ${(error as Error).message}`];
  }
}

async function keep(
  repo: Repository,
  { decisions, identified, receipts: seen, unlike }: Reusing,
  { results, isOfCommit }: Ended,
  ctx: Context,
): Promise<string[]> {
  const hints: string[] = [];
  const receipts: Receipt[] = [];
  const used: string[] = [];
  const reused: string[] = [];
  const disagreed: string[] = [];
  for (const { step, receipt, from, to, value } of results) {
    const { name, outcome } = step;
    const decision = decisions.get(name);
    if (receipt !== undefined) {
      used.push(receipt);
      reused.push(name);
      continue;
    }
    const one = identified.get(name);
    const isBad = outcome === 'failed' || outcome === 'timed_out';
    if (!one || 'why' in one || !(isBad || (outcome === 'passed' && isOfCommit))) continue;
    if (decision?.recheck) reused.push(name);
    if (decision?.recheck && isBad) {
      disagreed.push(name);
      hints.push(disagreement(name, decision.recheck));
    }
    if (unlike.has(name)) continue;
    const made = isBad
      ? { kept: [] }
      : await keepFiles(repo.root, one.parts.artifacts, artifactsDir(repo.commonDir), one.key);
    if ('why' in made) {
      hints.push(`${name} ${made.why}, so its result is not kept.`);
      continue;
    }
    receipts.push({
      version: 1,
      key: one.key,
      parts: one.parts,
      outcome: isBad ? 'failed' : 'passed',
      commit: repo.commit,
      worktree: repo.root,
      began: from,
      ended: to,
      duration_ms: step.duration_ms,
      ...(value !== undefined && { value }),
      artifacts: made.kept,
    });
  }
  if (receipts.length + used.length > 0) {
    // What was found out is kept also where the caller has given up since.
    const { signal } = ctx.signal.aborted ? new AbortController() : ctx;
    await addReceipts(repo.commonDir, { receipts, seen, used, reused, disagreed }, signal);
  }
  return hints;
}

const disagreement = (name: string, { commit }: Receipt) =>
  `${name} passed on ${commit.slice(0, 10)} with the same declared inputs, and failed now: either it reads something its inputs leave out, or it is flaky. Its earlier result counts no more.`;
