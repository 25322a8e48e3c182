import { createReadStream, createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Outcome, Step } from '../../contract/envelope.ts';
import type { Context } from '../call/context.ts';
import { readOutput } from '../diagnostics/index.ts';
import { runCommand } from '../process/shell.ts';
import type { JobResult, PlannedJob } from './planned-job.ts';
import { type ProgressSink, ProgressWatch } from './progress-watch.ts';

/** Where what a job prints on its standard output alone is kept, for whoever reads it. */
export const stdoutOf = (outputPath: string) => outputPath.replace(/(?:\.log)?$/, '.stdout');

/** Runs one job's commands in order, until one fails. Never rejects for anything the job does. */
export async function runJob(
  job: PlannedJob,
  run: { root: string; env: NodeJS.ProcessEnv; outputPath: string; signal: AbortSignal; sink: ProgressSink },
): Promise<JobResult> {
  const from = Date.now();
  const began = performance.now();
  await writeFile(run.outputPath, '');
  const stdoutPath = job.isRead ? stdoutOf(run.outputPath) : undefined;
  if (stdoutPath !== undefined) await writeFile(stdoutPath, '');
  const watch = new ProgressWatch(
    [run.outputPath, ...(stdoutPath === undefined ? [] : [stdoutPath])],
    run.sink,
  );
  const deadline = job.timeoutMs === undefined ? undefined : began + job.timeoutMs;
  const hints: string[] = [];
  let outcome: Outcome = 'passed';
  let exitCode: number | undefined;
  let failing = job.commands[0] ?? '';
  let reason: string | undefined;
  for (const command of job.commands) {
    const timeoutMs = deadline === undefined ? undefined : Math.max(1, deadline - performance.now());
    const result = await runCommand(command, {
      cwd: run.root,
      env: run.env,
      outputPath: run.outputPath,
      ...(stdoutPath !== undefined && { stdoutPath }),
      timeoutMs,
      signal: run.signal,
    });
    exitCode = result.exitCode;
    failing = command;
    if (result.leftovers) hints.push(`${job.name} left processes running behind it; they were ended.`);
    if (result.stuck) hints.push(`Something ${job.name} started could not be ended and may still run.`);
    if (result.ended) outcome = result.ended;
    else if (result.exitCode !== 0) outcome = 'failed';
    if (result.startError) reason = `The shell could not start it: ${result.startError}.`;
    else if (result.killedBy) reason = `It was ended by the signal ${result.killedBy}.`;
    if (outcome !== 'passed') break;
  }
  await watch.stop();
  if (stdoutPath !== undefined) {
    // Whoever reads the job's output wants all of it.
    await pipeline(createReadStream(stdoutPath), createWriteStream(run.outputPath, { flags: 'a' }));
  }
  const failed = outcome === 'failed' || outcome === 'timed_out';
  const reading = await readOutput({
    job: job.name,
    command: failing,
    root: run.root,
    outputPath: run.outputPath,
    failed,
  });
  const step: Step = {
    name: job.name,
    stage: job.stage,
    outcome,
    duration_ms: Math.round(performance.now() - began),
    ...(exitCode !== undefined && { exit_code: exitCode }),
    output_path: run.outputPath,
    output_lines: reading.lines,
  };
  if (reading.more > 0) hints.push(`${job.name} has ${reading.more} more findings in its output file.`);
  const diagnostics = [...reading.diagnostics];
  if (outcome === 'timed_out') {
    reason = `It was ended after its time limit of ${(job.timeoutMs ?? 0) / 1000} s; raise the job's timeout or find what hangs.`;
  }
  const first = diagnostics[0];
  if (reason && first) diagnostics[0] = { ...first, message: `${reason} ${first.message}` };
  return { step, diagnostics, hints, from, to: Date.now() };
}

/** The result of a job that was never started. */
export function skippedJob(job: PlannedJob): JobResult {
  const now = Date.now();
  return {
    step: { name: job.name, stage: job.stage, outcome: 'skipped', duration_ms: 0 },
    diagnostics: [],
    hints: [],
    from: now,
    to: now,
  };
}

/** Passes on what a job says of how far it is. */
export function sinkFor(
  { name: job, stage }: { name: string; stage: PlannedJob['stage'] | 'setup' },
  { emit }: Context,
): ProgressSink {
  return {
    progress: (progress) => emit({ type: 'job_progress', job, stage, progress }),
    failure: (failure) => emit({ type: 'job_progress', job, stage, failure }),
  };
}
