/** What keeps an entry from landing only for now, and not by its own fault: it keeps its place until somebody releases it. */
export const holdsFor: ReadonlySet<string> = new Set([
  'dirty_landing_checkout',
  'landing_parked',
  'locked_worktree',
  'untrusted',
]);

/** What may be over when it is tried again. */
export const passes: ReadonlySet<string> = new Set([
  'busy',
  'cancelled',
  'timed_out',
  'unavailable',
  'internal_error',
]);

/** The pauses before that, in milliseconds; what fails still after the last is held. DISCERN_QUEUE_PAUSE sets other seconds for all. */
const PAUSES_MS = [1_000, 5_000];
export const pauseMs = (tries: number): number | undefined => {
  const seconds = Number(process.env.DISCERN_QUEUE_PAUSE ?? Number.NaN);
  const usual = PAUSES_MS[tries - 1];
  return usual !== undefined && seconds >= 0 && seconds < 3_600 ? seconds * 1_000 : usual;
};
