import { count } from '../../contract/count.ts';
import type { Drift, GateData } from '../../contract/data.ts';
import type { Diagnostic, Envelope, Plan } from '../../contract/envelope.ts';
import type { RefusalSlug } from '../../contract/refusals.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { ignoredHere } from '../git/ignored-here.ts';
import { listTree } from '../git/ls-tree.ts';
import { aheadBehind, isAncestor, treeOf } from '../git/refs.ts';
import { isClean, readStatus, type TreeStatus } from '../git/status.ts';
import { newRunDir } from '../jobs/run-dir.ts';
import { type Classification, changesSinceTrunk, classify, scopeResults } from '../jobs/scopes.ts';
import type { Decision } from '../receipts/decide.ts';
import { keepResults, openReceipts, type Reusing, standIn } from '../receipts/index.ts';
import { lockCheckout } from '../repository/checkout.ts';
import { openRepository, type Repository, requireTrunk, where } from '../repository/repository.ts';
import { keepMeasurements, type Measurement, readHistory } from '../standards/history.ts';
import { findLoosened, loosenedDiagnostics, loosenedMessage, trunkLimits } from '../standards/limits.ts';
import { Measuring } from '../standards/measure.ts';
import { findReplays } from '../standards/replay.ts';
import { jobEnv } from '../worktree/job-env.ts';
import { RunRecorder } from '../worktree/last-run.ts';
import { DriftWatch, driftDiagnostic, shown } from './drift.ts';
import { earnProof, proofSentence } from './earn-proof.ts';
import { logRun } from './logbook.ts';
import { type GateMode, type JobGroup, planGate } from './plan.ts';
import { checkpointWords } from './policy.ts';
import { runStages } from './stages.ts';
import { unlikeSubmodules } from './submodules.ts';
import { turnOf } from './test-turn.ts';
import { countJobs, judge } from './verdict.ts';

/** What a gate run found, before a verb words it. `repo` is the checkout as it was judged. */
export interface GateRun {
  repo: Repository;
  /** How the tree was before any job ran. */
  before: TreeStatus;
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
  /** The paths that differ from the trunk, where anything asks for them. */
  changes: string[];
  classification: Classification;
  groups: JobGroup[];
  /** The standards, where the run measures them. */
  measuring?: Measuring;
  /** Which results stand in for jobs; absent where none may. */
  reusing?: Reusing;
  /** What was measured before. */
  history: Measurement[];
}

export interface GateOptions {
  /** Every job runs, whatever results are known. */
  rerun?: boolean | undefined;
}

/**
 * Reads what a gate run needs and decides what it will run. `done` refuses here, before any job: `behind_trunk`,
 * `standard_loosened`, and `unknown_ref` when there is no trunk to compare with.
 */
export async function prepareGate(
  root: string,
  mode: GateMode,
  ctx: Context,
  { rerun = false }: GateOptions = {},
): Promise<PreparedGate> {
  const repo = await openRepository(root, ctx.signal);
  const { jobs, scopes, standards, generated, checkpoints } = repo.config.config;
  const whole = mode === 'done';
  // Asked again by whoever needs it, and answered by then; what it fails with is told there.
  if (whole && jobs.some(({ inputs }) => inputs !== undefined))
    listTree(repo.top, repo.commit, { signal: ctx.signal }).catch(() => undefined);
  const replayable = whole && standards.some(({ inputs }) => inputs !== undefined);
  // A new directory is one path unless asked for all; its files may lie in different scopes.
  const everyFile = scopes.length > 0 || (mode !== 'test' && generated.length > 0) || replayable;
  const [, status, trunk, history] = await Promise.all([
    whole ? requireTrunkInside(repo) : undefined,
    readStatus(repo.top, {
      untracked: everyFile ? 'all' : 'normal',
      commit: repo.commit,
      signal: ctx.signal,
    }),
    whole ? trunkLimits(repo) : undefined,
    whole && standards.length > 0 ? readHistory(repo) : [],
  ]);
  requireLimits(repo, trunk);
  // A clean tree has receipts; they know nothing of a measurement that another job's output is read for.
  const clean = isClean(status);
  const replayed = rerun ? [] : standards.filter(({ producer }) => !clean || producer !== undefined);
  const asked = scopes.length > 0 || (whole && checkpoints.length > 0);
  const changes = asked ? await changesSinceTrunk(repo, status) : [];
  const classification = classify(repo.config.config.scopes, changes);
  const measuring = whole
    ? new Measuring(repo, {
        standards,
        trunk,
        replays: replayable ? await findReplays(repo, replayed, history, status) : new Map(),
        gate: true,
      })
    : undefined;
  const groups = planGate(mode, repo.config, classification, measuring?.jobs ?? []);
  const reusing = whole && clean ? await openReceipts(repo, groups, { rerun }, ctx) : undefined;
  return {
    repo,
    status,
    changes,
    classification,
    groups,
    history,
    ...(reusing && { reusing }),
    ...(measuring && { measuring }),
  };
}

/** Refuses `standard_loosened` where the branch holds a standard to less than the trunk does. */
function requireLimits(repo: Repository, trunk: Awaited<ReturnType<typeof trunkLimits>>): void {
  const loosened = trunk ? findLoosened(repo.config.config.standards, trunk) : [];
  if (loosened.length === 0 || !repo.trunk) return;
  throw new Refusal('standard_loosened', `${loosenedMessage(loosened, repo.trunk.name)} Nothing was run.`, {
    data: where(repo),
    diagnostics: loosenedDiagnostics(loosened, repo.trunk.name),
  });
}

/** Refuses `behind_trunk` when the branch lacks commits of the trunk. */
export async function requireTrunkInside(repo: Repository): Promise<void> {
  const trunk = requireTrunk(repo);
  if (await isAncestor(repo.top, trunk.commit, repo.commit)) return;
  const { behind } = await aheadBehind(repo.top, trunk.commit, repo.commit);
  throw new Refusal(
    'behind_trunk',
    `${repo.branch ?? 'HEAD'} lacks ${count(behind, 'commit')} of ${trunk.name}: call update, then try again. Nothing was run.`,
    { data: where(repo) },
  );
}

/** What a job would run, and where results are kept, whether it would and why. */
function planned(commands: readonly string[], decision: Decision | undefined): string {
  const run = commands.join(' && ');
  if (!decision) return run;
  return `${run} (${decision.reuse ? 'reused' : 'runs'}: ${decision.why})`;
}

/** A preview of a gate run. */
export function gatePlan(prepared: PreparedGate, mode: GateMode): Plan {
  return {
    title: `${mode} in ${prepared.repo.root}`,
    steps: prepared.groups.flatMap((group) =>
      group.jobs.map((job) => ({
        action: `${job.stage}: ${job.name}`,
        detail: planned(job.commands, prepared.reusing?.decisions.get(job.name)),
      })),
    ),
  };
}

/**
 * Runs the gate in one checkout and, for a green `done` on a clean committed tree, writes the proof. Everything it starts
 * has `cwd = root` and is gone when it resolves.
 */
export async function runGate(
  root: string,
  mode: GateMode,
  ctx: Context,
  options: GateOptions = {},
): Promise<GateRun> {
  let prepared = await prepareGate(root, mode, ctx, options);
  const lock = await lockCheckout(prepared.repo, prepared.repo, `a run of "${mode}"`, ctx);
  try {
    // While we waited, the other run, or whoever acted on its result, may have changed all of it.
    if (lock.waited) prepared = await prepareGate(root, mode, ctx, options);
    return await recorded(prepared, mode, ctx);
  } finally {
    await lock.release();
  }
}

/** {@link runPrepared}, which others can see on its way and after its end. */
async function recorded(prepared: PreparedGate, mode: GateMode, ctx: Context): Promise<GateRun> {
  const recorder = new RunRecorder(prepared.repo, mode);
  try {
    const run = await runPrepared(prepared, mode, recorder.listening(ctx));
    recorder.ended({ ok: run.error === undefined, error: run.error });
    return recorder.problem === undefined ? run : { ...run, hints: [...run.hints, recorder.problem] };
  } catch (error) {
    recorder.ended({ ok: false, error: Refusal.is(error) ? error.slug : 'internal_error' });
    throw error;
  }
}

async function runPrepared(prepared: PreparedGate, mode: GateMode, ctx: Context): Promise<GateRun> {
  const { repo, status, classification, groups, measuring, reusing } = prepared;
  const { generated, project } = repo.config.config;
  const total = groups.reduce((sum, group) => sum + group.jobs.length, 0);
  ctx.emit({ type: 'run_started', root: repo.root, verb: mode, jobs: total });
  const began = Date.now();
  const [env, runDir, turn] = await Promise.all([
    jobEnv(repo),
    newRunDir(repo.commonDir, mode),
    turnOf(repo, mode, groups, ctx),
  ]);
  const watch = await DriftWatch.open(repo, status, generated);
  const failFast = repo.config.config.gate.fail_fast;
  // What the jobs cannot change, or would be seen to have changed, is asked while they run.
  const asking = mode === 'done' ? askAhead(repo) : undefined;
  asking?.catch(() => undefined); // awaited below, unless the jobs' own error comes first
  // prepare makes generated files anew for their author to look at and commit.
  const isMeant = (one: Drift) => mode === 'prepare' && one.generated !== undefined;
  const { results, drift } = await runStages(
    groups,
    {
      root: repo.root,
      env,
      runDir,
      failFast,
      watch,
      isMeant,
      turn,
      ...(reusing && {
        standIn: (job) => standIn(repo, job, reusing, ctx),
        isUntouched: () => !reusing.hasWritten,
      }),
    },
    ctx,
  );
  const wrong = drift.filter((one) => !isMeant(one));
  // Where every result stood in, nothing was judged here but the commit itself.
  const untouched = reusing !== undefined && !reusing.hasWritten;
  const after = untouched ? status : (watch.after ?? (await readStatus(repo.top)));
  const asked = await asking;
  const submodules =
    asked && isClean(after)
      ? await unlikeSubmodules(repo, repo.commit, requireTrunk(repo).commit)
      : { unlike: [], left: [] };

  const steps = results.map((result) => result.step);
  const jobs = countJobs(steps);
  const hints = [
    ...repo.config.notes,
    ...(measuring?.notes ?? []),
    ...results.flatMap((result) => result.hints),
  ];
  if (classification.neutral && classification.scopes.some(({ gate }) => gate !== undefined)) {
    hints.push('Every change lies in neutral scopes, so no scope’s gate was needed.');
  }
  if (submodules.left.length > 0)
    hints.push(
      `Judged without ${submodules.left.slice(0, 5).map(shown).join(', ')}: not checked out here, and as the trunk has ${submodules.left.length === 1 ? 'it' : 'them'}. "git submodule update --init --recursive" brings ${submodules.left.length === 1 ? 'it' : 'them'}.`,
    );
  if (total === 0) hints.push(emptyHint(mode));
  const remade = drift.filter(isMeant).map(({ file }) => shown(file));
  if (remade.length > 0) hints.push(`Regenerated; review and commit: ${remade.join(', ')}.`);
  const verdict = judge({
    commit: repo.commit,
    verb: mode,
    results,
    drift: wrong,
    unnamed: watch.unnamed,
    regressed: measuring?.named('regressed') ?? [],
    head: after.commit,
    cancelled: ctx.signal.aborted,
  });
  if (verdict.error === 'gate_failed' && project.gotchas_doc) {
    hints.push(`Known traps of this project are in ${project.gotchas_doc}.`);
  }
  if (mode === 'done') hints.push(...checkpointWords(repo.config.config, prepared.changes));
  const isOfCommit =
    isClean(status) &&
    isClean(after) &&
    after.commit === repo.commit &&
    drift.length === 0 &&
    after.overlooked === undefined &&
    submodules.unlike.length === 0;
  if (reusing) hints.push(...(await keepResults(repo, reusing, { results, isOfCommit }, ctx)));
  const measured = isClean(status) && isClean(after) && after.commit === repo.commit;
  const fresh = measured ? (measuring?.measurements() ?? []) : [];
  await keepMeasurements(repo, fresh);
  const standards = measuring?.results([...prepared.history, ...fresh]) ?? [];
  const proof =
    mode === 'done'
      ? await earnProof(prepared, verdict.error, results, {
          after,
          submodules: submodules.unlike,
          tree: asked?.tree ?? '',
        })
      : undefined;
  if (proof?.state === 'valid') hints.push(...onlyHere(await ignoredHere(repo, ctx.signal)));
  if (turn.problem) hints.push(turn.problem);
  hints.push(...(await logRun(repo, { verb: mode, began, error: verdict.error, steps, spent: turn.spent })));
  return {
    repo,
    before: status,
    data: {
      ...where(repo),
      clean: isClean(status),
      ...(proof && { proof }),
      jobs,
      scopes: scopeResults(classification.scopes),
      ...(standards.length > 0 && { standards }),
      ...(drift.length > 0 && { drift }),
    },
    steps,
    diagnostics: [
      ...results.flatMap((result) => result.diagnostics),
      ...wrong.map((one) => driftDiagnostic(one, generated)),
    ],
    hints,
    ...verdict,
    message: proof && !verdict.error ? `${verdict.message} ${proofSentence(proof)}` : verdict.message,
  };
}

/** What to say of files that only this machine's git ignores: no commit has them, and nobody else's gate will. */
function onlyHere(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const more = files.length > 5 ? ` and ${files.length - 5} more` : '';
  return [
    `Only this machine's git ignores ${files.slice(0, 5).join(', ')}${more} (info/exclude or core.excludesFile), so no commit has ${files.length === 1 ? 'it' : 'them'}: if a job needs ${files.length === 1 ? 'it' : 'them'}, commit ${files.length === 1 ? 'it' : 'them'}.`,
  ];
}

async function askAhead(repo: Repository): Promise<{ tree: string }> {
  return { tree: await treeOf(repo.top, repo.commit) };
}

function emptyHint(mode: GateMode): string {
  const what = { prepare: 'fix or check job', test: 'test job', done: 'job' }[mode];
  return `discern.toml declares no ${what}, so this proves nothing: add one under [jobs].`;
}
