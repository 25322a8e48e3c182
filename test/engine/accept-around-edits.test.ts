import assert from 'node:assert/strict';
import { chmod, lstat, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { listing, pausedAt, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const files = {
  'staged.txt': 'old\n',
  'unstaged.txt': 'old\n',
  'both.txt': 'old\n',
  'deleted.txt': 'old\n',
  'gone.txt': 'old\n',
  'dir/run.sh': '#!/bin/sh\n',
  'lands.txt': 'old\n',
  'leaves.txt': 'old\n',
};

/** What a person has lying about in the landing checkout, none of it in a file that lands. */
async function edit({ root, write }: Project): Promise<void> {
  await write({
    'staged.txt': 'staged\n',
    'both.txt': 'staged\n',
    'added.txt': 'added\n',
    'meant.txt': 'meant\n',
  });
  await git(root, 'add', 'staged.txt', 'both.txt', 'added.txt');
  await git(root, 'add', '--intent-to-add', 'meant.txt');
  await write({ 'unstaged.txt': 'unstaged\n', 'both.txt': 'edited since\n', 'loose.txt': 'loose\n' });
  await git(root, 'rm', '--quiet', 'gone.txt');
  await rm(join(root, 'deleted.txt'));
  await chmod(join(root, 'dir/run.sh'), 0o755);
  await symlink('nowhere', join(root, 'link'));
}

const staged = (root: string) => git(root, 'diff', '--cached', '--binary', '--no-color', '--', ':!lands.txt');
const unstaged = (root: string) => git(root, 'diff', '--binary', '--no-color');

/** The files that nothing lands on. */
const others = async (root: string) =>
  (await listing(root)).filter((name) => !/^(lands|leaves|new\/|new\/deep)/.test(name));

async function work(project: Project): Promise<{ path: string; commit: string }> {
  const { path } = await started(project.root);
  await git(path, 'rm', '--quiet', 'leaves.txt');
  const commit = await project.commit({ 'lands.txt': 'landed\n', 'new/deep.txt': 'landed\n' }, path);
  return { path, commit };
}

async function look({ root }: Project) {
  return {
    files: await others(root),
    staged: await staged(root),
    unstaged: await unstaged(root),
    status: (await git(root, 'status', '--porcelain=v2'))
      .split('\n')
      .filter((line) => !/lands|leaves|new\//.test(line)),
  };
}

async function assertLanded({ root }: Project, commit: string): Promise<void> {
  assert.equal(await git(root, 'rev-parse', 'main', 'HEAD'), `${commit}\n${commit}`);
  assert.equal(await readFile(join(root, 'lands.txt'), 'utf8'), 'landed\n');
  assert.equal(await readFile(join(root, 'new/deep.txt'), 'utf8'), 'landed\n');
  await assert.rejects(lstat(join(root, 'leaves.txt')));
  assert.equal(await git(root, 'status', '--porcelain', '--', 'lands.txt', 'leaves.txt', 'new'), '');
}

describe('A landing checkout with edits that what lands does not touch', () => {
  afterEach(removeAll);

  it('keeps every byte, mode and link, staged or not, and the landing goes on around them', async () => {
    const project = await make({ files });
    const { path, commit } = await work(project);
    await edit(project);
    const before = await look(project);
    const { landing } = succeeded(await verb('accept', path));
    assert.deepEqual([landing.trunk_landed, landing.worktree_removed], [true, true]);
    assert.deepEqual(await look(project), before);
    await assertLanded(project, commit);
  });

  for (const point of ['accept.journaled', 'accept.moved', 'accept.followed', 'accept.removed']) {
    it(`keeps them when the landing is killed at ${point}, and when it is finished`, async () => {
      const project = await make({ files });
      const { path, commit } = await work(project);
      await edit(project);
      const before = await look(project);
      await killedAt(point, 'accept', path);
      const kept = async () => [
        await others(project.root),
        await unstaged(project.root).then((text) => text.includes('edited since')),
      ];
      assert.deepEqual(await kept(), [before.files, true]);
      succeeded(await verb('status', project.root));
      if (point === 'accept.journaled') succeeded(await verb('accept', path));
      assert.deepEqual(await look(project), before);
      await assertLanded(project, commit);
    });
  }

  it('keeps one that is made at the last moment, in what lands: nothing has landed then', async () => {
    const project = await make({ files });
    const { path } = await work(project);
    await edit(project);
    const trunk = await git(project.root, 'rev-parse', 'main');
    const { resume } = await pausedAt(project, 'accept.moved', 'accept', path, {});
    await project.write({ 'lands.txt': 'precious\n' });
    const before = { ...(await look(project)), staged: '' };
    const answer = await resume();
    assert.equal(answer?.error, 'dirty_landing_checkout');
    assert.deepEqual(answer?.data?.files, ['lands.txt']);
    assert.match(
      answer?.message ?? '',
      /uncommitted changes to files that this landing changes \(lands\.txt\)/,
    );
    assert.equal(await git(project.root, 'rev-parse', 'main'), trunk);
    assert.equal(await readFile(join(project.root, 'lands.txt'), 'utf8'), 'precious\n');
    assert.deepEqual((await look(project)).files, before.files);
    assert.match(await unstaged(project.root), /precious/);
  });

  it('that has staged the very content that lands keeps it, and is clean there afterwards', async () => {
    const project = await make({ files });
    const { path, commit } = await work(project);
    await project.write({ 'lands.txt': 'landed\n', 'unstaged.txt': 'unstaged\n' });
    await git(project.root, 'add', 'lands.txt');
    succeeded(await verb('accept', path));
    await assertLanded(project, commit);
    assert.equal(await git(project.root, 'status', '--porcelain'), ' M unstaged.txt');
  });
});
