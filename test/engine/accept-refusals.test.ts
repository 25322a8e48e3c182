import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { everything, nothingLanded, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitSubmodule, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** Checks that an accept is refused with flags that say so, and that nothing changed. */
async function refused(
  project: Project,
  directory: string,
  error: string,
  message?: RegExp,
): Promise<Record<string, unknown>> {
  const before = await everything(project);
  const answer = await verb('accept', directory);
  refusedWith(answer, error, message);
  assert.deepEqual(answer.data?.landing, nothingLanded, `${error} carries the flags`);
  assert.deepEqual(await everything(project), before, `after ${error}`);
  return answer.data ?? {};
}

async function work(
  project: Project,
  files: Record<string, string> = { 'src/b.txt': 'b\n' },
): Promise<string> {
  const { path } = await started(project.root);
  await project.commit(files, path);
  return path;
}

describe('accept refuses, and changes nothing,', () => {
  afterEach(removeAll);

  it('a worktree with tracked, staged or untracked changes', async () => {
    const project = await make();
    const path = await work(project);
    await project.write({ 'src/a.txt': 'edited\n' }, path);
    await refused(project, path, 'dirty_worktree', /src\/a\.txt/);
    await git(path, 'add', '--all');
    await refused(project, path, 'dirty_worktree', /src\/a\.txt/);
    await git(path, 'reset', '--quiet', '--hard');
    await project.write({ 'loose.txt': '' }, path);
    await git(project.root, 'config', 'status.showUntrackedFiles', 'no');
    await refused(project, path, 'dirty_worktree', /loose\.txt/);
  });

  it('a worktree whose gate earned no proof, and says why', async () => {
    const project = await make();
    const path = await work(project);
    await project.commit({ 'src/left-out.txt': '' }, path);
    await git(path, 'update-index', '--skip-worktree', 'src/left-out.txt');
    await rm(join(path, 'src/left-out.txt'));
    await refused(project, path, 'dirty_worktree', /not proved.*src\/left-out\.txt/);
  });

  it('a worktree in the middle of a rebase', async () => {
    const project = await make();
    const path = await work(project);
    await git(
      path,
      '-c',
      'sequence.editor=perl -pi -e s/^pick/edit/',
      'rebase',
      '--quiet',
      '--interactive',
      'HEAD~1',
    );
    await refused(project, path, 'dirty_worktree', /in the middle of a rebase/);
  });

  it('a worktree that has another branch checked out than it was made for', async () => {
    const project = await make();
    const path = await work(project);
    await git(path, 'switch', '--quiet', '-c', 'detour');
    await refused(project, path, 'dirty_worktree', /git switch agent\//);
    await git(path, 'switch', '--quiet', '--detach');
    await refused(project, path, 'dirty_worktree', /detached HEAD/);
  });

  it('a branch that conflicts with the trunk, and says in what and with whose commits', async () => {
    const project = await make();
    const path = await work(project, { 'src/a.txt': 'mine\n', 'src/b.txt': 'mine\n' });
    await project.commit({ 'src/a.txt': 'theirs\n' }, project.root, 'Changed on the trunk');
    await project.commit({ 'src/c.txt': 'c\n' }, project.root, 'Not concerned');
    const data = await refused(
      project,
      path,
      'merge_conflict',
      /conflicts with main in src\/a\.txt, changed there by [0-9a-f]+ "Changed on the trunk" \(A Developer\)\. .*call update/,
    );
    assert.deepEqual(data.files, ['src/a.txt']);
  });

  it('a locked worktree, and gives the reason', async () => {
    const project = await make();
    const path = await work(project);
    await git(project.root, 'worktree', 'lock', '--reason', 'still in use', path);
    await refused(project, path, 'locked_worktree', /still in use.*git worktree unlock/);
  });

  it('where work lands', async () => {
    const project = await make();
    await refused(project, project.root, 'not_in_worktree', /name the worktree/);
  });

  it('a worktree that has nothing to land', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await refused(project, path, 'invalid_argument', /nothing to land/);
    const hosted = join(project.home, 'hosted');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'hosted', hosted);
    await refused(project, hosted, 'invalid_argument', /nothing to land/);
  });

  it('when no checkout has the trunk, and says how to bring it back', async () => {
    const project = await make();
    const path = await work(project);
    await git(project.root, 'switch', '--quiet', '-c', 'away');
    await refused(project, path, 'landing_parked', /git switch main/);
  });

  it('when the landing checkout is rebasing the trunk', async () => {
    const project = await make();
    await project.commit({ c: '' });
    const path = await work(project);
    await git(
      project.root,
      '-c',
      'sequence.editor=perl -pi -e s/^pick/edit/',
      'rebase',
      '--quiet',
      '-i',
      'HEAD~1',
    );
    await refused(project, path, 'landing_parked', /in the middle of a rebase.*git rebase --abort/);
  });

  it('when no checkout of a bare hub has the trunk', async () => {
    const project = await make();
    const hub = join(project.home, 'hub.git');
    await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
    const other = join(project.home, 'other');
    await git(hub, 'worktree', 'add', '--quiet', '-b', 'other', other);
    await project.commit({ c: '' }, other);
    refusedWith(await verb('accept', other), 'landing_parked', /git worktree add <directory> main/);
  });
});

describe('accept refuses a landing checkout', () => {
  afterEach(removeAll);

  it('with changes to what lands, staged or not or deleted, and names those alone', async () => {
    const project = await make({ files: { 'other.txt': 'other\n', 'more.txt': 'more\n' } });
    const path = await work(project, { 'other.txt': 'landed\n', 'more.txt': 'landed\n' });
    await project.write({ 'other.txt': 'edited\n', 'src/a.txt': 'unrelated\n' });
    const data = await refused(project, path, 'dirty_landing_checkout', /\(other\.txt\).*commit or stash/);
    assert.deepEqual(data.files, ['other.txt']);
    await git(project.root, 'add', 'other.txt');
    await refused(project, path, 'dirty_landing_checkout', /\(other\.txt\)/);
    await project.write({ 'more.txt': 'edited too\n' });
    const both = await refused(project, path, 'dirty_landing_checkout', /more\.txt, other\.txt/);
    assert.deepEqual(both.files, ['more.txt', 'other.txt']);
    await git(project.root, 'reset', '--quiet', '--hard');
    await git(project.root, 'rm', '--quiet', 'other.txt');
    await refused(project, path, 'dirty_landing_checkout', /\(other\.txt\)/);
  });

  it('with conflicts that nobody has resolved', async () => {
    const project = await make();
    const path = await work(project);
    await project.write({ 'src/a.txt': 'mine\n' });
    await git(project.root, 'stash', '--quiet');
    await project.commit({ 'src/a.txt': 'theirs\n' });
    succeeded(await verb('update', path));
    await assert.rejects(git(project.root, 'stash', 'pop'));
    await refused(project, path, 'dirty_landing_checkout', /has conflicts \(src\/a\.txt\)/);
  });

  it('in the middle of a merge or a cherry-pick', async () => {
    const project = await make();
    await git(project.root, 'branch', 'side');
    await project.commit({ 'src/a.txt': 'main\n' });
    const path = await work(project);
    const side = join(project.home, 'side');
    await git(project.root, 'worktree', 'add', '--quiet', side, 'side');
    await project.commit({ 'src/a.txt': 'side\n' }, side);
    await assert.rejects(git(project.root, 'merge', 'side'));
    await refused(project, path, 'dirty_landing_checkout', /in the middle of a merge.*git merge --abort/);
    await git(project.root, 'merge', '--abort');
    await assert.rejects(git(project.root, 'cherry-pick', 'side'));
    await refused(project, path, 'dirty_landing_checkout', /in the middle of a cherry-pick/);
  });

  it('with untracked or ignored files in the way, and lists them all', async () => {
    const project = await make({ files: { '.gitignore': 'cache/\n' } });
    const { path } = await started(project.root);
    const names = ['n1.txt', 'n 2.txt', 'cache/x', 'dir/sub/deep', 'nl\nhere'];
    await project.write(Object.fromEntries(names.map((name) => [name, 'landed\n'])), path);
    await git(path, 'add', '--all', '--force');
    await git(path, 'commit', '--quiet', '-m', 'names');
    await project.write(Object.fromEntries(names.slice(0, 3).map((name) => [name, 'mine\n'])));
    await project.write({
      'dir/sub': 'a file where a directory goes\n',
      'nl\nhere': 'mine\n',
      'unrelated.txt': '',
    });
    const data = await refused(project, path, 'dirty_landing_checkout', /n1\.txt/);
    const files = data.files as string[];
    for (const name of ['n1.txt', 'n 2.txt', 'cache/x', 'nl\nhere']) assert.ok(files.includes(name), name);
    assert.ok(
      files.some((name) => name.startsWith('dir/sub')),
      'the file in a directory’s place',
    );
    assert.ok(!files.includes('unrelated.txt'));
  });

  for (const [what, landed, mine, named] of [
    ['an ignored file at the very place', { '.env': 'landed\n' }, { '.env': 'SECRET=1\n' }, '.env'],
    [
      'an ignored file below a directory that becomes a file',
      { out: 'a file\n' },
      { 'out/precious.log': 'p\n' },
      'out/precious.log',
    ],
    ['an ignored file where a directory goes', { 'out/deep/x': 'x\n' }, { out: 'mine\n' }, 'out'],
  ] as const) {
    it(`with nothing but ${what} in the way, in the preview too`, async () => {
      const project = await make({ files: { '.gitignore': '.env\nout\n' } });
      const { path } = await started(project.root);
      await project.write(landed, path);
      await git(path, 'add', '--all', '--force');
      await git(path, 'commit', '--quiet', '-m', 'force');
      await project.write(mine);
      assert.equal(await git(project.root, 'status', '--porcelain'), '', 'git ignores it');
      const { files } = await refused(project, path, 'dirty_landing_checkout');
      assert.deepEqual(files, [named]);
      const preview = await verb('accept', path, { dry_run: true });
      refusedWith(preview, 'dirty_landing_checkout');
      assert.deepEqual((preview.data as { files?: string[] }).files, [named]);
    });
  }

  it('with an ignored file below a link that lands as a directory, and a left submodule that becomes a file', async () => {
    const project = await make({ files: { '.gitignore': 'dir\n' } });
    const other = await make();
    await gitSubmodule(project.root, 'add', other.root, 'sub');
    await git(project.root, 'commit', '--quiet', '-m', 'submodule');
    const { path } = await started(project.root);
    await git(path, 'rm', '--quiet', '--cached', 'sub', '.gitmodules');
    await rm(join(path, 'sub'), { recursive: true, force: true });
    await rm(join(path, '.gitmodules'), { force: true });
    await project.commit({ sub: 'a file now\n' }, path);
    await project.write({ 'sub/notes.txt': 'written into the submodule\n' });
    const { files } = await refused(project, path, 'dirty_landing_checkout');
    assert.ok(
      (files as string[]).some((file) => file.startsWith('sub/')),
      String(files),
    );
  });

  it('for no ignored file with the very content that lands', async () => {
    const project = await make({ files: { '.gitignore': '.env\n' } });
    const { path } = await started(project.root);
    await project.write({ '.env': 'same\n' }, path);
    await git(path, 'add', '--all', '--force');
    await git(path, 'commit', '--quiet', '-m', 'force');
    await project.write({ '.env': 'same\n' });
    succeeded(await verb('accept', path));
  });

  it('whose index cannot be written for another reason than that it is held, and says which', async () => {
    const project = await make();
    const path = await work(project);
    succeeded(await verb('done', path));
    // Nothing can be created where a directory stands that only looks like the lock's place.
    await git(project.root, 'config', 'core.x', 'y');
    const landing = join(project.home, 'landing');
    await git(project.root, 'switch', '--quiet', '--detach');
    await git(project.root, 'worktree', 'add', '--quiet', landing, 'main');
    const admin = join(project.root, '.git/worktrees/landing');
    await rm(join(admin, 'index.lock'), { force: true });
    await symlink('/proc/1/no-such-place/index', join(admin, 'index.lock'));
    await refused(project, path, 'busy', /index\.lock/);
  });

  it('with an untracked directory where a file goes', async () => {
    const project = await make();
    const path = await work(project, { thing: 'a file\n' });
    await project.write({ 'thing/precious.txt': 'precious\n' });
    await refused(project, path, 'dirty_landing_checkout', /thing/);
  });

  it('checked out twice: only one of the two could follow', async () => {
    const project = await make();
    const path = await work(project);
    succeeded(await verb('done', path));
    await git(project.root, 'worktree', 'add', '--quiet', '--force', join(project.home, 'twice'), 'main');
    await refused(project, path, 'dirty_landing_checkout', /checked out twice.*twice/);
  });

  it('while another git writes in the worktree, or an autostash waits there', async () => {
    const project = await make();
    const path = await work(project);
    succeeded(await verb('done', path));
    const admin = await git(path, 'rev-parse', '--absolute-git-dir');
    await writeFile(join(admin, 'index.lock'), '');
    await refused(project, path, 'busy', /index\.lock is held/);
    await rm(join(admin, 'index.lock'));
    await writeFile(join(admin, 'MERGE_AUTOSTASH'), `${await git(path, 'rev-parse', 'HEAD')}\n`);
    await refused(project, path, 'dirty_worktree', /autostash.*git merge --quit/);
    await rm(join(admin, 'MERGE_AUTOSTASH'));
    succeeded(await verb('accept', path));
  });

  it('whose index another git holds, and names the lock', async () => {
    const project = await make();
    const path = await work(project);
    const lock = join(project.root, '.git/index.lock');
    await writeFile(lock, '');
    await refused(project, path, 'busy', /index\.lock is held/);
    await rm(lock);
    succeeded(await verb('accept', path));
  });

  it('for nothing else: unrelated untracked and ignored files stay, touched files count as clean', async () => {
    const project = await make({ files: { '.gitignore': '*.log\n' } });
    const path = await work(project, { 'src/a.txt': 'landed\n', 'new.txt': 'landed\n' });
    await project.write({
      'loose.txt': 'loose\n',
      'debug.log': 'log\n',
      'src/a.txt': 'a\n',
      'src/x.log': 'x\n',
    });
    succeeded(await verb('accept', path));
    const { files } = await everything(project);
    for (const name of ['loose.txt', 'debug.log', 'src/x.log', 'new.txt']) {
      assert.ok(
        files.some((file) => file.startsWith(`app/${name} `)),
        name,
      );
    }
    assert.equal(await git(project.root, 'status', '--porcelain'), '?? loose.txt');
  });
});
