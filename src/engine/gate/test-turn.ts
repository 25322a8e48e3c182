import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';
import type { PlannedJob } from '../jobs/planned-job.ts';
import type { Repository } from '../repository/repository.ts';
import { usualTestTime } from './logbook.ts';
import { type Slot, type SlotOptions, takeSlot, unqueued } from './slots.ts';

/** How long a run keeps its slot when its last running test job has ended, for one that was waiting on that, in milliseconds. */
const LINGER_MS = 200;

/**
 * The one slot of a run, held while any of its test jobs runs, and no longer: a job of another stage may be a gate that waits
 * for this very slot.
 */
export class TestTurn {
  readonly #options: Omit<SlotOptions, 'signal'>;
  #taking: Promise<Slot> | undefined;
  #users = 0;
  #linger: NodeJS.Timeout | undefined;
  /** How long it waited for a slot, and held one, in milliseconds. */
  readonly spent = { waited: 0, held: 0 };
  #since = 0;
  /** Why there was no queue to wait in, where that is so. */
  problem: string | undefined;

  constructor(options: Omit<SlotOptions, 'signal'>) {
    this.#options = options;
  }

  /** Waits for the slot; answers what tells a job of it, or `undefined` where the wait was cancelled. */
  async enter(signal: AbortSignal): Promise<Record<string, string> | undefined> {
    clearTimeout(this.#linger);
    this.#users++;
    this.#taking ??= this.#take(signal);
    try {
      return (await this.#taking).env;
    } catch (error) {
      this.#users--;
      this.#taking = undefined;
      if (!Refusal.is(error) || error.slug !== 'cancelled') throw error;
      return undefined;
    }
  }

  async #take(signal: AbortSignal): Promise<Slot> {
    const asked = performance.now();
    const slot = await takeSlot({ ...this.#options, signal }).catch((error: unknown) => {
      if (Refusal.is(error) ? error.slug === 'cancelled' : errnoOf(error) === undefined) throw error;
      this.problem = `Test runs could not be queued, so this one went without a slot: ${(error as Error).message}`;
      return unqueued;
    });
    this.#since = performance.now();
    this.spent.waited += Math.round(this.#since - asked);
    return slot;
  }

  leave(): void {
    this.#users--;
    if (this.#users > 0) return;
    this.#linger = setTimeout(() => {
      this.close().catch(() => undefined); // whoever closes the run hears of it
    }, LINGER_MS);
    this.#linger.unref();
  }

  /** Gives the slot back, where it is held and nobody of the run uses it. */
  async close(): Promise<void> {
    clearTimeout(this.#linger);
    if (this.#users > 0) return;
    const taking = this.#taking;
    this.#taking = undefined;
    if (!taking) return;
    const slot = await taking;
    this.spent.held += Math.round(performance.now() - this.#since);
    await slot.release();
  }
}

/** The turn of a run in one checkout, which says for whom it waits. */
export async function turnOf(
  repo: Repository,
  verb: string,
  groups: readonly { jobs: readonly PlannedJob[] }[],
  ctx: Context,
): Promise<TestTurn> {
  const limit = repo.config.config.gate.concurrent_test_runs;
  const queues = limit > 0 && groups.some(({ jobs }) => jobs.some(isTestRun));
  return new TestTurn({
    limit,
    purpose: `the tests of ${verb} in ${repo.root}`,
    expectedMs: queues ? await usualTestTime(repo) : undefined,
    onWait: (message) => ctx.emit({ type: 'waiting', message }),
  });
}

/** What takes a slot: a job of the test stage, less what only reads another job's output. */
export const isTestRun = ({ stage, commands }: PlannedJob): boolean =>
  stage === 'test' && commands.length > 0;
