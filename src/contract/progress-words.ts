import type { JobFailure, JobProgress } from './job-progress.ts';

/** How far a job says it is, in words that follow its name: `3 of 8 files, 2 failed`; '' where it says nothing of that. */
export function progressWords({ kind, completed, total, failed, active = [] }: JobProgress): string {
  const far =
    completed === undefined
      ? []
      : [`${completed}${total === undefined ? '' : ` of ${total}`} ${kind ?? 'done'}`];
  const bad = failed ? [`${failed} failed`] : [];
  const [first] = active;
  const at = far.length + bad.length === 0 && first !== undefined ? [`at ${first}`] : [];
  return [...far, ...bad, ...at].join(', ');
}

/** The part of it that is behind, from 0 to 1; `undefined` where that is not known. */
export function fractionOf({ completed, total }: JobProgress): number | undefined {
  if (completed === undefined || total === undefined || total === 0) return undefined;
  return Math.min(1, completed / total);
}

/** A failure a job tells of while it runs: `alpha (tests/a.ts:42): expected 2, got 3`. */
export function failureWords({ name, message, file, line }: JobFailure): string {
  const at = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
  return `${name}${at}: ${message}`;
}
