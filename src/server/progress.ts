import type { VerbEvent } from '../contract/events.ts';
import { failureWords, fractionOf, progressWords } from '../contract/progress-words.ts';
import { visible } from '../contract/visible.ts';

/** One MCP progress notification's worth: how far, of how much, in words. */
export interface Progress {
  progress: number;
  total?: number;
  message: string;
}

/**
 * Turns a verb's events into MCP progress. `progress` must grow with every notification (MCP, "Progress"), while events
 * can say twice that three of five jobs are done; so what finishes no job counts as a thousandth of one.
 */
export function progressOf(): (event: VerbEvent) => Progress | undefined {
  let last = 0;
  let total: number | undefined;
  let done = 0;
  /** How much of each running job is behind, as far as it says so. */
  const fractions = new Map<string, number>();
  const grow = (to: number) => {
    last = Math.max(last + 0.001, to);
    return last;
  };
  const within = () => [...fractions.values()].reduce((sum, one) => sum + one, 0);
  return (told) => {
    const event = visible(told);
    const of = total === undefined ? {} : { total };
    switch (event.type) {
      case 'run_started':
        total = event.jobs > 0 ? event.jobs : undefined;
        return {
          progress: grow(0),
          ...(total !== undefined && { total }),
          message: `${event.verb} in ${event.root}`,
        };
      case 'job_started':
        return { progress: grow(last), ...of, message: `${event.job} (${event.stage}) started` };
      case 'job_finished':
        total = event.jobs;
        done = event.done;
        fractions.delete(event.job);
        return {
          progress: grow(done + within()),
          total: Math.max(event.jobs, event.done),
          message: `${event.job} ${event.outcome} after ${(event.duration_ms / 1000).toFixed(1)} s`,
        };
      case 'job_progress': {
        const { job, progress, failure } = event;
        const fraction = progress && fractionOf(progress);
        if (fraction !== undefined) fractions.set(job, fraction);
        const words = failure ? failureWords(failure) : progressWords(progress ?? {});
        if (words === '') return undefined;
        return { progress: grow(done + within()), ...of, message: `${job}: ${words}` };
      }
      case 'waiting':
      case 'progress':
        return { progress: grow(last), ...of, message: event.message };
    }
  };
}
