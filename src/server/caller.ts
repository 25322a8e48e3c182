import type { Joining } from '../contract/joining.ts';
import { Refusal } from '../engine/call/refusal.ts';
import type { CallerFacts } from '../engine/index.ts';
import type { CallRequest } from './call.ts';
import { CallOrder } from './callers.ts';
import { ClientRoots } from './client-roots.ts';
import { loadEngine } from './engine.ts';
import { HeldRoot } from './held-root.ts';
import { launchedElsewhere } from './launched.ts';
import { type Stance, stanceOf, topOfCaller } from './standing.ts';
import { MOST_CONVERSATIONS, type StateStore } from './state-store.ts';

/** One caller: what it holds, and the order its calls came in. */
export interface Caller {
  held: Promise<HeldRoot>;
  order: CallOrder;
  /**
   * The git top it stood in when its held root was last moved. `null` where the held root was left by a former process, or
   * aimed by a person: then where it is seen to stand first is where it stood.
   */
  stood: string | undefined | null;
  /** Whether it was told what was passed over when the spawn root was looked for. */
  told: boolean;
  /** Whether it was told that its hook is of another version. */
  toldOfHook: boolean;
  roots: ClientRoots;
  /** How many of its calls are in flight. */
  busy: number;
}

interface CallersOptions {
  env: NodeJS.ProcessEnv;
  /** The process's directory, where it has one. */
  cwd: string | undefined;
  state: StateStore;
  /** What the window holds, as it is known before the spawn root was looked for. */
  window: HeldRoot;
  /** What the window holds, its spawn root looked for where that is still to be done. */
  find: (askRoots: CallRequest['askRoots']) => Promise<HeldRoot>;
}

/**
 * Who calls: the window, and its conversations, each with a held root of its own (contract §3). Only the conversations that
 * called last are known; one that was forgotten holds nothing and is told so, since the window's root may be another's by now.
 */
export class Callers {
  readonly #options: CallersOptions;
  readonly window: Caller;
  /** The living conversations, the one that called last at the end. */
  readonly #conversations = new Map<string, Caller>();

  constructor(options: CallersOptions) {
    this.#options = options;
    const left = options.state.window;
    if (left) options.window.restore(left);
    this.window = newCaller(Promise.resolve(options.window), left?.movedBy !== undefined);
  }

  /** How many conversations are alive. */
  get size(): number {
    return this.#conversations.size;
  }

  /** The caller of a request, with one more call in flight; {@link leave} ends that. */
  enter({ conversation, askRoots, joining }: CallRequest): Caller {
    const caller =
      conversation === undefined ? this.window : this.#conversation(conversation, askRoots, joining);
    caller.busy++;
    return caller;
  }

  leave(caller: Caller): void {
    caller.busy--;
    this.#forget();
  }

  /**
   * A conversation seen for the first time takes the window's held root as it stands at that moment, unless it was known to a
   * former process of this window, or was forgotten.
   */
  #conversation(id: string, askRoots: CallRequest['askRoots'], joining: Joining | undefined): Caller {
    const { state, find } = this.#options;
    const known = this.#conversations.get(id);
    this.#conversations.delete(id);
    const caller = known ?? this.#newConversation(id, find(askRoots), joining);
    this.#conversations.set(id, caller);
    state.touchConversation(id);
    return caller;
  }

  #newConversation(id: string, finding: Promise<HeldRoot>, joining: Joining | undefined): Caller {
    const { state } = this.#options;
    const held = new HeldRoot((one) => state.keepConversation(id, one));
    const left = state.conversation(id);
    const forgotten = left === undefined && state.hasForgotten(id);
    const taking = finding.then(async (window) => {
      const elsewhere = left || forgotten || !joining ? undefined : await launchedElsewhere(joining, window);
      if (elsewhere) held.begin(elsewhere);
      else held.takeOver(window);
      if (forgotten) held.forget();
      else if (left) held.restore(left);
      else if (held.root !== null) {
        const repository = await held.repository();
        // Its own first move may have come before.
        if (state.conversation(id) === undefined)
          state.keepConversation(id, { root: held.root, movedBy: undefined, repository });
      }
      return held;
    });
    return newCaller(taking, left?.movedBy !== undefined);
  }

  /** Lets the conversations go that called longest ago and wait for nothing; where each stood is in the state. */
  #forget(): void {
    for (const [id, { busy }] of this.#conversations) {
      if (this.#conversations.size <= MOST_CONVERSATIONS) return;
      if (busy === 0) this.#conversations.delete(id);
    }
  }

  /** What a caller holds. A conversation that began where there was no root takes the window's once there is one. */
  async heldOf(caller: Caller, { askRoots }: CallRequest): Promise<HeldRoot> {
    const held = await caller.held;
    if (held.root !== null || held.forgotten) return held;
    const window = await this.#options.find(askRoots);
    if (held !== window) held.takeOver(window);
    return held;
  }

  /** What a caller's own move moves: what it holds, and the window's. */
  async moving(held: HeldRoot): Promise<HeldRoot[]> {
    const window = await this.window.held;
    return held === window ? [held] : [held, window];
  }

  /** Where the caller stands, and what follows from it; a look-up that fails is no evidence. */
  async stanceOf(request: CallRequest, caller: Caller, held: HeldRoot): Promise<Stance> {
    const { verb, client } = request;
    const facts = this.#factsOf(request, caller);
    try {
      if (caller.stood === null) caller.stood = await topOfCaller(client, facts, held);
      return await stanceOf({ verb, client, facts, held, before: caller.stood });
    } catch (error) {
      if (Refusal.is(error)) throw error;
      return {};
    }
  }

  /** What there is to say of a caller's hook, once. */
  async hookOf(request: CallRequest, caller: Caller): Promise<string[]> {
    if (caller.toldOfHook || request.caller === 'person') return [];
    const { strangeHook } = await loadEngine();
    const said = strangeHook(request.client, this.#factsOf(request, caller));
    if (said === undefined) return [];
    caller.toldOfHook = true;
    return [said];
  }

  /** Remembers where a caller stands now that its held root was moved. A person stands nowhere. */
  async stands(request: CallRequest, caller: Caller): Promise<void> {
    if (request.caller === 'person') return;
    const held = await caller.held;
    caller.stood = await topOfCaller(request.client, this.#factsOf(request, caller), held);
  }

  #factsOf({ meta, conversation, askRoots, joining }: CallRequest, { roots }: Caller): CallerFacts {
    const { env, cwd } = this.#options;
    const own = { meta, conversation, askRoots: roots.of(askRoots) };
    if (!joining) return { env, parent: process.ppid, launch: cwd, ...own };
    return { env: joining.env, parent: joining.parent, launch: joining.launch, ...own };
  }
}

/** `left`: its held root was moved in a former process. */
function newCaller(held: Promise<HeldRoot>, left: boolean): Caller {
  return {
    held,
    order: new CallOrder(),
    stood: left ? null : undefined,
    told: false,
    toldOfHook: false,
    roots: new ClientRoots(),
    busy: 0,
  };
}
