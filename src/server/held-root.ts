import type { Held } from '../contract/data.ts';
import type { Anchor } from '../engine/index.ts';
import type { SpawnRoot } from './spawn-root.ts';

/** The engine's functions the held root needs, given to it because the engine is loaded when first needed. */
export interface RootTools {
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

  move(root: string, verb: string): void {
    this.#root = root;
    this.#movedBy = verb;
    this.#anchor = this.#remember();
  }

  /** The project root in the landing checkout of the held root's repository, even when the held root is gone. */
  async home(): Promise<string | undefined> {
    const anchor = await this.#anchor;
    return anchor && this.#tools.homeOf(anchor);
  }

  async describe(): Promise<Held> {
    const { root: spawnRoot, mechanism, candidates } = this.#spawn;
    const missing = this.#root !== null && !(await this.#tools.exists(this.#root));
    return {
      root: this.#root,
      spawn_root: spawnRoot,
      mechanism,
      ...(this.#movedBy !== undefined && { moved_by: this.#movedBy }),
      missing,
      candidates,
    };
  }

  #remember(): Promise<Anchor | undefined> {
    // A root that cannot be read now has no anchor; its calls say so themselves.
    return this.#root === null
      ? Promise.resolve(undefined)
      : this.#tools.anchorOf(this.#root).catch(() => undefined);
  }
}
