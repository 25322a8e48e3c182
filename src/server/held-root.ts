import type { Held } from '../contract/data.ts';
import type { Anchor } from '../engine/index.ts';
import type { SpawnRoot } from './spawn-root.ts';

/** The engine's functions the held root needs, given to it because the engine is loaded when first needed. */
export interface RootTools {
  findRoot(directory: string): Promise<string>;
  anchorOf(root: string): Promise<Anchor | undefined>;
  homeOf(anchor: Anchor): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
}

/**
 * The one mutable value of a server: the checkout its verbs operate on when a call names no `path` (contract §3). It starts
 * as the spawn root and is moved by `start` and `accept` alone.
 */
export class HeldRoot {
  readonly #spawn: SpawnRoot;
  readonly #tools: RootTools;
  #root: string | null;
  #movedBy: string | undefined;
  #anchor: Promise<Anchor | undefined>;

  constructor(spawn: SpawnRoot, tools: RootTools) {
    this.#spawn = spawn;
    this.#tools = tools;
    this.#root = spawn.root;
    this.#anchor = this.#remember();
  }

  get root(): string | null {
    return this.#root;
  }

  /** Where the spawn root was looked for: directories and the mechanisms that named them. */
  get tried(): string {
    return this.#spawn.candidates
      .flatMap(({ mechanism, value }) => (value === undefined ? [] : [`${value} (${mechanism})`]))
      .join(', ');
  }

  /** Re-aims. Links in `root` are resolved first, since later it is compared with resolved paths. */
  async move(root: string, verb: string): Promise<void> {
    this.#root = await this.#tools.findRoot(root).catch(() => root);
    this.#movedBy = verb;
    this.#anchor = this.#remember();
  }

  /**
   * True when the held root is no longer what it was: its directory is gone, or was made again and now lies in no checkout
   * or in another one, or another project took its place. A living checkout that merely lost its `discern.toml` is not
   * missing; its calls say what it lacks.
   */
  async missing(): Promise<boolean> {
    const root = this.#root;
    if (root === null) return false;
    if (!(await this.#tools.exists(root))) return true;
    const [then, now] = await Promise.all([this.#anchor, this.#anchorOf(root)]);
    if (then !== undefined && now?.prefix !== then.prefix) return true;
    const found = await this.#tools.findRoot(root).catch(() => root);
    return found !== root;
  }

  /** The project root in the landing checkout of the held root's repository, even when the held root is gone. */
  async home(): Promise<string | undefined> {
    const anchor = await this.#anchor;
    return anchor && this.#tools.homeOf(anchor);
  }

  async describe(): Promise<Held> {
    const { root: spawnRoot, mechanism, candidates } = this.#spawn;
    return {
      root: this.#root,
      spawn_root: spawnRoot,
      mechanism,
      ...(this.#movedBy !== undefined && { moved_by: this.#movedBy }),
      missing: await this.missing(),
      candidates,
    };
  }

  #remember(): Promise<Anchor | undefined> {
    return this.#root === null ? Promise.resolve(undefined) : this.#anchorOf(this.#root);
  }

  #anchorOf(root: string): Promise<Anchor | undefined> {
    // A root that cannot be read now has no anchor; its calls say so themselves.
    return this.#tools.anchorOf(root).catch(() => undefined);
  }
}
