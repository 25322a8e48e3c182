import assert from 'node:assert/strict';
import { readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const status = async (directory: string) => succeeded(await verb('status', directory));

describe('status', () => {
  afterEach(removeAll);

  it('says root, branch and commit, and that the main checkout is where work lands', async () => {
    const project = await make();
    const data = await status(join(project.root, 'src'));
    assert.equal(data.root, project.root);
    assert.equal(data.branch, 'main');
    assert.equal(data.commit, await git(project.root, 'rev-parse', 'HEAD'));
    assert.equal(data.location, 'main');
    assert.equal(data.trunk, 'main');
    assert.deepEqual([data.ahead, data.behind, data.clean], [0, 0, true]);
    assert.equal(data.findings, undefined);
    assert.equal(data.recovery, undefined);
  });

  it('says how far a worktree is from the trunk', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ b: '' }, path);
    await project.commit({ c: '' }, path);
    await project.commit({ d: '' });
    const data = await status(path);
    assert.equal(data.location, 'worktree');
    assert.deepEqual([data.ahead, data.behind], [2, 1]);
  });

  it('counts staged, unstaged and untracked changes, whatever the user has told git to show', async () => {
    const project = await make({ files: { one: '1\n', two: '2\n' } });
    await git(project.root, 'config', 'status.showUntrackedFiles', 'no');
    await git(project.root, 'config', 'status.renames', 'copies');
    await project.write({ one: 'x\n', two: 'y\n', three: 'z\n', 'new dir/a': '', 'new dir/b': '' });
    await git(project.root, 'add', 'one', 'three');
    const data = await status(project.root);
    assert.deepEqual(data.changes, { staged: 2, unstaged: 1, untracked: 1 });
    assert.equal(data.clean, false);
    assert.match((await verb('status', project.root)).message ?? '', /one, three, two, new dir\//);
  });

  it('has no branch on a detached HEAD', async () => {
    const project = await make();
    await git(project.root, 'switch', '--quiet', '--detach');
    const data = await status(project.root);
    assert.equal(data.branch, null);
    assert.equal(data.location, 'main');
    assert.equal(data.worktrees[0]?.landing, false);
    assert.equal(data.worktrees[0]?.branch, null);
  });

  it('lists every checkout: whose it is, where it stands, and what is wrong with it', async () => {
    const project = await make();
    const ours = await started(project.root, { name: 'ours' });
    await project.commit({ b: '' }, ours.path);
    await project.write({ c: '' }, ours.path);
    const theirs = join(project.home, 'theirs');
    await git(project.root, 'worktree', 'add', '--quiet', '--detach', theirs);
    await git(project.root, 'worktree', 'lock', '--reason', 'on a\nstick', theirs);
    const gone = join(project.home, 'gone');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'gone', gone);
    await rm(gone, { recursive: true });

    const { worktrees } = await status(theirs);
    const commit = await git(project.root, 'rev-parse', 'main');
    const by = (path: string) => worktrees.find((one) => one.path === path);
    assert.equal(worktrees.length, 4);
    assert.deepEqual(by(project.root), {
      path: project.root,
      root: project.root,
      branch: 'main',
      commit,
      location: 'main',
      landing: true,
      managed: false,
      ahead: 0,
      behind: 0,
      clean: true,
      tracked_changes: 0,
    });
    assert.deepEqual(by(ours.path), {
      path: ours.path,
      root: ours.path,
      branch: ours.branch,
      commit: await git(ours.path, 'rev-parse', 'HEAD'),
      location: 'worktree',
      landing: false,
      managed: true,
      title: 'ours',
      id: ours.id,
      port: ours.port,
      listening: false,
      ahead: 1,
      behind: 0,
      clean: false,
      tracked_changes: 0,
    });
    const detached = by(theirs);
    assert.deepEqual([detached?.branch, detached?.managed, detached?.locked], [null, false, 'on a\nstick']);
    const lost = by(gone);
    assert.ok(lost?.prunable, 'git says that its directory is gone');
    assert.equal(lost?.clean, undefined);
  });

  it('answers for the checkout a symlink leads to', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const link = join(project.home, 'link');
    await symlink(path, link);
    assert.equal((await status(link)).root, path);
  });

  it('changes nothing, not even the index of a checkout it looks at', async () => {
    const project = await make();
    const { path, worktree } = await started(project.root);
    const index = join(await git(worktree, 'rev-parse', '--absolute-git-dir'), 'index');
    await project.write({ 'src/a.txt': 'a\n' }, path);
    const before = await readFile(index);
    await status(path);
    await status(project.root);
    assert.deepEqual(await readFile(index), before);
  });

  it('refuses a repository without a commit, and says how to make one', async () => {
    const project = await make();
    await git(project.root, 'switch', '--quiet', '--orphan', 'fresh');
    await project.write({ 'discern.toml': '[project]\nname = "x"\n' });
    const answer = await verb('status', project.root);
    refusedWith(answer, 'unborn_repository', /git add -A/);
    assert.equal(answer.data?.root, project.root);
  });

  it('refuses a discern.toml outside any repository that git can use', async () => {
    const project = await make();
    await rm(join(project.root, '.git/HEAD'));
    refusedWith(await verb('status', project.root), 'not_a_git_repository', /git status/);
  });
});
