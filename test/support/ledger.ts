import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { verb } from './engine.ts';
import { git, type Project } from './project.ts';
import { readRefs, readRegistered } from './refs.ts';

interface Precious {
  checkout: string;
  path: string;
  text: string;
  staged: boolean;
}

export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** The id git gives these bytes as a file (git-hash-object(1)). */
const blobId = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');

/** Where a checkout's index lies. */
async function indexOf(checkout: string): Promise<string> {
  const pointer = await readFile(join(checkout, '.git'), 'utf8').catch(() => undefined);
  if (pointer === undefined) return join(checkout, '.git/index');
  return resolve(checkout, pointer.slice('gitdir: '.length).trim(), 'index');
}

/**
 * Everything people have put into a repository, so that after each step it can be asked whether all of it is still there:
 * every commit reachable from a ref, and every uncommitted byte in its place, in the directory that was moved away, or under
 * a recovery ref. It asks git only when refs or an index have changed.
 */
export class Ledger {
  readonly project: Project;
  readonly commits = new Set<string>();
  /** The commits the trunk may go to beside where it is: those that were handed to `accept`. */
  readonly mayLand = new Set<string>();
  trunk: string;
  /** Where the trunk has been: what is on its upstream may be combined with these. */
  readonly #past = new Set<string>();
  /** Commits that no ref has, made in a checkout on a detached HEAD and left: its reflog reaches them, or a ref of ours. */
  readonly #left = new Map<string, string>();
  /** Commits made in the submodule, which any repository of it may have. */
  readonly #inner = new Map<string, string>();
  /** Files git was told to overlook, by checkout. */
  readonly #flagged = new Map<string, Set<string>>();
  #precious: Precious[] = [];
  #seen = '';
  #objects = new Set<string>();
  readonly #staged = new Map<string, { bytes: Buffer; ids: ReadonlyMap<string, string> }>();
  #told = '';

  private constructor(project: Project, trunk: string) {
    this.project = project;
    this.trunk = trunk;
    this.commits.add(trunk);
  }

  static async open(project: Project): Promise<Ledger> {
    const refs = await readRefs(join(project.root, '.git'));
    return new Ledger(project, refs.get('refs/heads/main') ?? '');
  }

  /** An edit by hand. What it overwrites was its writer's to overwrite. */
  async write(checkout: string, path: string, text: string): Promise<void> {
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await writeFile(join(checkout, path), text);
    this.#forget((one) => one.checkout === checkout && one.path === path && !one.staged);
    this.#precious.push({ checkout, path, text, staged: false });
  }

  /** `git add` of a file written before. */
  async stage(checkout: string, path: string): Promise<void> {
    await git(checkout, 'add', '--', path);
    this.#forget((one) => one.checkout === checkout && one.path === path && one.staged);
    const text = await readFile(join(checkout, path), 'utf8');
    this.#precious.push({ checkout, path, text, staged: true });
  }

  /** Commits everything in a checkout. */
  async commit(checkout: string, message = 'by hand'): Promise<string> {
    const commit = await this.project.commit({}, checkout, message);
    this.commits.add(commit);
    // git adds nothing of what it was told to overlook.
    this.#forget((one) => one.checkout === checkout && !this.isFlagged(checkout, one.path));
    if (checkout === this.project.root) this.trunk = commit;
    return commit;
  }

  isFlagged(checkout: string, path: string): boolean {
    return this.#flagged.get(checkout)?.has(path) === true;
  }

  hasFlags(checkout: string): boolean {
    return (this.#flagged.get(checkout)?.size ?? 0) > 0;
  }

  /** git is told to overlook a file, or to see it again. */
  async flag(checkout: string, path: string, flag: 'assume-unchanged' | 'skip-worktree' | undefined) {
    const flags = flag ? [`--${flag}`] : ['--no-assume-unchanged', '--no-skip-worktree'];
    for (const one of flags) await git(checkout, 'update-index', one, '--', path);
    const known = this.#flagged.get(checkout) ?? new Set();
    if (flag) known.add(path);
    else known.delete(path);
    this.#flagged.set(checkout, known);
  }

  /** git is told to see everything again. */
  async unflagAll(checkout: string): Promise<void> {
    for (const path of [...(this.#flagged.get(checkout) ?? [])]) await this.flag(checkout, path, undefined);
  }

  /** Commits all on a detached HEAD, and goes back to the branch: only the reflog has the commit then. */
  async commitAndLeave(checkout: string, branch: string): Promise<void> {
    await git(checkout, 'switch', '--quiet', '--detach');
    const commit = await this.project.commit({}, checkout, 'left');
    this.#forget((one) => one.checkout === checkout);
    this.#left.set(commit, checkout);
    await git(checkout, 'switch', '--quiet', branch);
  }

  /** A commit in a worktree's submodule. */
  async commitInside(checkout: string, submodule: string, text: string): Promise<void> {
    const inner = join(checkout, submodule);
    const commit = await this.project.commit({ 'inner.txt': text }, inner, 'inside');
    this.#inner.set(commit, checkout);
  }

  /** Someone deleted a checkout's directory, and what was loose in it; or with `staged` also what git knew of it. */
  deleted(checkout: string, options: { staged: boolean }): void {
    this.#forget((one) => one.checkout === checkout && (options.staged || !one.staged));
  }

  /** git was made to forget all checkouts but those registered now: what was staged in others is gone by its own hand. */
  forgotten(registered: ReadonlyMap<string, string>): void {
    this.#forget((one) => one.staged && one.checkout !== this.project.root && !registered.has(one.checkout));
    for (const made of [this.#left, this.#inner]) {
      for (const [commit, checkout] of made) if (!registered.has(checkout)) made.delete(commit);
    }
  }

  /** The paths of a checkout that hold uncommitted bytes. */
  uncommitted(checkout: string): string[] {
    return [
      ...new Set(this.#precious.filter((one) => one.checkout === checkout).map(({ path }) => path)),
    ].sort();
  }

  #forget(which: (one: Precious) => boolean): void {
    this.#precious = this.#precious.filter((one) => !which(one));
  }

  /**
   * Whether the trunk may be there: where it was, at a commit that was handed to `accept`, at one that such work is on record to have
   * landed as, or at two of these together.
   */
  async mayBeTrunk(commit: string): Promise<boolean> {
    if (commit === this.trunk || this.mayLand.has(commit)) return true;
    const refs = await readRefs(join(this.project.root, '.git'));
    const record = [...refs].find(
      ([ref]) => ref.endsWith(`-${commit}`) && ref.startsWith('refs/discern/landed/'),
    );
    const line = await git(this.project.root, 'rev-list', '--parents', '--max-count=1', commit);
    const [, one, other] = line.split(' ');
    const may = record
      ? this.mayLand.has(record[1])
      : one !== undefined &&
        other !== undefined &&
        (this.#past.has(one) || (await this.mayBeTrunk(one))) &&
        (this.#past.has(other) || (await this.mayBeTrunk(other)));
    if (may) this.mayLand.add(commit);
    return may;
  }

  /** Checks all that must hold at any instant, whatever was killed. */
  async check(): Promise<void> {
    const gitDir = join(this.project.root, '.git');
    const [refs, registered] = await Promise.all([readRefs(gitDir), readRegistered(gitDir)]);
    const trunk = refs.get('refs/heads/main') ?? '';
    assert.ok(await this.mayBeTrunk(trunk), `the trunk is at ${trunk}, and was at ${this.trunk}`);
    if (trunk !== this.trunk) await this.#assertProved(trunk);
    for (const one of [this.trunk, trunk]) this.#past.add(one);
    this.trunk = trunk;
    await this.#lookAt(JSON.stringify([[...refs].sort(), [...registered].sort()]));
    for (const commit of this.commits) assert.ok(this.#objects.has(commit), `${commit} is reachable`);
    for (const one of this.#precious) await this.#assertKept(one, registered);
    const logs = await this.#heads();
    for (const commit of this.#left.keys())
      assert.ok(
        this.#objects.has(commit) || logs.includes(commit),
        `${commit}, which was left, is reachable`,
      );
    const stores = await this.#modules();
    for (const commit of this.#inner.keys()) {
      const places = stores.map((store) => join(store, 'objects', commit.slice(0, 2), commit.slice(2)));
      const there = await Promise.all(places.map(isThere));
      assert.ok(there.includes(true), `${commit} of the submodule is in a repository of it`);
    }
    await this.#assertTold(registered);
  }

  /** The reflogs of all linked checkouts' HEADs. */
  async #heads(): Promise<string> {
    const parent = join(this.project.root, '.git/worktrees');
    const names = await readdir(parent).catch(() => []);
    const logs = names.map((name) => readFile(join(parent, name, 'logs/HEAD'), 'utf8').catch(() => ''));
    return (await Promise.all(logs)).join('');
  }

  /** Every repository of the submodule: where it came from, and that of each checkout that has it. */
  async #modules(): Promise<string[]> {
    const parent = join(this.project.root, '.git/worktrees');
    const names = await readdir(parent).catch(() => []);
    return [
      join(this.project.home, 'library.git'),
      ...names.map((name) => join(parent, name, 'modules/sub')),
    ];
  }

  /** Pushes what was committed in the submodule to where it came from. */
  async pushInside(): Promise<void> {
    const [, ...stores] = await this.#modules();
    for (const store of stores) {
      for (const commit of this.#inner.keys()) {
        if (!(await isThere(join(store, 'objects', commit.slice(0, 2), commit.slice(2))))) continue;
        // Its checkout may be gone, and git would look for that.
        const bare = [`--git-dir=${store}`, `--work-tree=${store}`];
        await git(store, ...bare, 'push', '--quiet', 'origin', `${commit}:refs/heads/w-${commit}`);
      }
    }
  }

  /** Checks what a push left on the upstream: it only ever moves forward, to what the gate passed, or a person has left the trunk at. */
  async checkUpstream(hub: string, before: string): Promise<string> {
    const now = await git(hub, 'rev-parse', 'refs/heads/main');
    if (now === before) return now;
    await git(hub, 'merge-base', '--is-ancestor', before, now);
    // Of work that a person merged by hand the trunk is pushed as they left it.
    if (now !== this.trunk) await this.#assertProved(now);
    return now;
  }

  async #assertProved(commit: string): Promise<void> {
    const proofs = await readdir(join(this.project.root, '.git/discern-vscode/proofs'));
    assert.ok(
      proofs.some((name) => name.startsWith(commit)),
      `${commit} landed with a proof`,
    );
  }

  async #lookAt(refs: string): Promise<void> {
    if (refs === this.#seen) return;
    const lines = (await git(this.project.root, 'rev-list', '--objects', '--all')).split('\n');
    this.#objects = new Set(lines.map((line) => line.slice(0, 40)));
    this.#seen = refs;
  }

  async #assertKept(
    { checkout, path, text, staged }: Precious,
    registered: ReadonlyMap<string, string>,
  ): Promise<void> {
    const what = `${staged ? 'what was staged as' : ''} ${join(checkout, path)}: ${text}`;
    if (staged && (await isThere(join(checkout, '.git')))) {
      assert.equal((await this.#stagedIn(checkout)).get(path), blobId(text), what);
      return;
    }
    // The index lies with git for as long as git knows the checkout.
    if (staged && registered.has(checkout)) return;
    const folder = dirname(checkout);
    const moved = (await readdir(folder).catch(() => [])).filter((name) =>
      name.startsWith(`.${basename(checkout)}.remov`),
    );
    for (const place of [checkout, ...moved.map((name) => join(folder, name))]) {
      const found = await readFile(join(place, path), 'utf8').catch(() => undefined);
      if (!staged && found === text) return;
    }
    assert.ok(this.#objects.has(blobId(text)), `${what} is kept`);
  }

  /** What is staged in a checkout: ids by path. */
  async #stagedIn(checkout: string): Promise<ReadonlyMap<string, string>> {
    const bytes = await readFile(await indexOf(checkout)).catch(() => Buffer.alloc(0));
    const known = this.#staged.get(checkout);
    if (known && bytes.equals(known.bytes)) return known.ids;
    const lines = (await git(checkout, 'ls-files', '--stage', '-z')).split('\0').filter(Boolean);
    // "<mode> <id> <stage>\t<path>" (git-ls-files(1))
    const ids = new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(' ')[1] ?? '']));
    this.#staged.set(checkout, { bytes, ids });
    return ids;
  }

  /** No worktree is registered without a directory, or the reverse, unless someone who asks is told of it. */
  async #assertTold(registered: ReadonlyMap<string, string>): Promise<void> {
    const folder = `${this.project.root}.worktrees`;
    const odd: string[] = [];
    for (const path of registered.keys()) if (!(await isThere(join(path, '.git')))) odd.push(path);
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      if (!registered.has(path)) odd.push(path.replace(/\/\.(.+)\.remov(ing|ed)-[0-9a-f]+$/, '/$1'));
    }
    const state = `${this.#seen}${odd}`;
    if (odd.length === 0 || state === this.#told) return;
    this.#told = state;
    const { plan, data } = await verb('prune', this.project.root);
    const told = JSON.stringify([plan, data?.kept]).replaceAll(
      /\/\.([^/]+?)\.remov(ing|ed)-[0-9a-f]+/g,
      '/$1',
    );
    for (const path of odd) assert.ok(told.includes(path), `${path} is told of: ${told}`);
  }
}
