import assert from 'node:assert/strict';
import { mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRecord } from '../../src/engine/worktree/identity.ts';
import { everything, listing, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const config = (rest: string) => `[project]\nname = "sample"\n${rest}\n`;

describe('start', () => {
  afterEach(removeAll);

  it('makes agent/<slug>-<hex> from the trunk, in <repo>.worktrees beside the repository', async () => {
    const project = await make();
    const base = await git(project.root, 'rev-parse', 'main');
    const data = await started(project.root, { name: 'Add b' });
    assert.match(data.id, /^add-b-[0-9a-f]{6}$/);
    assert.equal(data.branch, `agent/${data.id}`);
    assert.equal(data.path, join(project.home, 'app.worktrees', data.id));
    assert.equal(data.worktree, data.path);
    assert.equal(data.root, data.path);
    assert.deepEqual([data.base, data.base_commit, data.commit], ['main', base, base]);
    assert.equal(await git(data.path, 'branch', '--show-current'), data.branch);
    assert.equal(await git(data.path, 'rev-parse', 'HEAD'), base);
    assert.equal(await git(data.path, 'status', '--porcelain'), '');
    assert.match(await git(data.path, 'reflog', 'show', data.branch), /discern: start from main/);
    const record = await readRecord(await git(data.path, 'rev-parse', '--absolute-git-dir'));
    assert.equal(record?.id, data.id);
    assert.equal(record?.port, data.port);
  });

  it('waits for another checkout that a git is just making, whose entry no git can read yet', async () => {
    const project = await make();
    const half = join(project.root, '.git/worktrees/half-made');
    await mkdir(half, { recursive: true });
    await writeFile(join(half, 'commondir'), '');
    await writeFile(join(half, 'gitdir'), `${join(project.home, 'half-made/.git')}\n`);
    await assert.rejects(git(project.root, 'worktree', 'list'), /commondir/);
    const [data] = await Promise.all([
      started(project.root),
      sleep(150).then(() => rm(half, { recursive: true })),
    ]);
    assert.equal(await git(data.path, 'rev-parse', 'HEAD'), data.base_commit);
  });

  it('starts from the trunk also when the main checkout has something else', async () => {
    const project = await make();
    const base = await git(project.root, 'rev-parse', 'main');
    await git(project.root, 'switch', '--quiet', '-c', 'mine');
    await project.commit({ mine: '' });
    const data = await started(project.root);
    assert.equal(data.commit, base);
    assert.match(data.id, /^work-/);
  });

  it('starts from any branch, tag or commit it is given', async () => {
    const project = await make();
    const old = await git(project.root, 'rev-parse', 'HEAD');
    await git(project.root, 'tag', '-a', '-m', 'one', 'v1');
    await git(project.root, 'branch', 'feature/x');
    await project.commit({ b: '' });
    for (const from of ['v1', 'feature/x', old, old.slice(0, 8), 'HEAD~1', 'refs/heads/feature/x']) {
      const data = await started(project.root, { from });
      assert.deepEqual([data.base, data.base_commit, data.commit], [from, old, old]);
    }
  });

  it('leaves uncommitted edits where they are, and says so', async () => {
    const project = await make();
    await project.write({ 'src/a.txt': 'edited\n', 'new.txt': 'new\n' });
    await git(project.root, 'add', 'new.txt');
    const status = await git(project.root, 'status', '--porcelain');
    const answer = await verb('start', project.root);
    const { path } = succeeded(answer);
    assert.equal(await git(project.root, 'status', '--porcelain'), status);
    assert.equal(await readFile(join(path, 'src/a.txt'), 'utf8'), 'a\n');
    assert.ok(
      answer.hints?.some((hint) => /2 uncommitted changes stay in .*(new\.txt, src\/a\.txt)/.test(hint)),
    );
  });

  it('tells the caller to move its own work, naming the path', async () => {
    const project = await make();
    const answer = await verb('start', project.root);
    const { path } = succeeded(answer);
    assert.ok(answer.hints?.[0]?.includes(path), answer.hints?.[0]);
  });

  for (const [what, root, expected] of [
    ['an absolute directory', 'HOME/elsewhere/trees', 'elsewhere/trees'],
    ['a directory relative to the repository', '.trees', 'app/.trees'],
    ['a directory beside the repository', '../trees', 'trees'],
  ] as const) {
    it(`puts worktrees into ${what} when [worktree].root says so`, async () => {
      const project = await make();
      const toml = config(`[worktree]\nroot = "${root.replace('HOME', project.home)}"`);
      await project.commit({ 'discern.toml': toml, '.gitignore': '.trees\n' });
      const data = await started(project.root);
      assert.equal(data.path, join(project.home, expected, data.id));
      const again = await started(project.root);
      assert.equal(dirname(again.path), dirname(data.path));
    });
  }

  it('takes ~ in [worktree].root as the home directory, in the preview too', async () => {
    const project = await make();
    const below = relative(await realpath(homedir()), project.home);
    const toml = config(`[worktree]\nroot = "~/${below}/trees"`);
    await project.commit({ 'discern.toml': toml });
    const preview = await verb('start', project.root, { dry_run: true });
    assert.ok(preview.plan?.steps.some(({ detail }) => detail?.startsWith(join(homedir(), below, 'trees'))));
    const data = await started(project.root);
    assert.equal(data.path, join(project.home, 'trees', data.id));
  });

  it('answers with paths free of symlinks, wherever the folder of worktrees leads', async () => {
    const project = await make();
    const real = join(project.home, 'real');
    await mkdir(real);
    await symlink(real, join(project.home, 'app.worktrees'));
    const data = await started(project.root);
    assert.equal(data.path, join(real, data.id));
    assert.equal(succeeded(await verb('status', data.path)).root, data.path);
    await project.commit({ b: '' }, data.path);
    succeeded(await verb('accept', data.path));
  });

  for (const [prefix, branch] of [
    ['work/', /^work\/x-[0-9a-f]{6}$/],
    ['', /^x-[0-9a-f]{6}$/],
    ['a/b-', /^a\/b-x-[0-9a-f]{6}$/],
  ] as const) {
    it(`names branches with the prefix "${prefix}"`, async () => {
      const project = await make({ config: config(`[repository]\nbranch_prefix = "${prefix}"`) });
      const data = await started(project.root, { name: 'x' });
      assert.match(data.branch ?? '', branch);
      await project.commit({ b: '' }, data.path);
      assert.equal(succeeded(await verb('accept', data.path)).landing.branch_deleted, true);
    });
  }

  it('works from a linked landing checkout of a bare hub', async () => {
    const project = await make();
    const hub = join(project.home, 'hub');
    await mkdir(hub);
    await git(project.home, 'clone', '--quiet', '--bare', project.root, join(hub, '.bare'));
    await writeFile(join(hub, '.git'), 'gitdir: ./.bare\n');
    await git(hub, 'worktree', 'add', '--quiet', join(hub, 'main'), 'main');
    const data = await started(join(hub, 'main'));
    assert.equal(data.path, join(hub, 'main.worktrees', data.id));
    assert.equal(succeeded(await verb('status', join(hub, 'main'))).location, 'main');
  });

  it('gives the project root inside the worktree when the project is a package of a monorepo', async () => {
    const project = await make({ files: { 'packages/web/discern.toml': config('') } });
    const data = await started(join(project.root, 'packages/web'));
    assert.equal(data.path, join(data.worktree, 'packages/web'));
    assert.equal(data.root, data.path);
    assert.equal(data.worktree, join(project.home, 'app.worktrees', data.id));
  });

  it('runs no hook of the user', async () => {
    const project = await make();
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
      const file = join(project.root, '.git/hooks', hook);
      await writeFile(file, '#!/bin/sh\ntouch "$HOOK_RAN"\nexit 1\n', { mode: 0o755 });
    }
    process.env.HOOK_RAN = join(project.home, 'hook-ran');
    try {
      await started(project.root);
    } finally {
      delete process.env.HOOK_RAN;
    }
    assert.ok(!(await listing(project.home)).some((file) => file.startsWith('hook-ran')));
  });

  it('only says what it would do with dry_run', async () => {
    const project = await make({ config: config('[worktree.setup]\nsteps = ["touch made"]') });
    const before = await everything(project);
    const answer = await verb('start', project.root, { name: 'x', dry_run: true });
    assert.equal(answer.ok, true);
    assert.equal(answer.dry_run, true);
    const said = answer.plan?.steps.map(({ action, detail }) => `${action} ${detail}`).join('\n') ?? '';
    assert.match(said, /branch agent\/x-.*main/);
    assert.match(said, /app\.worktrees\/x-/);
    assert.match(said, /touch made/);
    assert.deepEqual(await everything(project), before);
  });
});
