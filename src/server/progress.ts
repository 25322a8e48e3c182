import type { VerbEvent } from '../contract/events.ts';
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
  const grow = (to: number) => {
    last = Math.max(last + 0.001, to);
    return last;
  };
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
        return {
          progress: grow(event.done),
          total: Math.max(event.jobs, event.done),
          message: `${event.job} ${event.outcome} after ${(event.duration_ms / 1000).toFixed(1)} s`,
        };
      case 'waiting':
      case 'progress':
        return { progress: grow(last), ...of, message: event.message };
    }
  };
}
