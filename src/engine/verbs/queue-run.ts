import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../contract/values.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { beginLanding, changeEntry, type Entry, readQueue } from '../queue/entries.ts';
import { openRepository, type Repository, requireTrunk, type Trunk } from '../repository/repository.ts';
import { acceptProved } from './accept.ts';
import { settled } from './queue-settle.ts';
import { judge, type Speculation } from './queue-speculate.ts';
import { holdsFor, passes, pauseMs } from './queue-tries.ts';

/** The most gates of entries that run at once, as of the jobs of one gate; their test jobs also wait for their slots. */
const MOST_AT_ONCE = Math.max(4, 2 * availableParallelism());

/** More than that run where the project bears more test runs at once, up to so many. */
const MOST_ASKED_FOR = 16;

const mostAtOnce = ({ config }: Repository) =>
  Math.max(MOST_AT_ONCE, Math.min(MOST_ASKED_FOR, config.config.gate.concurrent_test_runs));

/** How often others' changes of queue and trunk are looked for while gates run, in milliseconds; the end of a gate is seen at once. */
const LOOK_MS = 1_000;

/** True of one that is to be made anew. */
const isPast = ({ state, until = 0 }: Speculation) =>
  state === 'stale' || (state === 'paused' && Date.now() >= until);

/** How much of the queue is run. */
export interface Part {
  /** Without, only what is proved already lands. */
  gates: boolean;
  /** The worktree whose entry is left alone, and with it those behind it. */
  but?: string;
}

/**
 * One process's run of the queue: what it has judged, and on what. Whoever makes one holds the lock of the queue, and calls `end`.
 */
export class Run {
  readonly #home: string;
  readonly #ctx: Context;
  /** Of whoever called: what lands is cut off by them alone, and not because its time for gates is over. */
  readonly #caller: AbortSignal;
  readonly #stop: AbortSignal;
  readonly #specs = new Map<number, Speculation>();
  /** Which try of each this is, by its number and what it is judged on, where one was in vain. */
  readonly #tries = new Map<string, number>();
  /** Every gate that was begun, those of forgotten entries too. */
  readonly #gates = new Set<Promise<void>>();
  readonly #part: Part;
  /** What has landed, in words. */
  readonly went: string[] = [];

  constructor(home: string, ctx: Context, stop: AbortSignal, part: Part) {
    this.#part = part;
    this.#home = home;
    this.#ctx = { ...ctx, signal: stop };
    this.#caller = ctx.signal;
    this.#stop = stop;
  }

  async drive(): Promise<void> {
    while (!this.#stop.aborted) {
      const repo = await openRepository(this.#home);
      const { entries } = await readQueue(repo.commonDir);
      const waiting = entries.filter(({ state }) => state === 'waiting');
      const standing = new Set(waiting.map(({ number }) => number));
      for (const number of [...this.#specs.keys()].filter((one) => !standing.has(one))) this.#forget(number);
      if (waiting.length === 0) return;
      if (await this.#step(repo, requireTrunk(repo), waiting)) continue;
      if (!this.#part.gates || (this.#part.but !== undefined && !this.#goesOn())) return;
      await this.#wait();
    }
  }

  /** Whether anything will come of waiting. */
  #goesOn(): boolean {
    return [...this.#specs.values()].some(({ state }) => state === 'running' || state === 'paused');
  }

  /** Ends every gate and waits for that. */
  async end(): Promise<void> {
    for (const { stop } of this.#specs.values()) stop.abort();
    await Promise.all(this.#gates);
  }

  #forget(number: number): void {
    this.#specs.get(number)?.stop.abort();
    this.#specs.delete(number);
  }

  /** One look at the queue; true where something was settled, so that the next look finds another queue or trunk. */
  async #step(repo: Repository, trunk: Trunk, waiting: readonly Entry[]): Promise<boolean> {
    let base = trunk.commit;
    let running = 0;
    for (const entry of waiting) {
      if (entry.worktree === this.#part.but) return false;
      let spec = this.#specs.get(entry.number);
      if (spec === undefined || spec.base !== base || spec.head !== entry.commit || isPast(spec)) {
        this.#forget(entry.number);
        if (running >= mostAtOnce(repo)) break;
        const settled = await this.#check(repo, entry);
        if (settled) return true;
        spec = await judge(entry, { ...trunk, commit: base }, this.#part.gates, this.#ctx);
        this.#specs.set(entry.number, spec);
        this.#gates.add(spec.ended);
      }
      if (!this.#part.gates && spec.state !== 'green') return false;
      if (spec.state === 'running') running++;
      // What it was judged on may be what failed, so that it is held only where that is the trunk.
      if (spec.state === 'unjudged' && (base === trunk.commit || this.#mayTry(entry, spec))) {
        await this.#unjudged(repo, entry, spec, spec.error ?? 'unavailable', spec.reason ?? '');
        return true;
      }
      if (spec.state === 'red') {
        // It is its own fault only where all that it was judged on is on the trunk.
        if (base !== trunk.commit) continue;
        await this.#out(repo, entry, spec.error ?? 'gate_failed', spec.reason ?? 'its gate failed');
        return true;
      }
      if (spec.state === 'green' && base === trunk.commit) {
        return (await this.#land(repo, entry, spec)) || this.#part.gates;
      }
      base = spec.to;
    }
    return false;
  }

  /** Settles an entry whose worktree or commit is not what was queued; false where it is. */
  async #check(repo: Repository, entry: Entry): Promise<boolean> {
    const over = await settled(repo, this.#home, entry, this.#ctx);
    if (over === undefined) return false;
    if ('landed' in over) await this.#landed(repo, entry, over.landed);
    else await this.#out(repo, entry, over.error, over.reason);
    return true;
  }

  /** True where that settled it. */
  async #land(repo: Repository, entry: Entry, spec: Speculation): Promise<boolean> {
    const { base, head, to, met } = spec;
    // Somebody may have held or dropped it since the queue was read; from here on nobody can.
    if (!(await beginLanding(repo.commonDir, entry.number))) return true;
    await point('queue.landing');
    try {
      const ctx = {
        ...this.#ctx,
        signal: this.#caller,
        consent: entry.agreed ? ('given' as const) : undefined,
        emit: () => undefined,
      };
      const answer = await acceptProved(entry.root, entry.how ? { how: entry.how } : {}, ctx, {
        base,
        head,
        to,
        met,
      });
      await point('queue.landed');
      // Of the very commit that was queued a landing was found half done, and finished: that is no refusal either.
      await this.#landed(
        repo,
        entry,
        answer.data?.landed_commit || to,
        answer.ok ? undefined : answer.message,
      );
      return true;
    } catch (error) {
      const slug = Refusal.is(error) ? error.slug : 'internal_error';
      const { landing } = ((Refusal.is(error) && error.detail.data) || {}) as {
        landing?: { trunk_landed?: boolean };
      };
      if (landing?.trunk_landed) {
        await this.#landed(repo, entry, to, messageOf(error));
        return true;
      }
      await changeEntry(repo.commonDir, entry.number, { judged: 'green' });
      if (!this.#part.gates || (slug === 'cancelled' && this.#stop.aborted)) return false;
      if (slug === 'behind_trunk') this.#forget(entry.number);
      else if (slug === 'busy') await this.#wait(1_000);
      else if (holdsFor.has(slug)) await this.#hold(repo, entry, slug, messageOf(error));
      else if (passes.has(slug)) await this.#unjudged(repo, entry, spec, slug, messageOf(error));
      else await this.#out(repo, entry, slug, messageOf(error));
      return true;
    }
  }

  #triesOf({ number }: Entry, { base }: Speculation): number {
    return this.#tries.get(`${number} ${base}`) ?? 1;
  }

  #mayTry(entry: Entry, spec: Speculation): boolean {
    return pauseMs(this.#triesOf(entry, spec)) !== undefined;
  }

  /** One that no verdict came of, by no fault of its own: it is tried again after a while, and held once that was in vain. */
  async #unjudged(
    repo: Repository,
    entry: Entry,
    spec: Speculation,
    error: string,
    reason: string,
  ): Promise<void> {
    const tries = this.#triesOf(entry, spec);
    this.#tries.set(`${entry.number} ${spec.base}`, tries + 1);
    const pause = pauseMs(tries);
    if (pause === undefined) {
      const why = `tried ${tries} times, and each time something else than the work kept it from being judged or landed: ${reason}`;
      return this.#hold(repo, entry, error, why);
    }
    this.#say(entry, `is tried again: ${reason}`);
    spec.state = 'paused';
    spec.until = Date.now() + pause;
  }

  async #landed({ commonDir }: Repository, entry: Entry, landed: string, reason?: string): Promise<void> {
    this.#specs.delete(entry.number);
    await changeEntry(commonDir, entry.number, { state: 'landed', landed, ...(reason && { reason }) });
    this.went.push(`q${entry.number} (${entry.branch ?? entry.worktree})`);
    this.#say(entry, `landed as ${landed.slice(0, 10)}`);
  }

  async #hold({ commonDir }: Repository, entry: Entry, error: string, reason: string): Promise<void> {
    this.#forget(entry.number);
    await changeEntry(commonDir, entry.number, { state: 'held', error, reason });
    this.#say(entry, `is held: ${reason}`);
  }

  async #out({ commonDir }: Repository, entry: Entry, error: string, reason: string): Promise<void> {
    this.#forget(entry.number);
    await changeEntry(commonDir, entry.number, { state: 'out', error, reason });
    this.#say(entry, `fell out: ${reason}`);
  }

  #say({ number, branch, worktree }: Entry, what: string): void {
    this.#ctx.emit({ type: 'progress', message: `q${number} (${branch ?? worktree}) ${what}` });
  }

  /** Until a gate ends, or others may have changed something. */
  async #wait(ms = LOOK_MS): Promise<void> {
    const running = [...this.#specs.values()].filter(({ state }) => state === 'running');
    const timer = new AbortController();
    const tick = sleep(ms, undefined, { signal: AbortSignal.any([timer.signal, this.#stop]) }).catch(
      () => undefined,
    );
    await Promise.race([tick, ...running.map(({ ended }) => ended)]);
    timer.abort();
  }
}
