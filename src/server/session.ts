import type { Held } from '../contract/data.ts';
import type { Envelope } from '../contract/envelope.ts';
import type { VerbEvent } from '../contract/events.ts';
import { mayRunCommands, needsNoRoot, traits } from '../contract/traits.ts';
import type { Args, Verb } from '../contract/verbs.ts';
import type { CallerKind, WindowEvent } from '../contract/window.ts';
import type { CallerFacts, ClientKind, Context } from '../engine/index.ts';
import { Refusal } from '../engine/refusal.ts';
import { findRoot } from '../engine/root.ts';
import { callRoot, heldRoot } from './call-root.ts';
import { CallOrder, type Turn } from './callers.ts';
import { cancellable } from './cancellable.ts';
import { ClientRoots } from './client-roots.ts';
import { loadEngine } from './engine.ts';
import { HeldRoot } from './held-root.ts';
import { findSpawnRoot, type SpawnRoot } from './spawn-root.ts';
import { type Stance, stanceOf, topOfCaller } from './standing.ts';
import { StateStore } from './state-store.ts';

export interface CallRequest<V extends string = Verb> {
  verb: V;
  args: Record<string, unknown> | undefined;
  signal: AbortSignal;
  emit: (event: VerbEvent) => void;
  client: ClientKind;
  /** Asks the client for its roots, where it declares them. */
  askRoots: (() => Promise<string[]>) | undefined;
  /** Who calls: the conversation the host names, if it does; else the connection's own, which is the window's. */
  conversation?: string | undefined;
  caller?: CallerKind | undefined;
  /** The `_meta` of the request. */
  meta?: Record<string, unknown> | undefined;
  /** By what another request may cancel this one, where they come over connections of their own. */
  exchange?: { session: string; id: string | number } | undefined;
}

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

export interface Answer {
  envelope: Envelope;
  held: Held | undefined;
}

/** One caller: what it holds, and the order its calls came in. */
interface Caller {
  held: Promise<HeldRoot>;
  order: CallOrder;
  /**
   * The git top it stood in when its held root was last moved. `null` where the held root was left by a former process, or
   * aimed by a person: then where it is seen to stand first is where it stood.
   */
  stood: string | undefined | null;
  /** Whether it was told what was passed over when the spawn root was looked for. */
  told: boolean;
  roots: ClientRoots;
}

/**
 * What a server keeps between calls: the held root of each caller, and the order calls that may move it came in. It
 * resolves each call's root, runs the core on it, and re-aims from the typed result; the cores never see any of this.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #window: Caller;
  readonly #conversations = new Map<string, Caller>();
  readonly #listeners = new Set<(event: WindowEvent) => void>();
  readonly #running = new Map<number, AbortController>();
  readonly #state: StateStore;
  #trusted: boolean;
  #calls = 0;
  #search: Promise<SpawnRoot> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#trusted = options.trusted ?? true;
    const state = options.state ?? new StateStore(undefined);
    this.#state = state;
    const window = new HeldRoot((left) => {
      state.keepWindow(left);
      this.#tell(async () => ({ type: 'held', held: await window.describe() }));
    });
    const left = state.window;
    if (left) window.restore(left);
    this.#window = {
      held: Promise.resolve(window),
      order: new CallOrder(),
      stood: left?.movedBy === undefined ? undefined : null,
      told: false,
      roots: new ClientRoots(),
    };
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
    this.#window.stood = null;
    return held.describe();
  }

  /**
   * The window's held root. Its spawn root is found at the first call, since a client may have to be asked; and looked for
   * again at later ones while there is none, so that creating a project where it was looked for helps without a restart.
   */
  async held(askRoots?: () => Promise<string[]>): Promise<HeldRoot> {
    const held = await this.#window.held;
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
    if (named.root !== null) (await this.#window.held).begin(named);
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
  async call(request: CallRequest): Promise<Answer> {
    const caller = this.#callerOf(request);
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
        envelope: { ...answer.envelope, verb: request.verb },
      }));
      return answer;
    } finally {
      this.#running.delete(call);
      turn.finish();
    }
  }

  /**
   * The caller of a request. A conversation seen for the first time takes the window's held root as it stands at that moment,
   * unless it was known to a former process of this window.
   */
  #callerOf({ conversation, askRoots }: CallRequest): Caller {
    if (conversation === undefined) return this.#window;
    const known = this.#conversations.get(conversation);
    if (known) return known;
    const state = this.#state;
    const held = new HeldRoot((one) => state.keepConversation(conversation, one));
    const left = state.conversation(conversation);
    const caller: Caller = {
      order: new CallOrder(),
      stood: left?.movedBy === undefined ? undefined : null,
      told: false,
      roots: new ClientRoots(),
      held: this.held(askRoots).then(async (window) => {
        held.takeOver(window);
        if (left) held.restore(left);
        else if (held.root !== null) {
          state.keepConversation(conversation, {
            root: held.root,
            movedBy: undefined,
            repository: await held.repository(),
          });
        }
        return held;
      }),
    };
    this.#conversations.set(conversation, caller);
    return caller;
  }

  async #answer(request: CallRequest, caller: Caller, turn: Turn): Promise<Answer> {
    const [engine, held] = await Promise.all([loadEngine(), this.#heldOf(caller, request)]);
    const { verb } = request;
    let root: string | undefined;
    let envelope: Envelope;
    let stance: Stance = {};
    const dropped = request.args?.dry_run === true;
    try {
      if (request.signal.aborted) throw new Refusal('cancelled', 'The call was cancelled before it began.');
      const args = engine.parseArguments(verb, request.args);
      const path = args.path as string | undefined;
      // A person sees both, and means what the window holds.
      if (path === undefined && request.caller !== 'person') {
        stance = await this.#stanceOf(request, caller, held);
      }
      const follow = stance.follow;
      if (follow && !dropped) {
        for (const one of await this.#moving(held)) await one.move(follow.root, 'caller', follow.evidence);
      }
      const named = follow && dropped ? follow.root : path;
      if (!needsNoRoot(verb)) root = await callRoot(verb, { path: named, held, cwd: this.#options.cwd });
      if (!this.#trusted && mayRunCommands(traits[verb], args)) {
        throw new Refusal(
          'untrusted',
          `This workspace is not trusted, so ${verb} runs nothing: trust it in VS Code ("Workspaces: Manage Workspace Trust"), then call again${verb === 'init' ? ', or pass prove: false to write the file and run nothing' : ''}.`,
        );
      }
      const { signal, emit, client } = request;
      const ctx: Context = { signal, emit, client, lookOnly: this.#looks() };
      envelope = (await engine.run(verb, root ?? '', args as Args<Verb>, ctx)) as Envelope;
    } catch (error) {
      envelope = engine.refused(verb, root, error);
    }
    await this.#reaim(envelope, request, caller, held, turn);
    const description = await held.describe();
    if (envelope.error === 'root_missing') this.#tell(async () => this.#heldEvent());
    if (envelope.error === 'root_missing') {
      const home = await held.home();
      if (home) envelope.hints = [...(envelope.hints ?? []), engine.leavingAdvice(request.client, home)];
    }
    if (verb === 'status') envelope.data = { ...envelope.data, held: description };
    if (stance.caller) envelope.data = { ...envelope.data, caller: stance.caller };
    const first = [...this.#passedOver(verb, caller, held), ...(stance.notice ? [stance.notice] : [])];
    if (first.length > 0) envelope.message = [...first, envelope.message].filter(Boolean).join(' ');
    if (verb === 'doctor') envelope = engine.withHeld(envelope as never, description) as Envelope;
    return { envelope, held: description };
  }

  /** What a caller holds. A conversation that began where there was no root takes the window's once there is one. */
  async #heldOf(caller: Caller, { askRoots }: CallRequest): Promise<HeldRoot> {
    const held = await caller.held;
    if (held.root !== null) return held;
    const window = await this.held(askRoots);
    if (held !== window) held.takeOver(window);
    return held;
  }

  /** Where the caller stands, and what follows from it; a look-up that fails is no evidence. */
  async #stanceOf(request: CallRequest, caller: Caller, held: HeldRoot): Promise<Stance> {
    const { verb, client } = request;
    const facts = this.#factsOf(request, caller);
    try {
      if (caller.stood === null) caller.stood = await topOfCaller(client, facts);
      return await stanceOf({ verb, client, facts, held, before: caller.stood });
    } catch (error) {
      if (Refusal.is(error)) throw error;
      return {};
    }
  }

  #factsOf({ meta, conversation, askRoots }: CallRequest, { roots }: Caller): CallerFacts {
    const { env, cwd } = this.#options;
    return { env, parent: process.ppid, launch: cwd, meta, conversation, askRoots: roots.of(askRoots) };
  }

  /** What a caller's own move moves: what it holds, and the window's. */
  async #moving(held: HeldRoot): Promise<HeldRoot[]> {
    const window = await this.#window.held;
    return held === window ? [held] : [held, window];
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
    envelope: Envelope,
    request: CallRequest,
    caller: Caller,
    held: HeldRoot,
    { earlier }: Turn,
  ): Promise<void> {
    if (envelope.dry_run) return;
    const data = (envelope.data ?? {}) as {
      path?: string;
      root?: string;
      worktree?: string;
      landing?: { worktree_removed?: boolean };
    };
    const stands = async () => {
      if (request.caller === 'person') return;
      caller.stood = await topOfCaller(request.client, this.#factsOf(request, caller));
    };
    if (envelope.verb === 'start' && envelope.ok && data.path !== undefined) {
      await earlier;
      for (const one of await this.#moving(held)) await one.move(data.path, 'start');
      await stands();
    }
    if (envelope.verb === 'accept' && data.landing?.worktree_removed && data.root !== undefined) {
      await earlier;
      // Only where this very accept removed the checkout a root lay in: another's loss is for its own calls to say.
      const removed = data.worktree;
      for (const one of await this.#moving(held)) {
        if (removed !== undefined && (await one.repository())?.top === removed)
          await one.move(data.root, 'accept');
      }
      await stands();
    }
  }

  async #heldEvent(): Promise<WindowEvent> {
    return { type: 'held', held: await (await this.#window.held).describe() };
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
