import type { WriteStream } from 'node:tty';
import { failureWords, progressWords } from '../contract/progress-words.ts';
import type { Verb } from '../contract/verbs.ts';
import type { Ink } from './ink.ts';
import { LiveProgress, type Progress } from './live.ts';
import { duration, printable } from './words.ts';

export interface ProgressOptions {
  verb: Verb;
  ink: Ink;
  json: boolean;
  terminal: boolean;
}

/**
 * How progress is shown on `stream`: redrawn in place on a terminal, else as one plain line for each job that starts or
 * ends. With `--json` nothing goes to what is no terminal, since its reader may have joined both streams.
 */
export function progressOn(stream: WriteStream, options: ProgressOptions): Progress {
  if (options.terminal) return new LiveProgress(stream, options.verb, options.ink);
  return options.json ? silent : plain(stream, options.ink);
}

/** How often a plain log has a line on how far a job is, in milliseconds. */
const PLAIN_EVERY_MS = 5_000;

const silent: Progress = { event: () => undefined, note: () => undefined, stop: () => undefined };

function plain(stream: WriteStream, ink: Ink): Progress {
  let stopped = false;
  /** When each job was last told of. */
  const said = new Map<string, number>();
  const line = (text: string) => {
    if (!stopped) stream.write(`${text}\n`);
  };
  return {
    event(raw) {
      const event = printable(raw);
      switch (event.type) {
        case 'run_started':
          return;
        case 'job_started':
          return line(`${ink.mark('running')} ${event.job} started`);
        case 'job_finished': {
          const after = event.outcome === 'skipped' ? '' : ` after ${duration(event.duration_ms)}`;
          const outcome = event.outcome.replace('_', ' ');
          return line(
            `${ink.mark(event.outcome)} ${event.job} ${outcome}${after} (${event.done}/${Math.max(event.done, event.jobs)})`,
          );
        }
        case 'job_progress': {
          if (event.failure)
            return line(`${ink.mark('failed')} ${event.job}: ${failureWords(event.failure)}`);
          const words = progressWords(event.progress ?? {});
          const now = performance.now();
          if (words === '' || now - (said.get(event.job) ?? -Infinity) < PLAIN_EVERY_MS) return;
          said.set(event.job, now);
          return line(`${ink.mark('running')} ${event.job}: ${words}`);
        }
        case 'waiting':
        case 'progress':
          return line(event.message);
      }
    },
    note: line,
    stop() {
      stopped = true;
    },
  };
}
