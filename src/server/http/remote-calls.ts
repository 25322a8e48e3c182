import { type AnyEnvelope, type Call, pathOf } from '../../contract/answers.ts';
import { mayRunCommands, needsNoRoot, traits } from '../../contract/traits.ts';
import type { Verb } from '../../contract/verbs.ts';
import type { Context } from '../../engine/call/context.ts';
import { Refusal } from '../../engine/call/refusal.ts';
import { namedRoot } from '../call-root.ts';
import { cancellable } from '../cancellable.ts';
import { type Engine, loadEngine } from '../engine.ts';
import type { Answer, CallRequest } from '../session.ts';
import { Slots } from './bounds.ts';
import type { LaunchRoots } from './launch-roots.ts';

/**
 * Answers calls that may come from anywhere. There is no held root and nothing is remembered from one call to the next: each
 * names its `path`, and none moves anything of the server (contract §9).
 */
export class RemoteCalls {
  readonly #launch: LaunchRoots;
  readonly #lookOnly: boolean;
  readonly #anyProject: boolean;
  readonly #slots = new Slots();
  readonly #running = new Map<string, AbortController>();

  constructor(launch: LaunchRoots, options: { lookOnly: boolean; anyProject: boolean }) {
    this.#launch = launch;
    this.#lookOnly = options.lookOnly;
    this.#anyProject = options.anyProject;
  }

  /** Answers one tool call; never rejects. */
  async call(request: CallRequest): Promise<Answer> {
    const { abort, signal } = cancellable(request.signal);
    const key = request.exchange && keyOf(request.exchange);
    if (key !== undefined) this.#running.set(key, abort);
    try {
      const { looking } = await loadEngine();
      const envelope = await looking(this.#lookOnly, () => this.#answer({ ...request, signal }));
      return { envelope, held: undefined };
    } finally {
      if (key !== undefined && this.#running.get(key) === abort) this.#running.delete(key);
    }
  }

  /** Cancels a call that is running, told by what its client calls it. */
  cancel(exchange: { session: string; id: string | number }): void {
    this.#running.get(keyOf(exchange))?.abort();
  }

  /** What is said beyond a `path` keeps to the served projects too. */
  get bounds(): Pick<Context, 'projects' | 'serves'> {
    const projects = () => this.#launch.now();
    return this.#anyProject
      ? { projects }
      : { projects, serves: (directory: string) => this.#launch.serves(directory) };
  }

  /** The root of a call. Refuses `path_not_found` for one that this server was not started for. */
  async #served(verb: Verb, path: string): Promise<string> {
    const root = await namedRoot(verb, path);
    if (this.#anyProject || (await this.#launch.serves(root))) return root;
    throw new Refusal(
      'path_not_found',
      `${path} is none of the projects this server was started for, nor a worktree of theirs: discern_projects lists these. Whoever runs the server adds one with --root, or serves every project with --any-project.`,
    );
  }

  async #answer({ verb, args: given, signal, emit, consent }: CallRequest): Promise<AnyEnvelope> {
    const engine = await loadEngine();
    const ctx = {
      signal,
      emit,
      client: 'remote' as const,
      consent,
      lookOnly: this.#lookOnly,
      ...this.bounds,
    };
    let root: string | undefined;
    try {
      if (signal.aborted) throw new Refusal('cancelled', 'The call was cancelled before it began.');
      const one = checked(engine, verb, given);
      const path = pathOf(one);
      // What needs no root takes one all the same, to look there first.
      if (path !== undefined || !needsNoRoot(verb)) root = await this.#served(verb, path ?? '');
      const run = () => engine.runCall(one, root ?? '', ctx);
      if (this.#lookOnly || !mayRunCommands(traits[verb], one.args)) return await run();
      const message = 'Waiting for other calls on this server to end.';
      return await this.#slots.within(signal, () => emit({ type: 'waiting', message }), run);
    } catch (error) {
      return engine.stopped(verb, root, error);
    }
  }
}

const keyOf = ({ session, id }: { session: string; id: string | number }) => JSON.stringify([session, id]);

/** The arguments of a call. A `path` that is missing is said before anything else that is, unless it may be misspelt. */
function checked(engine: Engine, verb: Verb, given: Record<string, unknown> | undefined): Call {
  const lacksPath = !needsNoRoot(verb) && given?.path === undefined;
  try {
    const one = engine.parseCall(verb, given);
    if (!lacksPath) return one;
  } catch (error) {
    if (!lacksPath || (Refusal.is(error) && error.slug === 'unknown_argument')) throw error;
  }
  throw new Refusal(
    'path_required',
    `Over HTTP this server holds no root, so ${verb} must be told where: pass path, a directory of the project on the server’s machine. discern_projects lists those there are.`,
  );
}
