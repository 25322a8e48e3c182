import * as z from 'zod';
import { Outcome, stages } from './envelope.ts';
import { JobFailure, JobProgress } from './job-progress.ts';

const JobStage = z.enum([...stages, 'setup']);

/** What happens while a verb runs. The CLI's live lines, MCP progress and the editor are fed from it. */
export const VerbEvent = z.discriminatedUnion('type', [
  /** A run begins; `jobs` is how many will be tried. */
  z.object({ type: z.literal('run_started'), root: z.string(), verb: z.string(), jobs: z.number() }),
  /** A job's process was started. */
  z.object({ type: z.literal('job_started'), job: z.string(), stage: JobStage, output_path: z.string() }),
  /** A job ended, or was never run. `done` of `jobs` are behind us. */
  z.object({
    type: z.literal('job_finished'),
    job: z.string(),
    stage: JobStage,
    outcome: Outcome,
    duration_ms: z.number(),
    done: z.number(),
    jobs: z.number(),
  }),
  /** A running job said how far it is, or what failed already, by a line `DISCERN_PROGRESS {…}`. */
  z.object({
    type: z.literal('job_progress'),
    job: z.string(),
    stage: JobStage,
    progress: JobProgress.optional(),
    failure: JobFailure.optional(),
  }),
  /** Someone else holds what this run needs. */
  z.object({ type: z.literal('waiting'), message: z.string() }),
  /** A step of a lifecycle verb, in words. */
  z.object({ type: z.literal('progress'), message: z.string() }),
]);
export type VerbEvent = z.infer<typeof VerbEvent>;
