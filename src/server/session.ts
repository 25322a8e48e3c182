import { type AnyEnvelope, isWhole, pathOf } from '../contract/answers.ts';
import type { Held } from '../contract/data.ts';
import type { VerbEvent } from '../contract/events.ts';
import { mayRunCommands, needsNoRoot, seeksAmongKnown, traits } from '../contract/traits.ts';
import type { Verb } from '../contract/verbs.ts';
import type { WindowEvent } from '../contract/window.ts';
import { Refusal } from '../engine/call/refusal.ts';
import { point } from '../engine/faults/faults.ts';
import type { Context } from '../engine/index.ts';
import { findRoot } from '../engine/repository/root.ts';
import type { Answer, CallRequest } from './call.ts';
import { callRoot, heldRoot, rootToSeekFrom } from './call-root.ts';
import { type Caller, Callers } from './caller.ts';
import type { Turn } from './callers.ts';
import { cancellable } from './cancellable.ts';
import { loadEngine } from './engine.ts';
import { HeldRoot } from './held-root.ts';
import { findSpawnRoot, type SpawnRoot } from './spawn-root.ts';
import type { Stance } from './standing.ts';
import { StateStore } from './state-store.ts';

export type { Answer, CallRequest } from './call.ts';

export interface SessionOptions {
  /** What `--root` named. */
  root?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** The process's directory, where it has one. */
  cwd: string | undefined;
  /** Where held roots are kept for the next process; nowhere unless given. */
  state?: StateStore;
  /** False in an untrusted workspace: then no project command runs. */
  trusted?: boolean;
  /** True on a server that may only look. */
  lookOnly?: boolean;
}

/**
 * What a server keeps between calls: the held root of each caller, and the order calls that may move it came in. It
 * resolves each call's root, runs the core on it, and re-aims from the typed result; the cores never see any of this.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #callers: Callers;
  readonly #listeners = new Set<(event: WindowEvent) => void>();
  readonly #running = new Map<number, AbortController>();
  #trusted: boolean;
  #calls = 0;
  #search: Promise<SpawnRoot> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#trusted = options.trusted ?? true;
    const state = options.state ?? new StateStore(undefined);
    const window = new HeldRoot((left) => {
      state.keepWindow(left);
      this.#tell(async () => ({ type: 'held', held: await window.describe() }));
    });
    const { env, cwd } = options;
    this.#callers = new Callers({ env, cwd, state, window, find: (askRoots) => this.held(askRoots) });
  }

  /** How many conversations are known in memory. */
  get conversations(): number {
    return this.#callers.size;
  }

  /** Hears what happens, for the person who looks on. Returns what ends it. */
  listen(listener: (event: WindowEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** True where nothing may be changed, or run that the project or its repository names. */
  #looks(): boolean {
    return this.#options.lookOnly === true || !this.#trusted;
  }

  trust(trusted: boolean): void {
    this.#trusted = trusted;
  }

  /** Cancels a running call, whoever made it. */
  cancel(call: number): boolean {
    const running = this.#running.get(call);
    running?.abort();
    return running !== undefined;
  }

  /** The person's re-aim (contract §3). Refuses like any path that is no project. */
  async aim(path: string): Promise<Held> {
    const held = await this.held();
    await held.relaunch(await findRoot(path));
    // The person's aim wins over where an agent happens to stand.
    this.#callers.window.stood = null;
    return held.describe();
  }

  /**
   * The window's held root. Its spawn root is found at the first call, since a client may have to be asked; and looked for
   * again at later ones while there is none, so that creating a project where it was looked for helps without a restart.
   */
  async held(askRoots?: () => Promise<string[]>): Promise<HeldRoot> {
    const held = await this.#callers.window.held;
    if (held.root !== null) return held;
    this.#search ??= this.#find(false, askRoots).finally(() => {
      this.#search = undefined;
    });
    held.begin(await this.#search);
    return held;
  }

  /**
   * Takes the spawn root as it is now where it was named, so that one that vanishes before the first call is missed, not
   * passed over.
   */
  async begin(): Promise<void> {
    const named = await this.#find(true);
    if (named.root !== null) (await this.#callers.window.held).begin(named);
  }

  #find(namedOnly: boolean, askRoots?: () => Promise<string[]>): Promise<SpawnRoot> {
    const { root: flag, env, cwd } = this.#options;
    return findSpawnRoot({ flag, env, cwd, findRoot, namedOnly }, askRoots);
  }

  /** The root of a call without `path`; throws the refusal of one that cannot be made. */
  async root(askRoots?: () => Promise<string[]>): Promise<string> {
    const { looking } = await loadEngine();
    return looking(this.#looks(), async () => heldRoot(await this.held(askRoots), this.#options.cwd));
  }

  /** Answers one tool call. Must be entered in the order calls arrive; never rejects. */
  async call(request: CallRequest): Promise<Answer<AnyEnvelope>> {
    const caller = this.#callers.enter(request);
    const by = request.caller ?? 'agent';
    const bound = request.args?.path !== undefined || needsNoRoot(request.verb);
    const turn = caller.order.accept(request.verb, bound);
    const call = ++this.#calls;
    const { abort, signal } = cancellable(request.signal);
    this.#running.set(call, abort);
    this.#tell(() => ({ type: 'call_started', call, verb: request.verb, caller: by }));
    try {
      await Promise.race([turn.bind, aborted(signal)]);
      const emit = (event: VerbEvent) => {
        request.emit(event);
        this.#tell(() => ({ type: 'call_event', call, event: { ...event } }));
      };
      const { looking } = await loadEngine();
      const answer = await looking(this.#looks(), () =>
        this.#answer({ ...request, signal, emit }, caller, turn),
      );
      this.#tell(() => ({
        type: 'call_finished',
        call,
        caller: by,
        envelope: answer.envelope,
      }));
      return answer;
    } finally {
      this.#running.delete(call);
      turn.finish();
      this.#callers.leave(caller);
    }
  }

  async #answer(request: CallRequest, caller: Caller, turn: Turn): Promise<Answer<AnyEnvelope>> {
    const [engine, held] = await Promise.all([loadEngine(), this.#callers.heldOf(caller, request)]);
    const { verb } = request;
    let root: string | undefined;
    let envelope: AnyEnvelope;
    let stance: Stance = {};
    const dropped = request.args?.dry_run === true;
    try {
      if (request.signal.aborted) throw new Refusal('cancelled', 'The call was cancelled before it began.');
      const call = engine.parseCall(verb, request.args);
      const path = pathOf(call);
      // A person sees both, and means what the window holds.
      if (path === undefined && request.caller !== 'person') {
        stance = await this.#callers.stanceOf(request, caller, held);
      }
      const follow = stance.follow;
      if (follow && !dropped) {
        for (const one of await this.#callers.moving(held))
          await one.move(follow.root, 'caller', follow.evidence);
      }
      await point('call.looked');
      const named = follow && dropped ? follow.root : path;
      if (seeksAmongKnown(verb)) root = await rootToSeekFrom(verb, path, held);
      else if (!needsNoRoot(verb)) root = await callRoot(verb, { path: named, held, cwd: this.#options.cwd });
      if (!this.#trusted && mayRunCommands(traits[verb], call.args)) {
        throw new Refusal(
          'untrusted',
          `This workspace is not trusted, so ${verb} runs nothing: trust it in VS Code ("Workspaces: Manage Workspace Trust"), then call again${verb === 'init' ? ', or pass prove: false to write the file and run nothing' : ''}.`,
        );
      }
      const { signal, emit, client, consent } = request;
      const ctx: Context = { signal, emit, client, consent, lookOnly: this.#looks() };
      envelope = await engine.runCall(call, root ?? '', ctx);
    } catch (error) {
      envelope = engine.stopped(verb, root, error);
    }
    await this.#reaim(envelope, request, caller, held, turn);
    const description = await held.describe();
    if (envelope.error === 'root_missing') this.#tell(async () => this.#heldEvent());
    if (envelope.error === 'root_missing' && !held.forgotten) {
      const home = await held.home();
      if (home) envelope.hints = [...(envelope.hints ?? []), engine.leavingAdvice(request.client, home)];
    }
    if (envelope.verb === 'status') envelope.data = { ...envelope.data, held: description };
    if (stance.caller) envelope.data = Object.assign(envelope.data ?? {}, { caller: stance.caller });
    const first = [
      ...this.#passedOver(verb, caller, held),
      ...(needsNoRoot(verb) ? [] : await this.#callers.hookOf(request, caller)),
      ...(stance.notice ? [stance.notice] : []),
    ];
    if (first.length > 0) envelope.message = [...first, envelope.message].filter(Boolean).join(' ');
    if (envelope.verb === 'doctor') envelope = engine.withHeld(envelope, description);
    return { envelope, held: description };
  }

  /** What was named as the root and passed over: said to each caller once, in its first answer about a checkout. */
  #passedOver(verb: Verb, caller: Caller, held: HeldRoot): readonly string[] {
    if (caller.told || needsNoRoot(verb) || held.root === null) return [];
    caller.told = true;
    return held.passedOver;
  }

  /**
   * The two re-aims (contract §3), decided from typed result data, after anything that is not a preview. A conversation's own
   * re-aim moves the window's held root too, never another conversation's.
   */
  async #reaim(
    envelope: AnyEnvelope,
    request: CallRequest,
    caller: Caller,
    held: HeldRoot,
    { earlier }: Turn,
  ): Promise<void> {
    if (envelope.dry_run) return;
    if (envelope.verb === 'start' && isWhole(envelope)) {
      await earlier;
      for (const one of await this.#callers.moving(held)) await one.move(envelope.data.path, 'start');
      await this.#callers.stands(request, caller);
    }
    const { landing, root, worktree: removed } = (envelope.verb === 'accept' && envelope.data) || {};
    if (landing?.worktree_removed && root !== undefined) {
      await earlier;
      // Only where this very accept removed the checkout a root lay in: another's loss is for its own calls to say.
      const layThere = async (one: HeldRoot) =>
        removed !== undefined && (await one.repository())?.top === removed;
      const own = await layThere(held);
      for (const one of await this.#callers.moving(held)) {
        if (own || (await layThere(one))) await one.move(root, 'accept');
      }
      await this.#callers.stands(request, caller);
    }
  }

  async #heldEvent(): Promise<WindowEvent> {
    return { type: 'held', held: await (await this.#callers.window.held).describe() };
  }

  /** Events are made only for someone who listens. */
  #tell(event: () => WindowEvent | Promise<WindowEvent>): void {
    if (this.#listeners.size === 0) return;
    const made = event();
    const send = (one: WindowEvent) => {
      for (const listener of this.#listeners) listener(one);
    };
    if (made instanceof Promise) made.then(send, () => undefined);
    else send(made);
  }
}

/** Resolves when the signal aborts: a call that is cancelled while it waits need not wait on. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
