import type { Held } from '../contract/data.ts';
import { exists } from '../engine/files/files.ts';
import { realPlace } from '../engine/git/git-dir.ts';
import { type Anchor, anchorOf, isSameCheckout } from '../engine/repository/anchor.ts';
import { findRoot } from '../engine/repository/root.ts';
import { loadEngine } from './engine.ts';
import type { SpawnRoot } from './spawn-root.ts';
import type { Left } from './state-store.ts';

/**
 * The one mutable value of a server: the checkout its verbs operate on when a call names no `path` (contract §3). It starts
 * as the spawn root and is moved by `start` and `accept` alone, by the caller's own move, and by a person.
 */
export class HeldRoot {
  readonly #onMove: ((left: Left) => void) | undefined;
  #spawn: SpawnRoot = { root: null, mechanism: null, candidates: [] };
  #root: string | null = null;
  #movedBy: string | undefined;
  #evidence: string | undefined;
  /** What a former process kept of a root that is gone by now. */
  #left: Left['repository'];
  #anchor: Promise<Anchor | undefined> = Promise.resolve(undefined);
  #forgotten = false;

  /** `onMove` is told of every re-aim, before anyone can have been answered from it. */
  constructor(onMove?: (left: Left) => void) {
    this.#onMove = onMove;
  }

  /** Takes up what another process, or a former one, held. It may be missing by now; then it is missed. */
  restore({ root, movedBy, repository }: Left): void {
    this.#root = root;
    this.#movedBy = movedBy;
    this.#left = repository;
    this.#anchor = this.#remember();
  }

  /** Takes over what `other` holds now; from here on the two go their own ways. */
  takeOver(other: HeldRoot): void {
    this.#spawn = other.#spawn;
    this.#root = other.#root;
    this.#movedBy = other.#movedBy;
    this.#evidence = other.#evidence;
    this.#left = other.#left;
    this.#anchor = other.#anchor;
  }

  /**
   * Holds nothing: what was held is known to nobody any more, and where it would fall back to may be another's. The next move
   * ends that.
   */
  forget(): void {
    this.#root = null;
    this.#movedBy = undefined;
    this.#evidence = undefined;
    this.#left = undefined;
    this.#anchor = Promise.resolve(undefined);
    this.#forgotten = true;
  }

  /** True while what was held is forgotten. */
  get forgotten(): boolean {
    return this.#forgotten;
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

  /** What was named as the root and was passed over, in sentences; empty when nothing was. */
  get passedOver(): readonly string[] {
    return this.#spawn.passedOver ?? [];
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

  /**
   * Re-aims. Links in `root` are resolved first, since later it is compared with resolved paths. `evidence` is what told of a
   * caller's own move.
   */
  async move(root: string, by: string, evidence?: string): Promise<void> {
    this.#root = await findRoot(root).catch(() => root);
    this.#movedBy = by;
    this.#evidence = evidence;
    this.#left = undefined;
    this.#forgotten = false;
    this.#anchor = this.#remember();
    const repository = await this.#anchor;
    this.#onMove?.({ root: this.#root, movedBy: by, repository });
  }

  /**
   * The repository the held root lies in, free of symlinks, and the checkout's git top where that is known: also of a root
   * that is gone.
   */
  async repository(): Promise<{ commonDir: string; prefix: string; top?: string } | undefined> {
    const found = (await this.#anchor) ?? this.#left;
    if (found === undefined) return undefined;
    return { ...found, commonDir: realPlace(found.commonDir) };
  }

  /**
   * True when the held root is no longer what it was: its directory is gone, or was made again and now lies in no checkout
   * or in another one (a clone of another repository, a worktree added again under the same path), or another project took
   * its place. A living checkout that merely lost its `discern.toml` is not
   * missing; its calls say what it lacks.
   */
  async missing(): Promise<boolean> {
    const root = this.#root;
    if (root === null) return this.#forgotten;
    if (!(await exists(root))) return true;
    const [then, now] = await Promise.all([this.#anchor, this.#anchorOf(root)]);
    if (then !== undefined && !(now && isSameCheckout(then, now))) return true;
    const found = await findRoot(root).catch(() => root);
    return found !== root;
  }

  /** The project root in the landing checkout of the held root's repository, even when the held root is gone. */
  async home(): Promise<string | undefined> {
    // A root restored from a former process may have been gone before anyone looked; the spawn root leads there too.
    const { root: spawned } = this.#spawn;
    const anchor =
      (await this.#anchor) ?? this.#left ?? (spawned === null ? undefined : await this.#anchorOf(spawned));
    return anchor && (await loadEngine()).homeOf(anchor);
  }

  async describe(): Promise<Held> {
    const { root: spawnRoot, mechanism, candidates } = this.#spawn;
    return {
      root: this.#root,
      spawn_root: spawnRoot,
      mechanism,
      ...(this.#movedBy !== undefined && { moved_by: this.#movedBy }),
      ...(this.#evidence !== undefined && { evidence: this.#evidence }),
      missing: await this.missing(),
      candidates,
      ...(this.passedOver.length > 0 && { passed_over: [...this.passedOver] }),
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
