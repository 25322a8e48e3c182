import type { Drift, GateData, JobCounts, ProofState } from '../../contract/data.ts';
import type { Diagnostic, Envelope, Plan } from '../../contract/envelope.ts';
import type { RefusalSlug } from '../../contract/refusals.ts';
import { lockCheckout } from '../checkout.ts';
import type { Context } from '../context.ts';
import { gitLine } from '../git/core.ts';
import { aheadBehind, isAncestor } from '../git/refs.ts';
import { isClean, listChanges, readStatus, type TreeStatus } from '../git/status.ts';
import { jobEnv } from '../job-env.ts';
import { OverlookedEntries } from '../landing/inspect.ts';
import { Refusal } from '../refusal.ts';
import { openRepository, type Repository, requireTrunk, where } from '../repository.ts';
import { DriftWatch, driftDiagnostic, shown } from './drift.ts';
import type { JobResult } from './job.ts';
import { type GateMode, type JobGroup, planGate } from './plan.ts';
import { writeProof } from './proof.ts';
import { newRunDir } from './run-dir.ts';
import { type Classification, changesSinceTrunk, classify, scopeResults } from './scopes.ts';
import { runStages } from './stages.ts';

/** What a gate run found, before a verb words it. `repo` is the checkout as it was judged. */
export interface GateRun {
  repo: Repository;
  data: GateData;
  steps: NonNullable<Envelope['steps']>;
  diagnostics: Diagnostic[];
  hints: string[];
  /** Absent when the run is green. */
  error?: RefusalSlug;
  message: string;
}

export interface PreparedGate {
  repo: Repository;
  status: TreeStatus;
  classification: Classification;
  groups: JobGroup[];
  /** Jobs left out because every change is neutral. */
  spared: JobGroup[];
}

/**
 * Reads what a gate run needs and decides what it will run. `done` refuses `behind_trunk` here, before any job, and
 * `unknown_ref` when there is no trunk to compare with.
 */
export async function prepareGate(root: string, mode: GateMode, ctx: Context): Promise<PreparedGate> {
  const repo = await openRepository(root, ctx.signal);
  const scoped = repo.config.config.scopes.length > 0;
  const [, status] = await Promise.all([
    mode === 'done' ? requireTrunkInside(repo) : undefined,
    // A new directory is one path unless asked for all; its files may lie in different scopes.
    readStatus(repo.top, { untracked: scoped ? 'all' : 'normal', signal: ctx.signal }),
  ]);
  const classification = classify(repo, scoped ? await changesSinceTrunk(repo, status) : []);
  const groups = planGate(mode, repo.config, classification);
  if (mode === 'done' && classification.neutral) {
    const isGate = (group: JobGroup) => group.jobs.every((job) => job.stage === 'scope');
    return {
      repo,
      status,
      classification,
      groups: groups.filter(isGate),
      spared: groups.filter((group) => !isGate(group)),
    };
  }
  return { repo, status, classification, groups, spared: [] };
}

/** Refuses `behind_trunk` when the branch lacks commits of the trunk. */
export async function requireTrunkInside(repo: Repository): Promise<void> {
  const trunk = requireTrunk(repo);
  if (await isAncestor(repo.top, trunk.commit, repo.commit)) return;
  const { behind } = await aheadBehind(repo.top, trunk.commit, repo.commit);
  throw new Refusal(
    'behind_trunk',
    `${repo.branch ?? 'HEAD'} lacks ${behind} commit${behind === 1 ? '' : 's'} of ${trunk.name}: call update, then try again. Nothing was run.`,
    { data: where(repo) },
  );
}

/** A preview of a gate run. */
export function gatePlan(prepared: PreparedGate, mode: GateMode): Plan {
  return {
    title: `${mode} in ${prepared.repo.root}`,
    steps: prepared.groups.flatMap((group) =>
      group.jobs.map((job) => ({
        action: `${job.stage}: ${job.name}`,
        detail: job.commands.join(' && '),
      })),
    ),
  };
}

/**
 * Runs the gate in one checkout and, for a green `done` on a clean committed tree, writes the proof. Everything it starts
 * has `cwd = root` and is gone when it resolves.
 */
export async function runGate(root: string, mode: GateMode, ctx: Context): Promise<GateRun> {
  let prepared = await prepareGate(root, mode, ctx);
  const lock = await lockCheckout(prepared.repo, prepared.repo, `a run of "${mode}"`, ctx);
  try {
    // While we waited, the other run, or whoever acted on its result, may have changed all of it.
    if (lock.waited) prepared = await prepareGate(root, mode, ctx);
    return await runPrepared(prepared, mode, ctx);
  } finally {
    await lock.release();
  }
}

async function runPrepared(prepared: PreparedGate, mode: GateMode, ctx: Context): Promise<GateRun> {
  const { repo, status, classification, groups, spared } = prepared;
  const total = groups.reduce((sum, group) => sum + group.jobs.length, 0);
  ctx.emit({ type: 'run_started', root: repo.root, verb: mode, jobs: total });
  const [env, runDir] = await Promise.all([jobEnv(repo), newRunDir(repo.commonDir, mode)]);
  const watch = new DriftWatch(repo, status);
  const failFast = repo.config.config.gate.fail_fast;
  // What the jobs cannot change, or would be seen to have changed, is asked while they run.
  const asking = mode === 'done' ? askAhead(repo) : undefined;
  asking?.catch(() => undefined); // awaited below, unless the jobs' own error comes first
  const { results, drift } = await runStages(groups, { root: repo.root, env, runDir, failFast, watch }, ctx);
  const after = watch.after ?? (await readStatus(repo.top));
  const asked = await asking;
  const overlooked = asked ? await asked.overlooked.edits() : [];

  const steps = [
    ...results.map((result) => result.step),
    ...spared.flatMap((group) =>
      group.jobs.map((job) => ({
        name: job.name,
        stage: job.stage,
        outcome: 'skipped' as const,
        duration_ms: 0,
      })),
    ),
  ];
  const jobs = countJobs(steps);
  const hints = [...repo.config.notes, ...results.flatMap((result) => result.hints)];
  if (spared.length > 0) hints.push('Every change lies in neutral scopes, so no job was needed.');
  else if (total === 0) hints.push(emptyHint(mode));
  const verdict = judge({ prepared, mode, results, drift, unnamed: watch.unnamed, after, ctx });
  const proof =
    mode === 'done'
      ? await earnProof(prepared, verdict.error, results, { after, overlooked, tree: asked?.tree ?? '' })
      : undefined;
  return {
    repo,
    data: {
      ...where(repo),
      clean: isClean(status),
      ...(proof && { proof }),
      jobs,
      scopes: scopeResults(classification.scopes),
      ...(drift.length > 0 && { drift }),
    },
    steps,
    diagnostics: [...results.flatMap((result) => result.diagnostics), ...drift.map(driftDiagnostic)],
    hints,
    ...verdict,
    message: proof && !verdict.error ? `${verdict.message} ${proofSentence(proof)}` : verdict.message,
  };
}

async function askAhead(repo: Repository): Promise<{ tree: string; overlooked: OverlookedEntries }> {
  const [tree, overlooked] = await Promise.all([
    gitLine(repo.top, ['rev-parse', `${repo.commit}^{tree}`]),
    OverlookedEntries.read(repo),
  ]);
  return { tree, overlooked };
}

/** How many drifted files the message names; the diagnostics name more. */
const NAMED_IN_MESSAGE = 5;

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function judge(run: {
  prepared: PreparedGate;
  mode: GateMode;
  results: JobResult[];
  drift: Drift[];
  /** How many more files drifted than `drift` names. */
  unnamed: number;
  after: TreeStatus;
  ctx: Context;
}): { error?: RefusalSlug; message: string } {
  const { prepared, mode, results, drift, after, ctx } = run;
  const named = (outcome: string) =>
    results.filter(({ step }) => step.outcome === outcome).map(({ step }) => step.name);
  const failed = named('failed');
  const late = named('timed_out');
  if (ctx.signal.aborted)
    return { error: 'cancelled', message: `${mode} was cancelled; everything it started has ended.` };
  if (failed.length > 0 || late.length > 0) {
    const what = [
      ...(failed.length > 0 ? [`${failed.join(', ')} failed`] : []),
      ...(late.length > 0 ? [`${late.join(', ')} ran out of time`] : []),
    ].join('; ');
    return {
      error: failed.length > 0 ? 'gate_failed' : 'timed_out',
      message: `${what}: fix what the diagnostics name, commit, and run ${mode} again.`,
    };
  }
  if (drift.length > 0) {
    const files = drift.slice(0, NAMED_IN_MESSAGE).map((one) => `${shown(one.file)} (${one.stage})`);
    const more = drift.length - files.length + run.unnamed;
    return {
      error: 'tree_drift',
      message: `Jobs changed tracked files that were clean: ${files.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Look at the changes, commit or discard them, and run ${mode} again.`,
    };
  }
  const head = after.commit ?? 'no commit';
  if (head !== prepared.repo.commit) {
    return {
      error: 'tree_drift',
      message: `HEAD moved from ${prepared.repo.commit.slice(0, 10)} to ${head.slice(0, 10)} while the jobs ran, so they judged no one commit: run ${mode} again.`,
    };
  }
  return { message: results.length === 0 ? 'Nothing to run.' : `${plural(results.length, 'job')} passed.` };
}

/** Writes the proof of a green run, or says why there is none. */
async function earnProof(
  prepared: PreparedGate,
  error: RefusalSlug | undefined,
  results: JobResult[],
  { after, overlooked, tree }: { after: TreeStatus; overlooked: string[]; tree: string },
): Promise<ProofState> {
  const { repo, status } = prepared;
  if (error) return { state: 'none', reason: 'The gate did not pass.' };
  if (!isClean(status)) {
    return {
      state: 'none',
      reason: `The tree has uncommitted changes (${listChanges(status)}): commit or ignore them and run done again.`,
    };
  }
  if (!isClean(after)) {
    return {
      state: 'none',
      reason: `Files appeared or changed while the jobs ran (${listChanges(after)}), so no commit holds what was judged: commit or ignore them and run done again.`,
    };
  }
  if (overlooked.length > 0) {
    return {
      state: 'none',
      reason: `git was told to overlook edits in ${overlooked.slice(0, 5).join(', ')}, so no commit holds what was judged: run "git update-index --no-assume-unchanged --no-skip-worktree" on them, commit, and run done again.`,
    };
  }
  const trunk = requireTrunk(repo);
  await writeProof(repo, {
    version: 1,
    commit: repo.commit,
    tree,
    project: repo.prefix,
    config_digest: repo.config.digest,
    trunk: trunk.name,
    trunk_commit: trunk.commit,
    gated_at: new Date().toISOString(),
    jobs: results.map(({ step }) => ({
      name: step.name,
      stage: step.stage,
      outcome: step.outcome,
      duration_ms: step.duration_ms,
    })),
  });
  return { state: 'valid', commit: repo.commit };
}

function proofSentence(proof: ProofState): string {
  return proof.state === 'valid'
    ? `Proof recorded for ${proof.commit?.slice(0, 10)}.`
    : `No proof: ${proof.reason ?? 'the tree is not clean.'}`;
}

function emptyHint(mode: GateMode): string {
  const what = { prepare: 'fix or check job', test: 'test job', done: 'job' }[mode];
  return `discern.toml declares no ${what}, so this proves nothing: add one under [jobs].`;
}

function countJobs(steps: { outcome: keyof JobCounts }[]): JobCounts {
  const counts: JobCounts = { passed: 0, failed: 0, cancelled: 0, skipped: 0, timed_out: 0 };
  for (const step of steps) counts[step.outcome]++;
  return counts;
}
