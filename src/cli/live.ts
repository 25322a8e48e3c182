import { count } from '../contract/count.ts';
import type { Outcome } from '../contract/envelope.ts';
import type { VerbEvent } from '../contract/events.ts';
import type { JobProgress } from '../contract/job-progress.ts';
import { failureWords, fractionOf, progressWords } from '../contract/progress-words.ts';
import type { Ink } from './ink.ts';
import { duration, elapsed, printable } from './words.ts';

/** Shows a person what a verb is doing while it does it. */
export interface Progress {
  event(event: VerbEvent): void;
  /** Something that is no event of the verb, such as that it is being cancelled. */
  note(message: string): void;
  /** Takes away what was only for the meantime; nothing is shown afterwards. */
  stop(): void;
}

const REDRAW_MS = 125;
const BAR_WIDTH = 10;

/** Without wrapping, a line too long for the terminal is clipped by it, and the number of rows is known (DECAWM). */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
const CLEAR_LINE_END = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** The terminal, as far as the block uses it; `rows` may be unknown. */
export interface Terminal {
  write(text: string): unknown;
  rows?: number;
}

interface LiveJob {
  name: string;
  from: number;
  far?: JobProgress;
  ended?: { outcome: Outcome; ms: number };
}

/** Text that takes one row, however it was broken. */
const oneRow = (text: string) => printable(text).replace(/\s+/g, ' ');

/** A block of lines on a terminal, one a job, redrawn in place and taken away at the end. */
export class LiveProgress implements Progress {
  readonly #stream: Terminal;
  readonly #verb: string;
  readonly #ink: Ink;
  readonly #began = performance.now();
  readonly #jobs: LiveJob[] = [];
  #total = 0;
  #said = '';
  #rows = 0;
  #drawn = '';
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(stream: Terminal, verb: string, ink: Ink) {
    this.#stream = stream;
    this.#verb = verb;
    this.#ink = ink;
  }

  event(event: VerbEvent): void {
    switch (event.type) {
      case 'run_started':
        this.#total = event.jobs;
        this.#said = '';
        break;
      case 'job_started':
        this.#jobs.push({ name: oneRow(event.job), from: performance.now() });
        break;
      case 'job_finished': {
        this.#total = Math.max(this.#total, event.jobs);
        const ended = { outcome: event.outcome, ms: event.duration_ms };
        const name = oneRow(event.job);
        const job = this.#jobs.find((one) => one.name === name && !one.ended);
        if (job) job.ended = ended;
        else this.#jobs.push({ name, from: performance.now(), ended });
        break;
      }
      case 'job_progress': {
        const job = this.#jobs.find((one) => one.name === oneRow(event.job) && !one.ended);
        if (job && event.progress) job.far = event.progress;
        if (event.failure) this.#said = oneRow(`${event.job}: ${failureWords(event.failure)}`).slice(0, 200);
        break;
      }
      case 'waiting':
      case 'progress':
        this.#said = oneRow(event.message);
    }
    this.#show();
  }

  note(message: string): void {
    this.#said = oneRow(message);
    this.#show();
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#timer);
    if (this.#rows > 0) this.#stream.write(`\r\u001b[${this.#rows}A${CLEAR_BELOW}`);
  }

  #show(): void {
    if (this.#stopped) return;
    this.#timer ??= setInterval(() => this.#draw(), REDRAW_MS);
    this.#draw();
  }

  /** One write for the whole block, so that a terminal never shows half of it. */
  #draw(): void {
    const lines = this.#lines();
    const block = lines.join('\n');
    if (block === this.#drawn) return;
    this.#drawn = block;
    const up = this.#rows > 0 ? `\u001b[${this.#rows}A` : '';
    const body = lines.map((line) => `${line}${CLEAR_LINE_END}\n`).join('');
    this.#stream.write(`\r${up}${NO_WRAP}${body}${WRAP}${CLEAR_BELOW}`);
    this.#rows = lines.length;
  }

  #lines(): string[] {
    const ink = this.#ink;
    const done = this.#jobs.filter((job) => job.ended).length;
    const progress = this.#total > 0 ? `  ${done}/${count(this.#total, 'job')}` : '';
    const head = `${ink.bold(this.#verb)}${progress}  ${ink.dim(elapsed(performance.now() - this.#began))}`;
    const said = this.#said === '' ? [] : [`  ${this.#said}`];
    // The block must fit, since what has scrolled away cannot be redrawn. Jobs that passed are the least news.
    const room = Math.max(1, (this.#stream.rows || 24) - 3 - said.length);
    const news = [...this.#jobs];
    let hidden = 0;
    while (news.length + (hidden > 0 ? 1 : 0) > room) {
      const passed = news.findIndex((job) => job.ended?.outcome === 'passed');
      news.splice(Math.max(passed, 0), 1);
      hidden++;
    }
    const more = hidden > 0 ? [ink.dim(`  and ${hidden} more`)] : [];
    const width = Math.max(0, ...news.map((job) => job.name.length));
    return [head, ...more, ...news.map((job) => this.#line(job, width)), ...said];
  }

  /** How much of a job is behind, as a bar; nothing where that is not known. */
  #bar(far: JobProgress): string {
    const fraction = fractionOf(far);
    if (fraction === undefined) return '';
    const full = Math.round(fraction * BAR_WIDTH);
    const [done, left] = this.#ink.unicode ? ['█', '░'] : ['#', '.'];
    return `${this.#ink.cyan(done.repeat(full))}${this.#ink.dim(left.repeat(BAR_WIDTH - full))} `;
  }

  #line({ name, from, far, ended }: LiveJob, width: number): string {
    const ink = this.#ink;
    const padded = name.padEnd(width);
    if (!ended) {
      const how = far ? `  ${this.#bar(far)}${ink.dim(oneRow(progressWords(far)))}` : '';
      return `  ${ink.mark('running')} ${padded}  ${ink.dim(elapsed(performance.now() - from))}${how}`;
    }
    const state =
      ended.outcome === 'passed'
        ? duration(ended.ms)
        : `${ended.outcome.replace('_', ' ')}  ${duration(ended.ms)}`;
    return `  ${ink.mark(ended.outcome)} ${padded}  ${ink.dim(state)}`;
  }
}
