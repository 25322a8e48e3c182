import { isAbsolute } from 'node:path';
import type { Held } from '../contract/data.ts';
import type { Envelope } from '../contract/envelope.ts';
import type { VerbEvent } from '../contract/events.ts';
import type { Args, Verb } from '../contract/verbs.ts';
import type { ClientKind, Context } from '../engine/index.ts';
import { CallOrder, type Turn } from './callers.ts';
import { HeldRoot } from './held-root.ts';
import { findSpawnRoot } from './spawn-root.ts';

/** The engine is the larger part of the server; it is loaded when first needed, so that `tools/list` need not wait. */
export const loadEngine = () => import('../engine/index.ts');

export interface CallRequest {
  verb: Verb;
  args: Record<string, unknown> | undefined;
  signal: AbortSignal;
  emit: (event: VerbEvent) => void;
  client: ClientKind;
  /** Asks the client for its roots, where it declares them. */
  askRoots: (() => Promise<string[]>) | undefined;
}

export interface Answer {
  envelope: Envelope;
  held: Held | undefined;
}

/**
 * What a server keeps between calls: its held root, and the order calls that may move it came in. It resolves each call's
 * root, runs the core on it, and re-aims from the typed result; the cores never see any of this.
 */
export class Session {
  readonly #options: { root?: string | undefined; env: NodeJS.ProcessEnv; cwd: string };
  readonly #order = new CallOrder();
  #held: Promise<HeldRoot> | undefined;

  constructor(options: { root?: string | undefined; env: NodeJS.ProcessEnv; cwd: string }) {
    this.#options = options;
  }

  /** The held root; found out at the first call, since a client may have to be asked. */
  held(askRoots?: () => Promise<string[]>): Promise<HeldRoot> {
    this.#held ??= this.#find(askRoots);
    return this.#held;
  }

  async #find(askRoots?: () => Promise<string[]>): Promise<HeldRoot> {
    const engine = await loadEngine();
    const { root: flag, env, cwd } = this.#options;
    return new HeldRoot(await findSpawnRoot({ flag, env, cwd, findRoot: engine.findRoot }, askRoots), engine);
  }

  /** The held root, when calls without `path` can act on it; else throws their refusal. */
  async heldRoot(askRoots?: () => Promise<string[]>): Promise<string> {
    return this.#bind(undefined, await this.held(askRoots), await loadEngine());
  }

  /** Answers one tool call. Must be entered in the order calls arrive; never rejects. */
  async call(request: CallRequest): Promise<Answer> {
    const turn = this.#order.accept(request.verb, request.args?.path !== undefined);
    try {
      await Promise.race([turn.bind, aborted(request.signal)]);
      return await this.#answer(request, turn);
    } finally {
      turn.finish();
    }
  }

  async #answer(request: CallRequest, turn: Turn): Promise<Answer> {
    const [engine, held] = await Promise.all([loadEngine(), this.held(request.askRoots)]);
    const { verb } = request;
    let root: string | undefined;
    let envelope: Envelope;
    try {
      if (request.signal.aborted)
        throw new engine.Refusal('cancelled', 'The call was cancelled before it began.');
      const args = engine.parseArguments(verb, request.args);
      root = await this.#bind(args.path as string | undefined, held, engine);
      const ctx: Context = { signal: request.signal, emit: request.emit, client: request.client };
      envelope = (await engine.run(verb, root, args as Args<Verb>, ctx)) as Envelope;
    } catch (error) {
      envelope = await engine.refused(verb, root, error);
    }
    await this.#reaim(envelope, held, turn);
    const description = await held.describe();
    if (verb === 'status') envelope.data = { ...envelope.data, held: description };
    return { envelope, held: description };
  }

  /** The root of one call: `path`, else the held root; never anything else in silence. */
  async #bind(
    path: string | undefined,
    held: HeldRoot,
    { findRoot, Refusal }: Awaited<ReturnType<typeof loadEngine>>,
  ): Promise<string> {
    if (path !== undefined) {
      if (!isAbsolute(path)) {
        throw new Refusal(
          'invalid_argument',
          `path "${path}" is relative, and this server's directory is not yours: name it from / on.`,
        );
      }
      return findRoot(path);
    }
    const { root } = held;
    if (root === null) {
      throw new Refusal(
        'not_initialized',
        `This server found no project (looked from ${held.tried}): create a discern.toml there, pass an absolute path, or start the server with --root.`,
        { data: { root: this.#options.cwd } },
      );
    }
    if (!(await held.missing())) return findRoot(root);
    const home = await held.home();
    throw new Refusal(
      'root_missing',
      `The held root ${root} is gone: someone removed it. ${
        home === undefined
          ? 'No other checkout of its project is left: pass the path of another project.'
          : `Pass path "${home}" (the landing checkout) to go on there, and discern_start with that path to re-aim this server.`
      }`,
      { data: { root } },
    );
  }

  /** The two re-aims (contract §3), decided from typed result data, after anything that is not a preview. */
  async #reaim(envelope: Envelope, held: HeldRoot, { earlier }: Turn): Promise<void> {
    if (envelope.dry_run) return;
    const data = (envelope.data ?? {}) as {
      path?: string;
      root?: string;
      landing?: { worktree_removed?: boolean };
    };
    if (envelope.verb === 'start' && envelope.ok && data.path !== undefined) {
      await earlier;
      await held.move(data.path, 'start');
    }
    if (envelope.verb === 'accept' && data.landing?.worktree_removed && data.root !== undefined) {
      await earlier;
      if (await held.missing()) await held.move(data.root, 'accept');
    }
  }
}

/** Resolves when the signal aborts: a call that is cancelled while it waits need not wait on. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
