import assert from 'node:assert/strict';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nothingLanded, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, assertWorks, killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

interface Work {
  project: Project;
  path: string;
  branch: string;
  before: string;
  commit: string;
}

async function work(): Promise<Work> {
  const project = await make({ files: { 'gone.txt': 'gone\n', 'same.txt': 'same\n' } });
  const before = await git(project.root, 'rev-parse', 'HEAD');
  const { path, branch } = await started(project.root, { name: 'killed' });
  await git(path, 'rm', '--quiet', 'gone.txt');
  const commit = await project.commit({ 'src/a.txt': 'landed\n', 'new/deep.txt': 'landed\n' }, path);
  await project.write({ 'loose.txt': 'precious\n' });
  return { project, path, branch: branch ?? '', before, commit };
}

/** What holds as soon as anyone has looked: status finishes what can be finished. */
async function assertSettled({ project, before, commit }: Work): Promise<void> {
  await assertSound(project, [before, commit]);
  const trunk = await git(project.root, 'rev-parse', 'main');
  assert.ok(trunk === before || trunk === commit, 'the trunk is at the old or at the validated commit');
  assert.equal(await git(project.root, 'rev-parse', 'HEAD'), trunk);
  assert.equal(await readFile(join(project.root, 'loose.txt'), 'utf8'), 'precious\n');
  const text = await readFile(join(project.root, 'src/a.txt'), 'utf8');
  assert.equal(text, trunk === commit ? 'landed\n' : 'a\n', 'the files are those of the trunk');
  assert.equal(await isThere(join(project.root, 'gone.txt')), trunk === before);
}

/** Whatever the user does next, the work ends up landed and the worktree gone. */
async function assertLands(one: Work): Promise<void> {
  const { project, path, branch, commit } = one;
  if (await isThere(path)) succeeded(await verb('accept', path));
  assert.equal(await git(project.root, 'rev-parse', 'main', 'HEAD'), `${commit}\n${commit}`);
  assert.equal(await isThere(path), false);
  assert.equal(await git(project.root, 'branch', '--list', branch), '');
  await git(project.root, 'notes', '--ref=refs/notes/discern', 'list', commit);
  const status = await assertSound(project, [commit]);
  assert.equal(status.findings, undefined);
  assert.equal(status.recovery, undefined, 'there was nothing left to recover');
  await assertWorks(project);
}

describe('An accept that was killed', () => {
  afterEach(removeAll);

  for (const point of ['accept.journaled', 'accept.moved', 'accept.followed']) {
    it(`is finished by the accept that comes next, after ${point}`, async () => {
      const one = await work();
      await killedAt(point, 'accept', one.path);
      const data = succeeded(await verb('accept', one.path));
      const moved = point !== 'accept.journaled';
      assert.deepEqual(data.landing, {
        recovery_performed: moved,
        trunk_landed: true,
        worktree_removed: true,
        branch_deleted: true,
      });
      assert.deepEqual(
        [data.root, data.landed_commit, data.worktree],
        [one.project.root, one.commit, one.path],
      );
      await assertLands(one);
    });
  }

  it('is finished before the accept of another worktree, which then lands together with it', async () => {
    const one = await work();
    const other = await started(one.project.root, { name: 'other' });
    await one.project.commit({ 'other.txt': '' }, other.path);
    await killedAt('accept.moved', 'accept', one.path);
    const { landing } = succeeded(await verb('accept', other.path));
    assert.deepEqual([landing.recovery_performed, landing.trunk_landed], [true, true]);
    await git(one.project.root, 'merge-base', '--is-ancestor', one.commit, 'main');
    assert.equal(await git(one.project.root, 'status', '--porcelain'), '?? loose.txt');
    await assertSound(one.project, [one.before, one.commit]);
  });

  it('is told of by the accept of another worktree that is refused itself', async () => {
    const one = await work();
    const other = await started(one.project.root, { name: 'other' });
    await one.project.commit({ 'src/a.txt': 'conflicts\n' }, other.path);
    await killedAt('accept.moved', 'accept', one.path);
    const answer = await verb('accept', other.path);
    assert.equal(answer.error, 'merge_conflict');
    assert.deepEqual(answer.data?.landing, { ...nothingLanded, recovery_performed: true });
    await assertSettled(one);
  });

  for (const point of ['retire.renamed', 'retire.judged']) {
    it(`also when the work had been landed by hand, at ${point}`, async () => {
      const one = await work();
      await git(one.project.root, 'merge', '--quiet', '--ff-only', one.branch);
      await killedAt(point, 'accept', one.path);
      await assertSettled(one);
      await assertLands(one);
    });
  }

  for (const again of ['retire.renamed', 'retire.judged', 'retire.forgotten', 'accept.removed']) {
    it(`loses nothing when its recovery is killed too, at ${again}`, async () => {
      const one = await work();
      await killedAt('accept.moved', 'accept', one.path);
      await killedAt(again, 'status', one.project.root);
      await assertSettled(one);
      await assertLands(one);
    });
  }
});

describe('A worktree that is edited after an accept was killed', () => {
  afterEach(removeAll);

  for (const point of ['accept.journaled', 'accept.moved', 'accept.followed']) {
    it(`at ${point} keeps the edit`, async () => {
      const one = await work();
      await killedAt(point, 'accept', one.path);
      await one.project.write({ 'same.txt': 'precious\n' }, one.path);
      const status = await assertSound(one.project, [one.before, one.commit]);
      assert.equal(await readFile(join(one.path, 'same.txt'), 'utf8'), 'precious\n');
      if (point !== 'accept.journaled')
        assert.match(status.recovery?.detail ?? '', /was edited meanwhile.*same\.txt/);
      const later = await one.project.commit({}, one.path);
      assert.equal(succeeded(await verb('accept', one.path)).landed_commit, later);
    });
  }

  it('keeps an edit that was made just before it was renamed away', async () => {
    const one = await work();
    await killedAt('retire.renamed', 'accept', one.path);
    const folder = `${one.project.root}.worktrees`;
    const [name = ''] = await readdir(folder);
    assert.match(name, /^\.killed-.*\.removing-/);
    await one.project.write({ 'same.txt': 'precious\n' }, join(folder, name));
    const status = await assertSound(one.project, [one.before, one.commit]);
    assert.match(status.recovery?.detail ?? '', /was edited meanwhile/);
    assert.equal(await readFile(join(one.path, 'same.txt'), 'utf8'), 'precious\n');
    assert.equal(await git(one.path, 'status', '--porcelain'), ' M same.txt');
  });

  it('keeps an edit also when git was made to forget the worktree meanwhile', async () => {
    const one = await work();
    await killedAt('retire.renamed', 'accept', one.path);
    const folder = `${one.project.root}.worktrees`;
    const [name = ''] = await readdir(folder);
    await one.project.write({ 'same.txt': 'precious\n' }, join(folder, name));
    await git(one.project.root, 'worktree', 'prune');
    const status = succeeded(await verb('status', one.project.root));
    const left = join(folder, name);
    assert.ok(status.recovery?.detail.includes(left), status.recovery?.detail);
    assert.equal(await readFile(join(left, 'same.txt'), 'utf8'), 'precious\n');
    const again = succeeded(await verb('status', one.project.root));
    assert.ok(again.findings?.some(({ what }) => what.includes(left)));
    assert.equal(await readFile(join(left, 'same.txt'), 'utf8'), 'precious\n');
  });
});
