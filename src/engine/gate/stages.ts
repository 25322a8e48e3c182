import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Drift } from '../../contract/data.ts';
import type { Context } from '../call/context.ts';
import { Turns } from '../call/turns.ts';
import { runJob, sinkFor, skippedJob } from '../jobs/job.ts';
import type { JobResult, PlannedJob } from '../jobs/planned-job.ts';
import { outputFile } from '../jobs/run-dir.ts';
import type { DriftWatch } from './drift.ts';
import type { JobGroup } from './plan.ts';
import { isTestRun, type TestTurn } from './test-turn.ts';

export interface StageRun {
  root: string;
  env: NodeJS.ProcessEnv;
  runDir: string;
  failFast: boolean;
  watch: DriftWatch;
  /** Drift that is what the run is for, and so stops nothing. */
  isMeant?: (drift: Drift) => boolean;
  /** The run's place among the test runs of this machine. */
  turn: TestTurn;
  /** The result that stands in for a job, where there is one. */
  standIn?: (job: PlannedJob) => Promise<JobResult | undefined>;
  /** Whether this run has not touched the tree so far: then there is nothing of its doing to look for. */
  isUntouched?: () => boolean;
}

export interface StagesResult {
  results: JobResult[];
  drift: Drift[];
}

/** How many jobs of one run there are at once: two for each core, since many wait for disks and networks, and at least four. */
const MOST_AT_ONCE = Math.max(4, 2 * availableParallelism());

const bad = ({ step }: JobResult) => step.outcome !== 'passed';

/** Waits for the jobs a job needs; resolves with whether all of them passed. One that this run does not have is no matter. */
async function ready(job: PlannedJob, ended: ReadonlyMap<string, Promise<JobResult>>): Promise<boolean> {
  const needs = (job.needs ?? []).flatMap((name) => ended.get(name) ?? []);
  return !(await Promise.all(needs)).some(bad);
}

/** The results, in order, once every job has ended: also when one rejects, none is left running behind the error. */
async function allEnded(jobs: Promise<JobResult>[]): Promise<JobResult[]> {
  await Promise.allSettled(jobs);
  return Promise.all(jobs);
}

/** Starts jobs together, each known to the others by name before any of them looks for what it needs. */
function together(
  jobs: readonly PlannedJob[],
  run: (job: PlannedJob) => Promise<JobResult>,
  ended: Map<string, Promise<JobResult>>,
): Promise<JobResult>[] {
  const started = jobs.map((job) => {
    const result = Promise.resolve().then(() => run(job));
    // Whoever needs a job that could not even be run is not run either.
    ended.set(
      job.name,
      result.catch(() => skippedJob(job)),
    );
    return result;
  });
  return started;
}

/**
 * Runs the groups in order. With `failFast`, the first job that fails ends its siblings (`cancelled`) and whatever
 * follows is `skipped`; so does a strand, since from then on the jobs judge another tree than the commit.
 */
export async function runStages(
  groups: readonly JobGroup[],
  run: StageRun,
  ctx: Context,
): Promise<StagesResult> {
  const total = groups.reduce((sum, group) => sum + group.jobs.length, 0);
  const results: JobResult[] = [];
  const drift: Drift[] = [];
  const ended = new Map<string, Promise<JobResult>>();
  const ran = new Map<string, JobResult>();
  let index = 0;
  let done = 0;
  let stopped = false;
  const atOnce = new Turns(MOST_AT_ONCE);

  const finish = (result: JobResult) => {
    done++;
    ran.set(result.step.name, result);
    ctx.emit({
      type: 'job_finished',
      job: result.step.name,
      stage: result.step.stage,
      outcome: result.step.outcome,
      duration_ms: result.step.duration_ms,
      done,
      jobs: total,
    });
    return result;
  };
  const start = async (job: PlannedJob, signal: AbortSignal) => {
    const outputPath = outputFile(run.runDir, job.name, index++);
    if (!(await ready(job, ended)) || signal.aborted) return finish(skippedJob(job));
    const stands = await run.standIn?.(job);
    if (stands) return finish(stands);
    const turn = isTestRun(job) ? run.turn : undefined;
    const under = turn ? await turn.enter(signal) : {};
    if (under === undefined) return finish(skippedJob(job));
    try {
      const leave = await atOnce.take();
      try {
        return finish(await runOne(job, { ...run.env, ...under }, outputPath, signal));
      } finally {
        leave();
      }
    } finally {
      turn?.leave();
    }
  };
  const runOne = async (job: PlannedJob, env: NodeJS.ProcessEnv, outputPath: string, signal: AbortSignal) => {
    if (signal.aborted) return skippedJob(job);
    ctx.emit({ type: 'job_started', job: job.name, stage: job.stage, output_path: outputPath });
    const result = await runJob(job, { root: run.root, env, outputPath, signal, sink: sinkFor(job, ctx) });
    return job.judge ? job.judge(result, { ran, root: run.root, env, signal }) : result;
  };

  try {
    await runGroups();
  } finally {
    await run.turn.close();
  }
  return { results, drift };

  async function runGroups() {
    for (const group of groups) {
      if (stopped || ctx.signal.aborted) {
        results.push(...group.jobs.map((job) => finish(skippedJob(job))));
        continue;
      }
      const siblings = new AbortController();
      // Any number of jobs may listen.
      setMaxListeners(0, siblings.signal);
      const cancel = () => siblings.abort();
      ctx.signal.addEventListener('abort', cancel, { once: true });
      const one = async (job: PlannedJob) => {
        try {
          const result = await start(job, siblings.signal);
          if (run.failFast && bad(result)) siblings.abort();
          return result;
        } catch (error) {
          siblings.abort();
          throw error;
        }
      };
      const here: JobResult[] = [];
      try {
        if (group.serial) {
          for (const job of group.jobs) {
            const result = await one(job);
            ended.set(job.name, Promise.resolve(result));
            here.push(result);
          }
        } else here.push(...(await allEnded(together(group.jobs, one, ended))));
      } finally {
        ctx.signal.removeEventListener('abort', cancel);
      }
      results.push(...here);
      if (run.isUntouched?.()) {
        if (run.failFast && here.some(bad)) stopped = true;
        continue;
      }
      const strands = await run.watch.look(here, { whole: group === groups.at(-1) });
      drift.push(...strands);
      const wrong = strands.filter((strand) => !run.isMeant?.(strand));
      if (run.failFast && (wrong.length > 0 || here.some(bad))) stopped = true;
    }
  }
}
