import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { VerbEvent } from '../../contract/events.ts';
import type { Context } from '../call/context.ts';
import { readBounded } from '../files/bounded-file.ts';
import { stateDir } from '../files/files.ts';
import { checkoutLockPath } from '../repository/checkout.ts';
import { isHeld } from '../state/lock-holder.ts';

const MOST_BYTES = 256 * 1024;
const text = z.string().max(4096);

/** How the last run of a gate verb in a checkout stands, or ended. It decides nothing: it is told to whoever asks. */
const LastRun = z.object({
  version: z.literal(1),
  /** The project root it ran in. */
  root: text,
  verb: text,
  commit: text,
  began: text,
  jobs: z.number().int().min(0),
  done: z.number().int().min(0),
  /** The jobs that run, each with the file it prints into. */
  running: z.array(z.object({ job: text, output: text })).max(1_000),
  failed: z.array(z.object({ job: text, output: text.exactOptional() })).max(1_000),
  /** The file that was printed into last. */
  output: text.exactOptional(),
  ended: text.exactOptional(),
  ok: z.boolean().exactOptional(),
  error: text.exactOptional(),
});
export type LastRun = z.infer<typeof LastRun>;

/** A checkout by its git directory. */
interface Checkout {
  gitDir: string;
  commonDir: string;
  linked: boolean;
}

const pathOf = ({ gitDir, commonDir, linked }: Checkout): string =>
  join(linked ? gitDir : stateDir(commonDir), 'discern-run.json');

/**
 * The last run in a checkout, and whether it is still going: it is while a living process holds the checkout's lock. `undefined` where
 * there was none, or where what lies there is no record of one.
 */
export async function lastRunIn(checkout: Checkout): Promise<(LastRun & { alive: boolean }) | undefined> {
  const found = await readBounded(pathOf(checkout), MOST_BYTES, { links: false });
  if (!found || 'problem' in found) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(found.text);
  } catch {
    // Cut off, or not ours.
    return undefined;
  }
  const { data } = LastRun.safeParse(value);
  if (data === undefined) return undefined;
  const alive =
    data.ended === undefined && (await isHeld(await checkoutLockPath(checkout.commonDir, checkout.gitDir)));
  return { ...data, alive };
}

/** Writes down how a run stands, while it runs and when it has ended. */
export class RunRecorder {
  readonly #path: string;
  #run: LastRun;
  /** Why it could not be written down, in words. */
  problem: string | undefined;

  constructor(checkout: Checkout & { root: string; commit: string }, verb: string) {
    this.#path = pathOf(checkout);
    const { root, commit } = checkout;
    const began = new Date().toISOString();
    this.#run = { version: 1, root, verb, commit, began, jobs: 0, done: 0, running: [], failed: [] };
  }

  /** The context of the run, whose events are written down on the way. */
  listening(ctx: Context): Context {
    return {
      ...ctx,
      emit: (event) => {
        this.#hear(event);
        ctx.emit(event);
      },
    };
  }

  ended(result: { ok: boolean; error?: string | undefined }): void {
    const { ok, error } = result;
    const ended = new Date().toISOString();
    this.#write({ ...this.#run, running: [], ended, ok, ...(error !== undefined && { error }) });
  }

  #hear(event: VerbEvent): void {
    const run = this.#run;
    if (event.type === 'run_started') this.#write({ ...run, jobs: event.jobs });
    else if (event.type === 'job_started') {
      const started = { job: event.job, output: event.output_path };
      this.#write({ ...run, running: [...run.running, started], output: event.output_path });
    } else if (event.type === 'job_finished') {
      const { job, outcome, done } = event;
      const output = run.running.find((one) => one.job === job)?.output;
      const bad = outcome === 'failed' || outcome === 'timed_out';
      this.#write({
        ...run,
        done,
        running: run.running.filter((one) => one.job !== job),
        failed: bad ? [...run.failed, { job, ...(output !== undefined && { output }) }] : run.failed,
      });
    }
  }

  /** In the order of events, and never half: a reader sees one state or the next. */
  #write(run: LastRun): void {
    this.#run = run;
    const temporary = `${this.#path}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, JSON.stringify(run));
      renameSync(temporary, this.#path);
    } catch (error) {
      this.problem ??= `How the run stands could not be written down: ${error instanceof Error ? error.message : error}.`;
    }
  }
}
