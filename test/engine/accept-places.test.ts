import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitSubmodule, makeProject, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const bare = '[project]\nname = "x"\n';

/** A bare repository with the trunk in a linked checkout beside it, reached through a `.git` file. */
async function hubOf(project: Project): Promise<{ hub: string; main: string }> {
  const hub = join(project.home, 'hub');
  await mkdir(hub);
  await git(project.home, 'clone', '--quiet', '--bare', project.root, join(hub, '.bare'));
  await writeFile(join(hub, '.git'), 'gitdir: ./.bare\n');
  const main = join(hub, 'main');
  await git(hub, 'worktree', 'add', '--quiet', main, 'main');
  return { hub, main };
}

/** A project whose main checkout has its git directory elsewhere. */
async function apart() {
  const project = await make();
  const root = join(project.home, 'apart');
  const gitDir = `--separate-git-dir=${join(project.home, 'store/apart.git')}`;
  await mkdir(join(project.home, 'store'));
  await git(project.home, 'init', '--quiet', '--initial-branch=main', gitDir, root);
  await project.commit({ 'discern.toml': bare }, root);
  return { ...project, root };
}

describe('accept in other layouts', () => {
  afterEach(removeAll);

  it('lands into a linked checkout of a bare hub', async () => {
    const project = await make();
    const { hub, main } = await hubOf(project);
    const { path } = await started(main);
    const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
    const data = succeeded(await verb('accept', path));
    assert.equal(data.root, main);
    assert.equal(data.landing.worktree_removed, true);
    assert.equal(await git(main, 'rev-parse', 'HEAD'), commit);
    assert.equal(await git(main, 'status', '--porcelain'), '');
    assert.equal((await git(hub, 'worktree', 'list')).split('\n').length, 2);
  });

  it('lands into a linked checkout when the main one has something else', async () => {
    const project = await make();
    await git(project.root, 'switch', '--quiet', '-c', 'mine');
    await project.write({ 'draft.txt': '' });
    const landing = join(project.home, 'landing');
    await git(project.root, 'worktree', 'add', '--quiet', landing, 'main');
    const { path } = await started(landing);
    const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
    assert.equal(succeeded(await verb('accept', path)).root, landing);
    assert.equal(await git(landing, 'rev-parse', 'HEAD'), commit);
    assert.equal(await git(project.root, 'status', '--porcelain'), '?? draft.txt');
  });

  it('lands a package of a monorepo, and answers with its root in the landing checkout', async () => {
    const project = await make({ files: { 'packages/web/discern.toml': bare, 'packages/web/x': '' } });
    const web = join(project.root, 'packages/web');
    const { path, worktree } = await started(web);
    const commit = await project.commit({ 'packages/web/y': '' }, worktree);
    const data = succeeded(await verb('accept', path));
    assert.equal(data.root, web);
    assert.equal(data.worktree, worktree);
    assert.equal(await git(web, 'rev-parse', 'HEAD'), commit);
  });

  it('refuses what a package’s gate did not judge, and lists it', async () => {
    const project = await make({ files: { 'packages/web/discern.toml': bare, 'packages/webby/x': '' } });
    const { path, worktree } = await started(join(project.root, 'packages/web'));
    await project.commit({ 'packages/web/y': '', 'packages/webby/x': 'changed\n', 'top.txt': '' }, worktree);
    const answer = await verb('accept', path);
    refusedWith(answer, 'outside_project', /packages\/webby\/x, top\.txt/);
    assert.deepEqual(answer.data?.files, ['packages/webby/x', 'top.txt']);
    assert.equal(answer.data?.landing?.trunk_landed, false);
  });

  for (const detached of [false, true]) {
    it(`lands a checkout that its host made${detached ? ', detached,' : ''} and keeps it`, async () => {
      const project = await make();
      const hosted = join(project.home, 'hosted');
      await git(
        project.root,
        'worktree',
        'add',
        '--quiet',
        ...(detached ? ['--detach'] : ['-b', 'hosted']),
        hosted,
      );
      const commit = await project.commit({ 'src/b.txt': 'b\n' }, hosted);
      const answer = await verb('accept', hosted);
      const data = succeeded(answer);
      assert.deepEqual(data.landing, {
        recovery_performed: false,
        trunk_landed: true,
        worktree_removed: false,
        branch_deleted: false,
      });
      assert.match(data.kept ?? '', /did not make/);
      assert.ok(answer.hints?.includes(data.kept ?? ''));
      assert.equal(data.root, project.root);
      assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
      assert.equal(await git(hosted, 'rev-parse', 'HEAD'), commit);
      assert.equal(await git(hosted, 'status', '--porcelain'), '');
      refusedWith(await verb('accept', hosted), 'invalid_argument', /nothing to land/);
    });
  }

  it('lands in a submodule’s own repository, whose main checkout git lists under another name', async () => {
    const inner = await makeProject({ name: 'inner' });
    const project = await make();
    try {
      await gitSubmodule(project.root, 'add', inner.root, 'sub');
      const sub = join(project.root, 'sub');
      const { path } = await started(sub);
      assert.ok(path.startsWith(`${sub}.worktrees/`), path);
      const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
      const data = succeeded(await verb('accept', path));
      assert.equal(data.root, sub);
      assert.equal(await git(sub, 'rev-parse', 'HEAD'), commit);
      assert.equal(await git(sub, 'status', '--porcelain'), '');
    } finally {
      await inner.remove();
    }
  });

  it('lands into a checkout whose git directory lies apart, and everything else works there too', async () => {
    const { root, commit } = await apart();
    const { path } = await started(root);
    const { path: other } = await started(root);
    const landed = await commit({ b: '' }, path);
    assert.equal(succeeded(await verb('status', path)).location, 'worktree');
    assert.equal(succeeded(await verb('done', path)).proof?.state, 'valid');
    const data = succeeded(await verb('accept', path));
    assert.equal(data.root, root);
    assert.equal(await git(root, 'rev-parse', 'HEAD'), landed);
    assert.equal(await git(root, 'status', '--porcelain'), '');
    succeeded(await verb('drop', other, { worktree: other, delete_branch: true }));
    succeeded(await verb('prune', root, { dry_run: false }));
    assert.equal((await git(root, 'worktree', 'list')).split('\n').length, 1);
  });

  it('finds a checkout whose git directory lies apart from a worktree that git itself made', async () => {
    const { root, home, commit } = await apart();
    const hosted = join(home, 'hosted');
    await git(root, 'worktree', 'add', '--quiet', '-b', 'hosted', hosted);
    const landed = await commit({ b: '' }, hosted);
    assert.equal(succeeded(await verb('accept', hosted)).root, root);
    assert.equal(await git(root, 'rev-parse', 'HEAD'), landed);
  });

  it('knows no checkout of such a git directory that nothing leads to, and what it says to do helps', async () => {
    const { root, home, commit } = await apart();
    const { path } = await started(root);
    await commit({ b: '' }, path);
    const away = join(home, 'far/far/away');
    await mkdir(dirname(away), { recursive: true });
    await rename(root, away);
    const before = await git(away, 'for-each-ref');
    const message = refusedWith(await verb('accept', path), 'landing_parked', /core\.worktree/);
    assert.equal(await git(away, 'for-each-ref'), before);
    const command = /run (git config core\.worktree "\$PWD")/.exec(message)?.[1] ?? '';
    execFileSync('sh', ['-c', command], { cwd: away });
    assert.equal(succeeded(await verb('accept', path)).root, away);
  });

  it('is not kept from landing by what lies inside a submodule of the landing checkout', async () => {
    const inner = await makeProject({ name: 'inner' });
    const project = await make();
    try {
      await gitSubmodule(project.root, 'add', inner.root, 'sub');
      await project.commit({});
      const { path } = await started(project.root);
      await project.commit({ 'src/b.txt': 'b\n' }, path);
      await gitSubmodule(path, 'update', '--init');
      await project.write({ 'loose.txt': '', 'src/a.txt': 'edited\n' }, join(project.root, 'sub'));
      succeeded(await verb('accept', path));
      assert.equal(
        await git(join(project.root, 'sub'), 'status', '--porcelain'),
        ' M src/a.txt\n?? loose.txt',
      );
    } finally {
      await inner.remove();
    }
  });

  it('a trunk that is another name for the branch which is checked out', async () => {
    const project = await make({ config: '[repository]\ntrunk = "stable"\n[jobs]\ntest = "true"\n' });
    await git(project.root, 'symbolic-ref', 'refs/heads/stable', 'refs/heads/main');
    const { path } = await started(project.root);
    const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
    succeeded(await verb('accept', path));
    assert.equal(await git(project.root, 'rev-parse', 'main', 'stable'), `${commit}\n${commit}`);
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
  });
});
