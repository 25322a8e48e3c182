import { setMaxListeners } from 'node:events';
import type { Drift } from '../../contract/data.ts';
import type { Context } from '../context.ts';
import type { DriftWatch } from './drift.ts';
import { runJob, skippedJob } from './job.ts';
import type { JobGroup } from './plan.ts';
import type { JobResult, PlannedJob } from './planned-job.ts';
import { outputFile } from './run-dir.ts';

export interface StageRun {
  root: string;
  env: NodeJS.ProcessEnv;
  runDir: string;
  failFast: boolean;
  watch: DriftWatch;
}

export interface StagesResult {
  results: JobResult[];
  drift: Drift[];
}

const bad = ({ step }: JobResult) => step.outcome !== 'passed';

/** The results, in order, once every job has ended: also when one rejects, none is left running behind the error. */
async function allEnded(jobs: Promise<JobResult>[]): Promise<JobResult[]> {
  await Promise.allSettled(jobs);
  return Promise.all(jobs);
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
  let index = 0;
  let done = 0;
  let stopped = false;

  const finish = (result: JobResult) => {
    done++;
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
    if (signal.aborted) return finish(skippedJob(job));
    ctx.emit({ type: 'job_started', job: job.name, stage: job.stage, output_path: outputPath });
    const result = await runJob(job, { root: run.root, env: run.env, outputPath, signal });
    return finish(job.judge ? await job.judge(result) : result);
  };

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
    const ran: JobResult[] = [];
    try {
      if (group.serial) for (const job of group.jobs) ran.push(await one(job));
      else ran.push(...(await allEnded(group.jobs.map(one))));
    } finally {
      ctx.signal.removeEventListener('abort', cancel);
    }
    results.push(...ran);
    const strands = await run.watch.look(ran, { whole: group === groups.at(-1) });
    drift.push(...strands);
    if (run.failFast && (strands.length > 0 || ran.some(bad))) stopped = true;
  }
  return { results, drift };
}
