import type { GateRunView } from '../../contract/gate-view.ts';

/** A mark on the time axis: where it stands, as a fraction of the axis, and what it says. */
export interface Tick {
  ms: number;
  at: number;
  label: string;
}

/** While a run goes on the axis shows at least this much, so that the first bars have room to grow. */
const LEAST_RUNNING_MS = 1000;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps a person reads off without arithmetic. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
];

/** Milliseconds from the axis's left end to its right end: from the run's beginning to now, and never 0. */
export function spanOf(run: GateRunView, elapsed: number): number {
  const last = run.jobs.reduce((latest, job) => Math.max(latest, job.start, job.end ?? 0), 0);
  return Math.max(elapsed, last, run.running ? LEAST_RUNNING_MS : 1);
}

/**
 * Milliseconds until an axis of `span` milliseconds is worth drawing again: when its end has moved by a five-hundredth,
 * about half a pixel of a side bar. From 66 (15 times a second) to 500, since running times are shown in seconds.
 */
export const frameMs = (span: number): number => Math.min(500, Math.max(66, span / 500));

/**
 * Marks at round times from 0 up to `span`, at most `most` of them (the one at 0 always). Their distance is the least
 * of the round steps that keeps to that.
 */
export function ticks(span: number, most: number): Tick[] {
  const least = span / Math.max(1, Math.floor(most));
  const step = steps.find((one) => one > least) ?? Math.ceil(least / DAY + 1e-9) * DAY;
  const marks: Tick[] = [];
  for (let ms = 0; ms <= span; ms += step) marks.push({ ms, at: ms / span, label: tickLabel(ms) });
  return marks;
}

/** The time of a mark: `0`, `200 ms`, `15 s`, `2m`, `1:30`, `2h`, `1h 30`. */
export function tickLabel(ms: number): string {
  if (ms === 0) return '0';
  if (ms < SECOND) return `${ms} ms`;
  if (ms < MINUTE) return `${ms / SECOND} s`;
  const [hours, minutes] = [Math.floor(ms / HOUR), Math.floor((ms % HOUR) / MINUTE)];
  const seconds = Math.floor((ms % MINUTE) / SECOND);
  if (hours > 0) return minutes === 0 ? `${hours}h` : `${hours}h ${String(minutes).padStart(2, '0')}`;
  return seconds === 0 ? `${minutes}m` : `${minutes}:${String(seconds).padStart(2, '0')}`;
}
