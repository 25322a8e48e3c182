import assert from 'node:assert/strict';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Envelope } from '../../src/contract/envelope.ts';
import type { Data } from '../../src/contract/verbs.ts';
import { elsewhere, succeeded } from './checkouts.ts';
import { verb } from './engine.ts';
import { type FaultyVerb, parkingPoints, pointsOf, queuePoints } from './fault-points.ts';
import { isThere, Ledger } from './ledger.ts';
import { git, gitSubmodule, type Project } from './project.ts';
import { Dice } from './random.ts';
import { readRefs, readRegistered } from './refs.ts';

/** How often each thing happens: people edit and commit more than they land. */
const weights = {
  edit: 90,
  editMain: 4,
  stage: 20,
  commit: 34,
  commitMain: 5,
  mergeByHand: 2,
  deleteByHand: 2,
  pruneByHand: 1,
  start: 10,
  update: 9,
  done: 4,
  accept: 9,
  finish: 10,
  drop: 6,
  status: 5,
  prune: 4,
  flag: 4,
  unflag: 4,
  leaveCommit: 4,
  commitInside: 2,
  pushInside: 2,
  setting: 3,
  park: 4,
  queue: 5,
  runQueue: 3,
  queueByHand: 2,
};
type Action = keyof typeof weights;

/** No more worktrees than this at once, so that they meet. */
const MOST_WORKTREES = 4;
/** One verb in so many is called in a process that is killed on its way. */
const KILLED_ONE_IN = 6;
/** Settings of a user that git obeys and that decide nothing of ours. */
const SETTINGS: readonly [string, string][] = [
  ['core.fileMode', 'false'],
  ['core.ignoreCase', 'true'],
  ['core.checkStat', 'minimal'],
  ['core.trustctime', 'false'],
  ['rebase.autoStash', 'true'],
  ['merge.autoStash', 'true'],
  ['merge.ff', 'false'],
  ['status.showUntrackedFiles', 'no'],
  ['diff.ignoreSubmodules', 'all'],
  ['submodule.recurse', 'true'],
];
const FILES = ['src/a.txt', 'src/b.txt', 'own.txt', 'dir/deep.txt'];

export interface Tally {
  steps: number;
  kills: number;
  landed: number;
  actions: Record<string, number>;
  refusals: Record<string, number>;
}

export const newTally = (): Tally => ({ steps: 0, kills: 0, landed: 0, actions: {}, refusals: {} });

const count = (into: Record<string, number>, name: string) => {
  into[name] = (into[name] ?? 0) + 1;
};

/**
 * People and agents at work in one repository, at random: verbs, commits, edits by hand, and processes that are killed
 * half way. After each step everything that must hold is checked.
 */
export class Walk {
  readonly #project: Project;
  readonly #dice: Dice;
  readonly #ledger: Ledger;
  readonly #tally: Tally;
  /** What was done, for whoever has to find out why it failed. */
  readonly history: string[] = [];
  #texts = 0;
  /** Where the trunk of the remote is. */
  #upstream: string;

  private constructor(project: Project, seed: number, ledger: Ledger, tally: Tally) {
    this.#project = project;
    this.#dice = new Dice(seed);
    this.#ledger = ledger;
    this.#tally = tally;
    this.#upstream = ledger.trunk;
  }

  static async open(project: Project, seed: number, tally: Tally): Promise<Walk> {
    const hub = join(project.home, 'hub.git');
    await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
    await git(project.root, 'remote', 'add', 'origin', hub);
    await git(project.root, 'fetch', '--quiet', 'origin');
    return new Walk(project, seed, await Ledger.open(project), tally);
  }

  async step(): Promise<void> {
    const worktrees = await this.#worktrees();
    const action = this.#choose(worktrees.length);
    count(this.#tally.actions, action);
    this.#tally.steps++;
    await this.#perform(action, worktrees);
    await this.#ledger.check();
  }

  /** Settles everything, lands nothing more, and drops what is left: still nothing may be lost. */
  async end(): Promise<void> {
    const { root } = this.#project;
    for (const [key] of SETTINGS) await git(root, 'config', '--unset-all', key).catch(() => '');
    await this.#ledger.pushInside();
    succeeded(await verb('status', root));
    succeeded(await verb('prune', root, { dry_run: false }));
    await this.#ledger.check();
    for (const path of await this.#worktrees()) {
      succeeded(await verb('drop', root, { worktree: path, delete_branch: true, force: true }));
    }
    succeeded(await verb('prune', root, { dry_run: false }));
    succeeded(await verb('queue', root, { action: 'run' }));
    await this.#ledger.check();
    const { entries } = succeeded(await verb('queue', root));
    assert.deepEqual(
      entries.filter(({ place }) => place !== undefined),
      [],
      'nothing waits whose worktree is gone',
    );
    assert.deepEqual(await readdir(join(root, '.git/discern-vscode/own-checkouts')).catch(() => []), []);
    const { data } = await verb('status', root);
    assert.deepEqual([data?.findings, data?.worktrees?.length], [undefined, 1]);
    assert.deepEqual(await readdir(`${root}.worktrees`).catch(() => []), []);
    const edited = await git(root, 'status', '--porcelain', '--untracked-files=all');
    const paths = edited === '' ? [] : edited.split('\n').map((line) => line.slice(3));
    assert.deepEqual(
      paths.sort(),
      this.#ledger.uncommitted(root),
      'the main checkout differs by its edits alone',
    );
    await git(root, 'fsck', '--connectivity-only', '--no-dangling');
  }

  /** Worktrees that are there, whoever knows of them. */
  async #worktrees(): Promise<string[]> {
    const folder = `${this.#project.root}.worktrees`;
    const paths = (await readdir(folder).catch(() => [])).sort().map((name) => join(folder, name));
    const there = await Promise.all(paths.map((path) => isThere(join(path, '.git'))));
    return paths.filter((path, index) => there[index] && !basename(path).startsWith('.'));
  }

  #choose(worktrees: number): Action {
    for (;;) {
      const action = this.#dice.weighted(weights);
      const alone = [
        'start',
        'editMain',
        'commitMain',
        'status',
        'prune',
        'pruneByHand',
        'pushInside',
        'setting',
        'runQueue',
        'queueByHand',
      ].includes(action);
      if (!alone && worktrees === 0) continue;
      if (action === 'start' && worktrees >= MOST_WORKTREES) continue;
      return action;
    }
  }

  async #perform(action: Action, worktrees: readonly string[]): Promise<void> {
    const { root } = this.#project;
    const path = worktrees.length > 0 ? this.#dice.pick(worktrees) : root;
    this.history.push(`${action} ${basename(path)}`);
    switch (action) {
      case 'edit':
        return this.#edit(path);
      case 'editMain':
        return this.#ledger.write(root, this.#dice.pick(['loose.txt', 'src/c.txt']), this.#text());
      case 'stage':
        return this.#stage(path);
      case 'commit':
        return this.#commit(path);
      case 'commitMain':
        return this.#commit(root);
      case 'mergeByHand':
        return this.#merge(path);
      case 'deleteByHand':
        return this.#delete(path);
      case 'pruneByHand':
        return this.#pruneByHand();
      case 'start':
        await this.#call('start', root, { name: this.#dice.pick(['one', 'two']) });
        return;
      case 'update':
      case 'done':
        await this.#call(action, path, {});
        return;
      case 'accept':
        return this.#accept(path);
      case 'finish':
        return this.#finish(path);
      case 'queue':
        return this.#queue(path);
      case 'runQueue':
        await this.#call('queue', root, { action: 'run' });
        return;
      case 'queueByHand':
        return this.#queueByHand();
      case 'drop': {
        const [delete_branch, force] = [!this.#dice.oneIn(4), this.#dice.oneIn(2)];
        const answer = await this.#call('drop', root, { worktree: path, delete_branch, force });
        if (answer?.ok) assert.equal(await isThere(path), false, 'it is dropped, as it says');
        return;
      }
      case 'flag':
      case 'unflag':
        return this.#flag(path, action === 'flag');
      case 'leaveCommit':
        return this.#leaveCommit(path);
      case 'commitInside':
        return this.#commitInside(path);
      case 'pushInside':
        return this.#ledger.pushInside();
      case 'setting': {
        const [key, value] = this.#dice.pick(SETTINGS);
        const args = this.#dice.oneIn(2) ? [key, value] : ['--unset-all', key];
        // There may be nothing to unset.
        await git(root, 'config', ...args).catch(() => '');
        return;
      }
      case 'park':
        return this.#park(path);
      case 'status':
        await this.#call('status', this.#dice.oneIn(2) ? root : path, {});
        return;
      case 'prune':
        await this.#call('prune', root, { dry_run: this.#dice.oneIn(3) });
    }
  }

  /** A worktree is put away while somebody looks or cleans up, and brought back; either may be killed. */
  async #park(path: string): Promise<void> {
    if (!(await this.#isCheckout(path))) return;
    const { root } = this.#project;
    await this.#call('park', root, { worktree: path });
    if (this.#dice.oneIn(2)) await this.#call('status', root, {});
    else await this.#call('prune', root, { dry_run: false });
    await this.#call('unpark', root, { worktree: path });
    if (!(await isThere(path))) succeeded(await verb('unpark', root, { worktree: path }));
  }

  #text(): string {
    return `text ${++this.#texts}${this.#dice.oneIn(25) ? ' BROKEN' : ''}\n`;
  }

  async #edit(path: string): Promise<void> {
    await this.#ledger.write(path, this.#dice.pick(FILES), this.#text());
  }

  async #stage(path: string): Promise<void> {
    const [file] = this.#ledger.uncommitted(path).filter((one) => !this.#ledger.isFlagged(path, one));
    if (file !== undefined && (await this.#isCheckout(path)) && (await isThere(join(path, file))))
      await this.#ledger.stage(path, file);
  }

  /** Commits what is there, and something new with it; also on a HEAD that stands between two commits. */
  async #commit(path: string): Promise<void> {
    if (this.#dice.oneIn(2)) await this.#edit(path);
    if (await this.#isCheckout(path)) await this.#ledger.commit(path);
  }

  /** git is told to overlook a tracked file, which may be edited then; or to see it again. */
  async #flag(path: string, on: boolean): Promise<void> {
    if (!(await this.#isCheckout(path))) return;
    const tracked = (await git(path, 'ls-files', '--', ...FILES)).split('\n').filter(Boolean);
    if (tracked.length === 0) return;
    const file = this.#dice.pick(tracked);
    const flag = this.#dice.oneIn(2) ? 'assume-unchanged' : 'skip-worktree';
    await this.#ledger.flag(path, file, on ? flag : undefined);
    if (on && this.#dice.oneIn(2)) await this.#ledger.write(path, file, this.#text());
  }

  /** Commits on a detached HEAD and goes back; git itself would overwrite what it was told to overlook, so not with that. */
  async #leaveCommit(path: string): Promise<void> {
    if (!(await this.#isCheckout(path)) || this.#ledger.hasFlags(path)) return;
    const branch = await git(path, 'symbolic-ref', '--short', 'HEAD').catch(() => undefined);
    if (branch === undefined || (await git(path, 'status', '--porcelain', '--', 'sub')) !== '') return;
    await this.#edit(path);
    await this.#ledger.commitAndLeave(path, branch);
  }

  /** A person works in the submodule. */
  async #commitInside(path: string): Promise<void> {
    if (!(await this.#isCheckout(path))) return;
    if (!(await isThere(join(path, 'sub/.git')))) await gitSubmodule(path, 'update', '--init', 'sub');
    await this.#ledger.commitInside(path, 'sub', this.#text());
  }

  /** False for a directory that git was made to forget: nothing can be committed there. */
  async #isCheckout(path: string): Promise<boolean> {
    if (path === this.#project.root) return true;
    return (await readRegistered(join(this.#project.root, '.git'))).has(path);
  }

  async #merge(path: string): Promise<void> {
    const { root } = this.#project;
    const head = await git(path, 'rev-parse', 'HEAD').catch(() => undefined);
    if (head === undefined) return;
    this.#ledger.commits.add(head);
    const merged = await git(root, 'merge', '--quiet', '--no-edit', head).then(
      () => true,
      () => false,
    );
    if (!merged) await git(root, 'merge', '--abort').catch(() => '');
    const now = await git(root, 'rev-parse', 'HEAD');
    this.#ledger.commits.add(now);
    this.#ledger.trunk = now;
  }

  /** A person deletes a directory, and what was loose in it; or puts it away and back. */
  async #delete(path: string): Promise<void> {
    if (this.#dice.oneIn(2)) {
      await rm(path, { recursive: true });
      this.#ledger.deleted(path, { staged: false });
      return;
    }
    const away = join(this.#project.home, 'away');
    await rename(path, away);
    await this.#call('status', this.#project.root, {});
    await rename(away, path);
  }

  /**
   * `git worktree prune`: by git's own hand goes what was staged in directories that are gone. (So would detached commits;
   * nobody does it while there are some.)
   */
  async #pruneByHand(): Promise<void> {
    const gitDir = join(this.#project.root, '.git');
    const heads = [...(await readRegistered(gitDir)).values()];
    if (heads.some((head) => !head.startsWith('ref: '))) return;
    await git(this.#project.root, 'worktree', 'prune');
    this.#ledger.forgotten(await readRegistered(gitDir));
  }

  /** Commits, catches up and lands; work that conflicts is given up. */
  async #finish(path: string): Promise<void> {
    if (await this.#isCheckout(path)) await this.#ledger.unflagAll(path);
    await this.#ledger.pushInside();
    await this.#commit(path);
    const answer = await this.#call('update', path, {});
    if (answer?.error === 'merge_conflict') {
      const args = { worktree: path, delete_branch: true, force: true };
      await this.#call('drop', this.#project.root, args);
    } else if (await isThere(path)) await this.#accept(path);
  }

  async #accept(path: string): Promise<void> {
    const head = await git(path, 'rev-parse', 'HEAD').catch(() => undefined);
    if (head !== undefined) this.#ledger.mayLand.add(head);
    const before = this.#ledger.trunk;
    const how = this.#dice.pick(['ff', 'ff', 'merge', 'squash', 'rebase']);
    const push = this.#dice.oneIn(3);
    const answer = await this.#call('accept', path, { how, ...(push && { push }) });
    if (push) {
      const hub = join(this.#project.home, 'hub.git');
      this.#upstream = await this.#ledger.checkUpstream(hub, this.#upstream);
      if (answer?.ok && answer.data?.landing?.pushed) assert.equal(this.#upstream, answer.data.landed_commit);
      // What a kill left there alone is known here as what may be combined with.
      if (await this.#ledger.mayBeTrunk(this.#upstream).catch(() => false))
        this.#ledger.mayLand.add(this.#upstream);
    }
    if (!answer) return;
    const { landing, landed_commit: landed } = answer.data ?? {};
    if (landing === undefined) return;
    const refs = await readRefs(join(this.#project.root, '.git'));
    const trunk = refs.get('refs/heads/main');
    if (landing.trunk_landed) assert.ok(landed !== undefined && (await this.#ledger.mayBeTrunk(landed)));
    else if (!landing.recovery_performed && trunk !== before)
      assert.ok(await this.#isOfQueue(trunk), 'nothing landed, as it says, but what the queue had before it');
    assert.equal(await isThere(path), !landing.worktree_removed, 'worktree_removed is true to what happened');
    if (landing.branch_deleted)
      assert.ok(!refs.has(`refs/heads/agent/${basename(path)}`), 'branch_deleted is true');
    if (answer.ok) {
      this.#tally.landed++;
      assert.equal(landing.worktree_removed, answer.data?.kept === undefined);
    }
  }

  /** Work takes its place in the queue, and lands by whichever verb comes to it. */
  async #queue(path: string): Promise<void> {
    const head = await git(path, 'rev-parse', 'HEAD').catch(() => undefined);
    if (head !== undefined) this.#ledger.mayLand.add(head);
    const how = this.#dice.pick(['ff', 'ff', 'merge', 'squash', 'rebase']);
    await this.#call('accept', path, { how, queue: true });
  }

  /** A person holds an entry, lets it go on, or takes it out. */
  async #queueByHand(): Promise<void> {
    const { root } = this.#project;
    const { entries } = succeeded(await verb('queue', root));
    const waiting = entries.filter(({ place }) => place !== undefined);
    if (waiting.length === 0) return;
    const { entry } = this.#dice.pick(waiting);
    await this.#call('queue', root, { action: this.#dice.pick(['hold', 'release', 'drop']), entry });
  }

  /** Whether the queue says that it landed this commit. */
  async #isOfQueue(commit: string | undefined): Promise<boolean> {
    const { entries } = succeeded(await verb('queue', this.#project.root));
    return entries.some(({ landed_commit: landed }) => landed !== undefined && landed === commit);
  }

  /** Calls a verb here, or in a process that is killed at one of its points; then there is no answer. */
  async #call<V extends FaultyVerb | keyof typeof parkingPoints | 'done' | 'queue'>(
    name: V,
    directory: string,
    args: Record<string, unknown>,
  ): Promise<Envelope<Data<V>> | undefined> {
    const all: Readonly<Record<string, readonly string[]>> = {
      ...pointsOf,
      ...parkingPoints,
      queue: queuePoints,
    };
    const points = args.queue
      ? ['queue.added']
      : [...(all[name] ?? []), ...(args.push ? ['push.checked', 'push.pushed'] : [])];
    const point = points.length > 0 && this.#dice.oneIn(KILLED_ONE_IN) ? this.#dice.pick(points) : undefined;
    this.history.push(`  ${name} ${JSON.stringify(args)}${point === undefined ? '' : ` killed at ${point}`}`);
    let answer: Envelope<Data<V>> | undefined;
    if (point === undefined) answer = await verb(name, directory, args as never);
    else {
      const { child, ended } = elsewhere(name, directory, args as never, point);
      answer = (await ended) as Envelope<Data<V>> | undefined;
      if (child.signalCode === 'SIGKILL') this.#tally.kills++;
    }
    if (answer?.error !== undefined) count(this.#tally.refusals, `${name}: ${answer.error}`);
    assert.notEqual(answer?.error, 'internal_error', answer?.message);
    this.history.push(`    ${answer === undefined ? 'killed' : (answer.error ?? 'ok')}`);
    return answer;
  }
}
