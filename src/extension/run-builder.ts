import type { AnyEnvelope } from '../contract/answers.ts';
import type { GateData } from '../contract/data.ts';
import type { VerbEvent } from '../contract/events.ts';
import type { GateJob, GateRunView } from '../contract/gate-view.ts';
import { progressWords } from '../contract/progress-words.ts';
import { reusedWords } from '../contract/reused-words.ts';

/** Puts the Gate view's picture of one run together from the events of its call. */
export class RunBuilder {
  readonly call: number;
  readonly #verb: string;
  readonly #caller: 'person' | 'agent';
  readonly #began = performance.now();
  readonly #jobs: GateJob[] = [];
  #root: string;
  #waiting: string | undefined;
  #envelope: AnyEnvelope | undefined;
  #ended: number | undefined;
  #lost = false;

  constructor(call: number, verb: string, caller: 'person' | 'agent', root: string) {
    this.call = call;
    this.#verb = verb;
    this.#caller = caller;
    this.#root = root;
  }

  get running(): boolean {
    return this.#ended === undefined;
  }

  get root(): string {
    return this.#root;
  }

  get verb(): string {
    return this.#verb;
  }

  get hasJobs(): boolean {
    return this.#jobs.length > 0;
  }

  get waiting(): boolean {
    return this.#waiting !== undefined;
  }

  add(event: VerbEvent): void {
    const now = performance.now() - this.#began;
    switch (event.type) {
      case 'run_started':
        this.#root = event.root;
        this.#waiting = undefined;
        return;
      case 'job_started':
        this.#waiting = undefined;
        this.#jobs.push({
          name: event.job,
          stage: event.stage,
          state: 'running',
          start: now,
          output_path: event.output_path,
        });
        return;
      case 'job_finished': {
        const job = this.#jobs.find((one) => one.name === event.job && one.state === 'running');
        if (job) {
          Object.assign(job, { state: event.outcome, end: now });
          delete job.far;
        } else
          this.#jobs.push({
            name: event.job,
            stage: event.stage,
            state: event.outcome,
            start: now,
            end: now,
          });
        return;
      }
      case 'job_progress': {
        const job = this.#jobs.find((one) => one.name === event.job && one.state === 'running');
        const words = progressWords(event.progress ?? {});
        if (job && words !== '') job.far = words;
        return;
      }
      case 'waiting':
        this.#waiting = event.message;
        return;
      case 'progress':
        return;
    }
  }

  finish(envelope: AnyEnvelope): void {
    this.#envelope = envelope;
    this.#ended = performance.now() - this.#began;
    this.#waiting = undefined;
    for (const step of envelope.steps ?? []) {
      const job = this.#jobs.find((one) => one.name === step.name);
      if (!job) continue;
      if (step.exit_code !== undefined) job.exit_code = step.exit_code;
      if (step.output_lines !== undefined) job.output_lines = step.output_lines;
      job.state = step.outcome;
      if (step.reused !== undefined) job.reused = reusedWords(step.reused);
    }
    this.#endJobs();
  }

  /** The server went away in the middle. */
  lost(): void {
    this.#lost = true;
    this.#ended = performance.now() - this.#began;
    this.#endJobs();
  }

  #endJobs(): void {
    for (const job of this.#jobs) {
      if (job.state === 'running') Object.assign(job, { state: 'cancelled', end: this.#ended });
    }
  }

  view(): GateRunView {
    const envelope = this.#envelope;
    // What is not of this verb is not there.
    const data: Partial<GateData> | undefined = envelope && gateData(envelope);
    return {
      call: this.call,
      verb: this.#verb,
      caller: this.#caller,
      root: data?.root ?? this.#root,
      ...(data?.branch !== undefined && { branch: data.branch }),
      ...(data?.commit !== undefined && { commit: data.commit }),
      running: this.running,
      elapsed: this.#ended ?? performance.now() - this.#began,
      jobs: this.#jobs.map((job) => ({ ...job })),
      ...(this.#waiting !== undefined && { waiting: this.#waiting }),
      ...(envelope && { ok: envelope.ok }),
      ...(envelope?.error !== undefined && { error: envelope.error }),
      ...(envelope?.message !== undefined && { message: envelope.message }),
      ...(this.#lost && { ok: false, error: 'cancelled', message: 'The server ended before the run did.' }),
      hints: envelope?.hints ?? [],
      diagnostics: envelope?.diagnostics ?? [],
      ...(data?.proof && { proof: data.proof }),
      ...(data?.jobs && { counts: data.jobs }),
      scopes: data?.scopes ?? [],
      standards: data?.standards ?? [],
      drift: data?.drift ?? [],
    };
  }
}

/** What an answer says of a run: every verb says it in the words of the gate. */
const gateData = ({ data }: AnyEnvelope) => data as Partial<GateData> | undefined;
