import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { JobFailure, JobProgress } from '../../contract/job-progress.ts';
import { errnoOf } from '../files/errno.ts';
import { LONGEST_LINE, toldIn } from './progress-line.ts';

/** How often a job's output is looked at, in milliseconds. */
const EVERY_MS = 250;
/** How much of it is read at once, and at most at one look, in bytes; a job that prints faster is passed over in part. */
const CHUNK = 256 * 1024;
const MOST_BYTES = 64 * CHUNK;
/** How many failures of one job are told while it runs. */
const MOST_FAILURES = 50;

export interface ProgressSink {
  progress(progress: JobProgress): void;
  failure(failure: JobFailure): void;
}

/**
 * Follows what a job prints into its files and tells what its `DISCERN_PROGRESS` lines say: what it last said of each fact, and
 * each failure once. Costs a look at the files now and then, whatever the job prints; a line may be missed, none is invented.
 */
export class ProgressWatch {
  readonly #files: Follower[];
  readonly #sink: ProgressSink;
  readonly #timer: NodeJS.Timeout;
  readonly #failures = new Set<string>();
  #known: JobProgress = {};
  #looking: Promise<void> = Promise.resolve();

  constructor(paths: readonly string[], sink: ProgressSink) {
    this.#files = paths.map((path) => new Follower(path));
    this.#sink = sink;
    this.#timer = setInterval(() => this.#queue(), EVERY_MS);
    this.#timer.unref();
  }

  #queue(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  /** Looks a last time, and no more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#queue();
  }

  async #look(): Promise<void> {
    const before = JSON.stringify(this.#known);
    for (const file of this.#files) for await (const line of file.lines()) this.#take(line);
    if (JSON.stringify(this.#known) !== before) this.#sink.progress(this.#known);
  }

  #take(line: string): void {
    const { progress, failure } = toldIn(line) ?? {};
    if (progress) {
      // A count without a total is not of the total that was told before.
      const { total: _, ...rest } = this.#known;
      this.#known = { ...(progress.completed === undefined ? this.#known : rest), ...progress };
    }
    if (!failure) return;
    const key = JSON.stringify([failure.name, failure.file, failure.line]);
    if (this.#failures.has(key) || this.#failures.size >= MOST_FAILURES) return;
    this.#failures.add(key);
    this.#sink.failure(failure);
  }
}

/** Reads the whole lines that a growing file got since the last look, in parts. */
class Follower {
  readonly #path: string;
  #at = 0;
  #rest = '';
  #decoder = new StringDecoder('utf8');

  constructor(path: string) {
    this.#path = path;
  }

  async *lines(): AsyncGenerator<string> {
    for (let text = await this.#more(); text !== ''; text = await this.#more()) {
      const parts = (this.#rest + text).split(/\r?\n|\r/);
      this.#rest = parts.pop() ?? '';
      // Too long to be a report; it is read on at its end.
      if (this.#rest.length > LONGEST_LINE) this.#rest = '';
      yield* parts;
    }
  }

  async #more(): Promise<string> {
    let file: Awaited<ReturnType<typeof open>>;
    try {
      file = await open(this.#path, 'r');
    } catch (error) {
      // It is not there yet, or no more: whoever reads the job's output says so.
      if (errnoOf(error) === undefined) throw error;
      return '';
    }
    try {
      const { size } = await file.stat();
      if (size - this.#at > MOST_BYTES) {
        this.#at = size - MOST_BYTES;
        this.#rest = '';
        this.#decoder = new StringDecoder('utf8');
      }
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(Math.max(0, size - this.#at)),
        0,
        null,
        this.#at,
      );
      this.#at += bytesRead;
      return this.#decoder.write(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  }
}
