import type { GateJob } from '../../contract/gate-view.ts';
import { stateWord } from './jobs.ts';
import { count, duration, elapsed, spoken } from './time.ts';

/** Where a job's bar lies on the axis, as fractions of it: `left` and `left + width` are within 0 to 1. */
export interface Bar {
  left: number;
  width: number;
  /** What stands at the end of the bar. */
  label: string;
}

const within = (value: number) => (Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0);

/** Milliseconds a job has taken, up to `now` while it runs; times are since the run began. */
export function tookMs({ state, start, end }: GateJob, now: number): number {
  return Math.max(0, (end ?? (state === 'running' ? now : start)) - start);
}

/** The bar of one job, `now` milliseconds into the run, on an axis of `span` milliseconds. */
export function barOf(job: GateJob, now: number, span: number): Bar {
  const took = tookMs(job, now);
  const left = within(job.start / span);
  return {
    left,
    width: within((job.start + took) / span) - left,
    label: label(job, took),
  };
}

function label({ state, far }: GateJob, took: number): string {
  if (state === 'skipped') return stateWord(state);
  if (state !== 'running') return duration(took);
  return far === undefined ? elapsed(took) : `${elapsed(took)}, ${far}`;
}

/** What its row does not say of how a job ended: `exit code 1, 240 lines`; '' when there is nothing to add. */
export function ending({ state, exit_code, output_lines }: GateJob): string {
  const how = state === 'timed_out' || state === 'cancelled' ? [stateWord(state)] : [];
  const code = exit_code === undefined || exit_code === 0 ? [] : [`exit code ${exit_code}`];
  const lines = output_lines === undefined ? [] : [count(output_lines, 'line')];
  return [...how, ...code, ...lines].join(', ');
}

/**
 * What a screen reader says of a job's row. A running job's time is left out: a name that changes all the time would be
 * read again and again.
 */
export function jobLabel(job: GateJob): string {
  const { name, stage, state, exit_code } = job;
  const took = state === 'running' || state === 'skipped' ? [] : [`after ${spoken(tookMs(job, 0))}`];
  const code = exit_code === undefined || exit_code === 0 ? [] : [`exit code ${exit_code}`];
  return [name, `${stage} stage`, [stateWord(state), ...took].join(' '), ...code].join(', ');
}
