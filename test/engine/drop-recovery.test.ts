import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitSubmodule, makeProject, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const forced = (worktree: string, delete_branch = true) => ({ worktree, delete_branch, force: true });

describe('A forced drop', () => {
  afterEach(removeAll);

  it('keeps every byte: commits, staged, unstaged and untracked, under one ref', async () => {
    const project = await make({
      files: { 'one.txt': '1\n', 'gone.txt': 'gone\n', '.gitignore': '*.log\n' },
    });
    const { id, path, branch } = await started(project.root);
    const commit = await project.commit({ 'b.txt': 'committed\n' }, path, 'precious work');
    const binary = Buffer.from([0, 1, 0xff, 0x0d, 0x0a, 0xfe]);
    await project.write({ 'one.txt': 'staged\n', 'staged only.txt': 'new and staged\n' }, path);
    await git(path, 'add', '--all');
    await project.write(
      { 'one.txt': 'unstaged\n', 'dir/loose "file".txt': 'loose\n', 'debug.log': 'ignored\n' },
      path,
    );
    await writeFile(join(path, 'binary'), binary);
    await symlink('nowhere', join(path, 'link'));
    await writeFile(join(path, 'run.sh'), '#!/bin/sh\n');
    await chmod(join(path, 'run.sh'), 0o755);
    await git(path, 'rm', '--quiet', '--cached', 'gone.txt');
    await git(path, 'stash', 'list');

    const answer = await verb('drop', project.root, forced(id));
    const { recovery_ref: ref, branch_deleted: deleted, lost } = succeeded(answer);
    assert.ok(ref?.startsWith(`refs/discern/recovered/${branch}-`), ref);
    assert.equal(deleted, true);
    assert.equal(lost?.length, 2);
    assert.ok(answer.message?.includes(ref ?? '?'));

    const show = (what: string) => execFileSync('git', ['show', what], { cwd: project.root });
    assert.equal(show(`${ref}:one.txt`).toString(), 'unstaged\n');
    assert.equal(show(`${ref}:dir/loose "file".txt`).toString(), 'loose\n');
    assert.equal(show(`${ref}:gone.txt`).toString(), 'gone\n', 'it was still there, only not in the index');
    assert.deepEqual(show(`${ref}:binary`), binary);
    assert.equal(show(`${ref}:link`).toString(), 'nowhere');
    assert.match(await git(project.root, 'ls-tree', ref ?? '', 'run.sh'), /^100755/);
    assert.equal(show(`${ref}^2:one.txt`).toString(), 'staged\n');
    assert.equal(show(`${ref}^2:staged only.txt`).toString(), 'new and staged\n');
    assert.equal(await git(project.root, 'rev-parse', `${ref}^1`), commit);
    assert.equal(show(`${ref}^1:b.txt`).toString(), 'committed\n');
    assert.equal(
      await git(project.root, 'ls-tree', '-r', '--name-only', ref ?? '', 'debug.log'),
      '',
      'ignored files go',
    );
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
  });

  it('keeps commits alone, and says where', async () => {
    const project = await make();
    const { id, path } = await started(project.root);
    const commit = await project.commit({ 'b.txt': '' }, path);
    const { recovery_ref: ref } = succeeded(await verb('drop', project.root, forced(id)));
    assert.equal(await git(project.root, 'rev-parse', `${ref}^`), commit);
    assert.equal(
      await git(project.root, 'rev-parse', `${ref}^{tree}`, `${commit}^{tree}`).then(
        (two) => new Set(two.split('\n')).size,
      ),
      1,
    );
    await git(project.root, '-c', 'gc.pruneExpire=now', 'gc', '--quiet');
    await git(project.root, 'cat-file', '-e', commit);
  });

  it('keeps nothing where there is nothing to lose', async () => {
    const project = await make();
    const { id } = await started(project.root);
    assert.equal(succeeded(await verb('drop', project.root, forced(id))).recovery_ref, undefined);
    assert.equal(await git(project.root, 'for-each-ref', 'refs/discern'), '');
  });

  it('keeps the files of an unfinished merge, and edits git was told to overlook', async () => {
    const project = await make({ files: { 'one.txt': '1\n' } });
    const { id, path } = await started(project.root);
    await project.commit({ 'src/a.txt': 'mine\n' }, path);
    await project.commit({ 'src/a.txt': 'theirs\n' });
    await assert.rejects(git(path, 'merge', 'main'));
    await git(path, 'update-index', '--skip-worktree', 'one.txt');
    await project.write({ 'one.txt': 'precious\n' }, path);
    const answer = await verb('drop', project.root, { worktree: id, delete_branch: true });
    refusedWith(answer, 'dirty_worktree', /src\/a\.txt.*told to overlook \(one\.txt\)/);
    const { recovery_ref: ref } = succeeded(await verb('drop', project.root, forced(id)));
    assert.match(await git(project.root, 'show', `${ref}:src/a.txt`), /<<<<<<<[\s\S]*mine[\s\S]*theirs/);
    assert.equal(await git(project.root, 'show', `${ref}:one.txt`), 'precious');
  });

  it('keeps a detached commit, and one before the first', async () => {
    const project = await make();
    const hosted = join(project.home, 'hosted');
    await git(project.root, 'worktree', 'add', '--quiet', '--detach', hosted);
    const commit = await project.commit({ b: '' }, hosted);
    const { recovery_ref: ref } = succeeded(await verb('drop', project.root, forced(hosted)));
    assert.equal(await git(project.root, 'rev-parse', `${ref}^`), commit);

    await git(project.root, 'worktree', 'add', '--quiet', '--detach', hosted);
    await git(hosted, 'switch', '--quiet', '--orphan', 'fresh');
    await project.write({ 'first.txt': 'first\n' }, hosted);
    const data = succeeded(await verb('drop', project.root, forced(hosted)));
    assert.equal(await git(project.root, 'show', `${data.recovery_ref}:first.txt`), 'first');
    assert.equal(await git(project.root, 'log', '--format=%p', data.recovery_ref ?? ''), '');
  });

  it('leaves a branch that moved meanwhile, or that another checkout has', async () => {
    const project = await make();
    const { id, path, branch } = await started(project.root);
    await project.commit({ b: '' }, path);
    const other = join(project.home, 'other');
    await git(project.root, 'worktree', 'add', '--quiet', '--force', other, branch ?? '');
    const answer = await verb('drop', project.root, forced(id));
    assert.equal(succeeded(answer).branch_deleted, false);
    assert.ok(answer.hints?.some((hint) => hint.includes(other)));
    assert.equal(await git(other, 'branch', '--show-current'), branch);
  });

  it('does not take a repository inside it along, whose files it could not keep', async () => {
    const project = await make();
    const { id, path } = await started(project.root);
    const inner = join(path, 'inner');
    await git(path, 'init', '--quiet', inner);
    await project.commit({ 'precious.txt': 'precious\n' }, inner);
    const before = await everything(project);
    refusedWith(
      await verb('drop', project.root, forced(id)),
      'dirty_worktree',
      /inner holds 1 commit .*move .*inner away/,
    );
    assert.deepEqual(await everything(project), before);
  });

  const unkeepable: [string, (project: Project, path: string) => Promise<unknown>, RegExp][] = [
    [
      'a file whose name git takes for its own',
      (project, path) => project.write({ 'dir/.Git': 'precious\n' }, path),
      /\.Git/,
    ],
    [
      'a file that a filter fails on',
      async (project, path) => {
        await git(path, 'config', 'filter.odd.clean', 'false');
        await git(path, 'config', 'filter.odd.required', 'true');
        await project.write({ '.gitattributes': '*.odd filter=odd\n', 'x.odd': 'precious\n' }, path);
      },
      /filter/,
    ],
  ];
  for (const [what, put, said] of unkeepable) {
    it(`does not take along ${what}, and names it`, async () => {
      const project = await make();
      const { path, id } = await started(project.root);
      await put(project, path);
      const before = await everything(project);
      const answer = await verb('drop', project.root, { worktree: id, delete_branch: true, force: true });
      assert.match(refusedWith(answer, 'dirty_worktree', said), /Nothing was removed/);
      assert.deepEqual(await everything(project), before);
    });
  }

  it('does not take work inside submodules along', async () => {
    const library = await makeProject({ name: 'library' });
    const project = await make();
    try {
      await gitSubmodule(project.root, 'add', library.root, 'sub');
      await project.commit({});
      const { id, path } = await started(project.root);
      await gitSubmodule(path, 'update', '--init');
      const sub = join(path, 'sub');
      await project.write({ 'loose.txt': '' }, sub);
      refusedWith(
        await verb('drop', project.root, forced(id)),
        'dirty_worktree',
        /sub has uncommitted changes/,
      );
      await git(sub, 'clean', '--quiet', '--force');
      const commit = await project.commit({ x: '' }, sub);
      await project.commit({}, path);
      refusedWith(
        await verb('drop', project.root, forced(id)),
        'dirty_worktree',
        /sub holds 1 commit that no remote has/,
      );
      assert.equal(await git(sub, 'rev-parse', 'HEAD'), commit);
      const later = await project.commit({ y: '' }, sub);
      await git(sub, 'push', '--quiet', 'origin', 'HEAD:refs/heads/pushed');
      const { recovery_ref: ref } = succeeded(await verb('drop', project.root, forced(id)));
      assert.ok((await git(project.root, 'ls-tree', ref ?? '', 'sub')).includes(later));
    } finally {
      await library.remove();
    }
  });
});
