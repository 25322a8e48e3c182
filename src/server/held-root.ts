import type { Held } from '../contract/data.ts';
import { type Anchor, anchorOf } from '../engine/anchor.ts';
import { exists } from '../engine/files.ts';
import { findRoot } from '../engine/root.ts';
import { loadEngine } from './engine.ts';
import type { SpawnRoot } from './spawn-root.ts';

/**
 * The one mutable value of a server: the checkout its verbs operate on when a call names no `path` (contract §3). It starts
 * as the spawn root and is moved by `start` and `accept` alone, and by a person.
 */
export class HeldRoot {
  readonly #onMove: ((root: string, movedBy: string | undefined) => void) | undefined;
  #spawn: SpawnRoot = { root: null, mechanism: null, candidates: [] };
  #root: string | null = null;
  #movedBy: string | undefined;
  #anchor: Promise<Anchor | undefined> = Promise.resolve(undefined);

  /** `onMove` is told of every re-aim, before anyone can have been answered from it. */
  constructor(onMove?: (root: string, movedBy: string | undefined) => void) {
    this.#onMove = onMove;
  }

  /** Takes up what another process, or a former one, held. It may be missing by now; then it is missed. */
  restore(root: string, movedBy: string | undefined): void {
    this.#root = root;
    this.#movedBy = movedBy;
    this.#anchor = this.#remember();
  }

  /** Takes over what `other` holds now; from here on the two go their own ways. */
  takeOver(other: HeldRoot): void {
    this.#spawn = other.#spawn;
    this.#root = other.#root;
    this.#movedBy = other.#movedBy;
    this.#anchor = other.#anchor;
  }

  /** The person's re-aim: the same as relaunching with another `--root`. */
  async relaunch(root: string): Promise<void> {
    this.#spawn = {
      root,
      mechanism: 'person',
      candidates: [{ mechanism: 'person', value: root, outcome: 'chosen' }],
    };
    await this.move(root, 'person');
  }

  /** Takes a spawn root that was found. What is held already is kept: it never falls back to the spawn root. */
  begin(spawn: SpawnRoot): void {
    if (this.#spawn.root === null) this.#spawn = spawn;
    if (this.#root !== null) return;
    this.#root = spawn.root;
    this.#anchor = this.#remember();
  }

  get root(): string | null {
    return this.#root;
  }

  /** Where the spawn root was looked for: directories and the mechanisms that named them. */
  get tried(): string {
    const places = this.#spawn.candidates.flatMap(({ mechanism, value }) =>
      value === undefined ? [] : [`${value} (${mechanism})`],
    );
    return places.join(', ') || 'nowhere: nothing was named, and the current directory is gone';
  }

  /** The directories a spawn root was looked for from, in the order they were tried. */
  get looked(): string[] {
    return this.#spawn.candidates.flatMap(({ value }) => (value === undefined ? [] : [value]));
  }

  /** Re-aims. Links in `root` are resolved first, since later it is compared with resolved paths. */
  async move(root: string, verb: string): Promise<void> {
    this.#root = await findRoot(root).catch(() => root);
    this.#movedBy = verb;
    this.#anchor = this.#remember();
    this.#onMove?.(this.#root, verb);
  }

  /**
   * True when the held root is no longer what it was: its directory is gone, or was made again and now lies in no checkout
   * or in another one, or another project took its place. A living checkout that merely lost its `discern.toml` is not
   * missing; its calls say what it lacks.
   */
  async missing(): Promise<boolean> {
    const root = this.#root;
    if (root === null) return false;
    if (!(await exists(root))) return true;
    const [then, now] = await Promise.all([this.#anchor, this.#anchorOf(root)]);
    if (then !== undefined && now?.prefix !== then.prefix) return true;
    const found = await findRoot(root).catch(() => root);
    return found !== root;
  }

  /** The project root in the landing checkout of the held root's repository, even when the held root is gone. */
  async home(): Promise<string | undefined> {
    // A root restored from a former process may have been gone before anyone looked; the spawn root leads there too.
    const { root: spawned } = this.#spawn;
    const anchor = (await this.#anchor) ?? (spawned === null ? undefined : await this.#anchorOf(spawned));
    return anchor && (await loadEngine()).homeOf(anchor);
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
    return anchorOf(root).catch(() => undefined);
  }
}
