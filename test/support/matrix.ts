import assert from 'node:assert/strict';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { started, succeeded } from './checkouts.ts';
import { verb } from './engine.ts';
import { type FaultyVerb, pointsOf } from './fault-points.ts';
import { assertSound, assertWorks, killedAt } from './invariants.ts';
import { isThere, Ledger } from './ledger.ts';
import { git, type Project, projects } from './project.ts';
import { readRegistered } from './refs.ts';

const { make, removeAll } = projects();

/** A repository in which a verb is about to be killed. */
interface Scene {
  project: Project;
  ledger: Ledger;
  /** Where the verb is called, and with what. */
  root: string;
  args: Record<string, unknown>;
  /** The worktree it is about, if any. */
  path?: string;
  branch?: string;
}

/** People have loose files lying about, in the landing checkout too. */
async function scene(): Promise<{ project: Project; ledger: Ledger }> {
  const project = await make({ files: { 'gone.txt': 'gone\n', 'same.txt': 'same\n' } });
  const ledger = await Ledger.open(project);
  await ledger.write(project.root, 'loose.txt', 'precious in the main checkout\n');
  return { project, ledger };
}

async function workIn({ project, ledger }: { project: Project; ledger: Ledger }) {
  const { path, branch, id } = await started(project.root, { name: 'killed' });
  await git(path, 'rm', '--quiet', 'gone.txt');
  await ledger.write(path, 'src/a.txt', 'changed\n');
  await ledger.write(path, 'new/deep.txt', 'new\n');
  const commit = await ledger.commit(path);
  await ledger.write(path, 'src/left.txt', 'tried, and left\n');
  await ledger.commitAndLeave(path, branch ?? '');
  return { path, branch: branch ?? '', id, commit };
}

async function leaveEdits(ledger: Ledger, path: string): Promise<void> {
  await ledger.write(path, 'staged.txt', 'staged\n');
  await ledger.stage(path, 'staged.txt');
  await ledger.write(path, 'staged.txt', 'edited since\n');
  await ledger.write(path, 'loose.txt', 'precious in the worktree\n');
}

const scenes: Record<FaultyVerb, (point: string) => Promise<Scene>> = {
  async start() {
    const made = await scene();
    return { ...made, root: made.project.root, args: { name: 'killed' } };
  },
  async update() {
    const made = await scene();
    const { path, branch } = await workIn(made);
    await made.ledger.write(path, 'untracked.txt', 'precious in the worktree\n');
    made.ledger.commits.add(
      await git(made.project.root, 'commit-tree', '-p', 'main', '-m', 'trunk', 'main^{tree}'),
    );
    const [trunk = ''] = [...made.ledger.commits].slice(-1);
    await git(made.project.root, 'update-ref', 'refs/heads/main', trunk);
    made.ledger.trunk = trunk;
    return { ...made, root: path, args: {}, path, branch };
  },
  async accept() {
    const made = await scene();
    const { path, branch, commit } = await workIn(made);
    made.ledger.mayLand.add(commit);
    return { ...made, root: path, args: {}, path, branch };
  },
  async status() {
    const one = await scenes.accept('');
    await killedAt('accept.moved', 'accept', one.root);
    return { ...one, root: one.project.root };
  },
  async drop() {
    const made = await scene();
    const { path, branch, id } = await workIn(made);
    await leaveEdits(made.ledger, path);
    const args = { worktree: id, delete_branch: true, force: true };
    return { ...made, root: made.project.root, args, path, branch };
  },
  async prune(point) {
    const made = await scene();
    const { path, branch } = await workIn(made);
    await leaveEdits(made.ledger, path);
    const args = { dry_run: false };
    const one = { ...made, root: made.project.root, args, path, branch };
    await rename(path, `${path}.away`);
    if (point === 'prune.registering') {
      // What was staged goes with git's own record, by git's own hand.
      await git(made.project.root, 'worktree', 'prune');
      await rename(`${path}.away`, path);
      made.ledger.deleted(path, { staged: true });
      made.ledger.forgotten(await readRegistered(join(made.project.root, '.git')));
      await made.ledger.write(path, 'loose.txt', 'precious in the worktree\n');
    } else {
      await rm(`${path}.away`, { recursive: true });
      made.ledger.deleted(path, { staged: false });
    }
    return one;
  },
};

/** What must have come of it when a person has gone on. */
const outcomes: Record<FaultyVerb, (one: Scene) => Promise<void>> = {
  async start({ project }) {
    assert.equal(await git(project.root, 'branch', '--list', 'agent/killed-*'), '');
    assert.deepEqual(await readdir(`${project.root}.worktrees`).catch(() => []), []);
  },
  async update({ root }) {
    assert.equal(succeeded(await verb('update', root)).merged, false, 'there is nothing left to merge');
    assert.equal(await git(root, 'status', '--porcelain'), '?? untracked.txt', 'and no half of a merge');
  },
  async accept({ project, path = '', branch = '', ledger }) {
    assert.equal(await isThere(path), false);
    assert.equal(await git(project.root, 'branch', '--list', branch), '');
    assert.equal(await git(project.root, 'rev-parse', 'HEAD'), [...ledger.mayLand][0]);
    assert.equal(
      await git(project.root, 'status', '--porcelain'),
      '?? loose.txt',
      'its files are the trunk’s',
    );
  },
  status: (one) => outcomes.accept(one),
  async drop({ project, path = '', branch = '' }) {
    assert.equal(await isThere(path), false);
    assert.equal(await git(project.root, 'branch', '--list', branch), '');
    assert.notEqual(await git(project.root, 'for-each-ref', 'refs/discern/recovered'), '');
  },
  async prune({ project, branch = '' }) {
    assert.equal(await git(project.root, 'branch', '--list', '--format=%(refname:short)', branch), branch);
  },
};

/** A killed verb is called once more where that makes sense: its checkout may be gone, its branch too. */
async function again(name: FaultyVerb, { root, args, project }: Scene): Promise<void> {
  if (!(await isThere(root))) return;
  const answer = await verb(name, root, args);
  assert.notEqual(answer.error, 'internal_error', answer.message);
  if (name === 'start') {
    const worktree = succeeded(answer as Awaited<ReturnType<typeof verb<'start'>>>).worktree;
    succeeded(await verb('drop', project.root, { worktree, delete_branch: true }));
  }
}

/** Does what status says, until nothing is left to do. */
async function mend(name: FaultyVerb, one: Scene): Promise<void> {
  const { project, path = '' } = one;
  const { worktrees } = succeeded(await verb('status', project.root));
  for (const { path: worktree, location } of worktrees) {
    if (location === 'main') continue;
    if (name === 'start') succeeded(await verb('drop', project.root, { worktree, delete_branch: true }));
    if (name === 'drop') succeeded(await verb('drop', project.root, one.args as never));
  }
  if (name === 'update') succeeded(await verb('update', one.root));
  if (name === 'drop') await git(project.root, 'branch', '--quiet', '-D', one.branch ?? '').catch(() => '');
  if ((name === 'accept' || name === 'status') && (await isThere(path)))
    succeeded(await verb('accept', path));
  succeeded(await verb('prune', project.root, { dry_run: false }));
}

const nexts = ['status', 'the same verb', 'prune'] as const;

/** Every way to go on from every point takes minutes: `DISCERN_FAULTS=all`. Else the points take turns with the ways. */
const every = process.env.DISCERN_FAULTS === 'all';

/** The rows of the fault matrix: each point of these verbs, and what a person does next, as tests. Counts are printed. */
export function describeFaults(...verbs: FaultyVerb[]): void {
  const pairs = verbs.flatMap((name) => pointsOf[name].map((point) => ({ name, point })));
  const rows = pairs.flatMap((pair, index) =>
    nexts.filter((_, way) => every || way === index % nexts.length).map((next) => ({ ...pair, next })),
  );
  const counts = { kills: 0, checks: 0 };

  describe(`The fault matrix of ${verbs.join(', ')}`, () => {
    afterEach(removeAll);
    after(() => {
      console.log(
        `    ${pairs.length} pairs of verb and point, ${every ? 'each ' : ''}gone on from in ${nexts.length} ways: ${counts.kills} kills, ${counts.checks} checks of everything`,
      );
    });

    for (const { name, point, next } of rows) {
      it(`${name} killed at ${point}, then ${next}: nothing is lost, and it comes to its end`, async () => {
        const one = await scenes[name](point);
        const check = async () => {
          counts.checks++;
          await one.ledger.check();
        };
        await check();
        await killedAt(point, name, one.root, one.args);
        counts.kills++;
        await check();
        if (next === 'status') succeeded(await verb('status', one.project.root));
        else if (next === 'prune') succeeded(await verb('prune', one.project.root, { dry_run: false }));
        else await again(name, one);
        await check();
        await mend(name, one);
        await check();
        await outcomes[name](one);
        const status = await assertSound(one.project, [...one.ledger.commits]);
        assert.equal(status.findings, undefined);
        assert.equal(status.recovery, undefined, 'nothing was left to recover');
        if (next === 'status') await assertWorks(one.project);
      });
    }
  });
}
