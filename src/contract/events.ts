import type { Outcome, Stage } from './envelope.ts';

/** What happens while a verb runs. The CLI's live lines, MCP progress and the editor are fed from it. */
export type VerbEvent =
  /** A run begins; `jobs` is how many will be tried. */
  | { type: 'run_started'; root: string; verb: string; jobs: number }
  /** A job's process was started. */
  | { type: 'job_started'; job: string; stage: Stage | 'setup'; output_path: string }
  /** A job ended, or was never run. `done` of `jobs` are behind us. */
  | {
      type: 'job_finished';
      job: string;
      stage: Stage | 'setup';
      outcome: Outcome;
      duration_ms: number;
      done: number;
      jobs: number;
    }
  /** Someone else holds what this run needs. */
  | { type: 'waiting'; message: string }
  /** A step of a lifecycle verb, in words. */
  | { type: 'progress'; message: string };
