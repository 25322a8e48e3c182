import { setTimeout as sleep } from 'node:timers/promises';
import type { Diagnostic, Step } from '../../contract/envelope.ts';
import type { Context } from '../call/context.ts';
import { runJob, sinkFor } from '../jobs/job.ts';
import { newRunDir, outputFile } from '../jobs/run-dir.ts';

/** One command of a lifecycle verb. */
export interface Order {
  /** Where discern.toml says it, such as `worktree.setup.steps[0]`. */
  name: string;
  command: string;
  /** How often it is tried again when it fails. */
  retries?: number;
  /** False: that it fails is worth a hint, and no failure. */
  required?: boolean;
  /** Seconds it may take, in place of the gate's; 0 is no limit. */
  timeout?: number;
}

export interface CommandsResult {
  steps: Step[];
  diagnostics: Diagnostic[];
  hints: string[];
  /** The order that failed although it was required. */
  failed?: Order;
}

export interface CommandsPlace {
  commonDir: string;
  /** Where commands run. */
  root: string;
  env: NodeJS.ProcessEnv;
  /** Seconds each may take; 0 is no limit. */
  timeout: number;
}

/** The published format's limit: a command that failed so often does not fail by accident. */
const MOST_RETRIES = 5;
/** What is waited before the first retry, in milliseconds; twice as long before each later one. */
const RETRY_MS = 250;

/** Runs the commands of one lifecycle verb one by one, and keeps what came of them. */
export class Commands {
  readonly result: CommandsResult = { steps: [], diagnostics: [], hints: [] };
  readonly #place: CommandsPlace;
  readonly #ctx: Context;
  readonly #verb: string;
  #runDir: Promise<string> | undefined;
  #files = 0;
  #planned = 0;

  constructor(place: CommandsPlace, verb: string, ctx: Context) {
    this.#place = place;
    this.#verb = verb;
    this.#ctx = ctx;
  }

  /** Says how many more will run, for whoever watches. */
  plan(count: number): void {
    this.#planned += count;
  }

  /** Runs orders in order. False as soon as a required one failed; nothing runs after that. */
  async runAll(orders: readonly Order[]): Promise<boolean> {
    for (const order of orders) {
      await this.run(order);
      if (this.result.failed) return false;
    }
    return true;
  }

  /** Runs one order, again while it fails and may be retried. True when it passed in the end. */
  async run(order: Order): Promise<boolean> {
    const retries = Math.min(order.retries ?? 0, MOST_RETRIES);
    let ran = await this.#attempt(order, 0);
    for (let n = 1; n <= retries && ran.step.outcome === 'failed'; n++) {
      this.#ctx.emit({
        type: 'progress',
        message: `${order.name} failed; trying again (${n} of ${retries}).`,
      });
      await sleep(RETRY_MS * 2 ** (n - 1), undefined, { signal: this.#ctx.signal }).catch(() => undefined);
      ran = await this.#attempt(order, n);
    }
    const step: Step = { ...ran.step, stage: 'setup' };
    this.result.steps.push(step);
    this.result.hints.push(...ran.hints);
    this.#ctx.emit({
      type: 'job_finished',
      job: order.name,
      stage: 'setup',
      outcome: step.outcome,
      duration_ms: step.duration_ms,
      done: this.result.steps.length,
      jobs: Math.max(this.#planned, this.result.steps.length),
    });
    if (step.outcome === 'passed') return true;
    // A call that was cancelled does not go on, whatever was cancelled.
    if (order.required === false && !this.#ctx.signal.aborted) {
      const what = step.outcome === 'timed_out' ? 'ran out of time' : 'failed';
      this.result.hints.push(`${order.name} ${what}, which is not required: see ${step.output_path}.`);
    } else {
      this.result.failed = order;
      this.result.diagnostics.push(...ran.diagnostics);
    }
    return false;
  }

  async #attempt(order: Order, retry: number) {
    this.#runDir ??= newRunDir(this.#place.commonDir, `${this.#verb}-setup`);
    const { root, env } = this.#place;
    const timeout = order.timeout ?? this.#place.timeout;
    const label = retry === 0 ? order.name : `${order.name}-retry-${retry}`;
    const outputPath = outputFile(await this.#runDir, label, this.#files++);
    this.#ctx.emit({ type: 'job_started', job: order.name, stage: 'setup', output_path: outputPath });
    const job = {
      name: order.name,
      stage: 'fix' as const,
      commands: [order.command],
      ...(timeout > 0 && { timeoutMs: timeout * 1000 }),
    };
    const sink = sinkFor({ name: order.name, stage: 'setup' }, this.#ctx);
    return runJob(job, { root, env, outputPath, signal: this.#ctx.signal, sink });
  }
}
