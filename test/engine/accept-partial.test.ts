import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VerbEvent } from '../../src/contract/events.ts';
import {
  endElsewhere,
  everything,
  listing,
  nothingLanded,
  pausedAt,
  refusedWith,
  started,
  succeeded,
} from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitSubmodule, makeProject, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

async function work(project: Project): Promise<{ path: string; branch: string; commit: string; id: string }> {
  const { path, branch, id } = await started(project.root);
  const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
  return { path, branch: branch ?? '', commit, id };
}

/** Acts when accept says that the trunk has moved, which is before it removes the worktree. */
const whenMoved = (act: () => void): VerbEvent[] =>
  Object.assign([], {
    push: (event: VerbEvent) => {
      if (event.type === 'progress' && / is at /.test(event.message)) act();
      return 0;
    },
  });

const flags = (worktree_removed: boolean, branch_deleted: boolean) => ({
  recovery_performed: false,
  trunk_landed: true,
  worktree_removed,
  branch_deleted,
});

describe('accept, when something keeps it from finishing,', () => {
  afterEach(() => {
    endElsewhere();
    return removeAll();
  });

  for (const [what, edit] of [
    ['an edit', (path: string) => writeFileSync(join(path, 'src/a.txt'), 'precious\n')],
    ['a new file', (path: string) => writeFileSync(join(path, 'new.txt'), 'precious\n')],
  ] as const) {
    it(`keeps ${what} that came between the gate and the removal, and goes on when asked again`, async () => {
      const project = await make();
      const { path, commit } = await work(project);
      const answer = await verb('accept', path, {}, { events: whenMoved(() => edit(path)) });
      refusedWith(answer, 'partial_acceptance', /main has the work .* was edited meanwhile/);
      assert.deepEqual(answer.data?.landing, flags(false, false));
      assert.equal(answer.data?.root, project.root);
      assert.equal(await git(project.root, 'rev-parse', 'HEAD'), commit);
      assert.match(await git(path, 'status', '--porcelain'), / (src\/a|new)\.txt/);
      assert.ok((await listing(path)).some((name) => /^(src\/a|new)\.txt/.test(name)));
      assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 2);

      await git(path, 'stash', '--include-untracked', '--quiet');
      const again = succeeded(await verb('accept', path));
      assert.deepEqual(again.landing, flags(true, true));
    });
  }

  it('keeps a commit made meanwhile, which the next accept lands', async () => {
    const project = await make();
    const { path, commit } = await work(project);
    const { resume } = await pausedAt(project, 'accept.followed', 'accept', path, {});
    const later = await project.commit({ 'later.txt': 'later\n' }, path);
    const answer = await resume();
    assert.equal(answer?.error, 'partial_acceptance');
    assert.match(answer?.message ?? '', /got new commits meanwhile/);
    assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
    assert.equal(succeeded(await verb('accept', path)).landed_commit, later);
  });

  it('lands together with what the trunk gets just before it does', async () => {
    const project = await make();
    const { path } = await work(project);
    const { resume } = await pausedAt(project, 'accept.journaled', 'accept', path, {});
    const moved = await project.commit({ 'src/c.txt': 'c\n' });
    const answer = await resume();
    assert.equal(answer?.ok, true, answer?.message);
    await git(project.root, 'merge-base', '--is-ancestor', moved, 'main');
    assert.equal(answer?.data?.landed_commit, await git(project.root, 'rev-parse', 'main'));
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
  });

  it('takes the trunk back when a person writes into the landing checkout at the last moment', async () => {
    const project = await make();
    const { path } = await work(project);
    const before = await git(project.root, 'rev-parse', 'main');
    const { resume } = await pausedAt(project, 'accept.moved', 'accept', path, {});
    await project.write({ 'src/b.txt': 'precious\n' });
    const answer = await resume();
    assert.equal(answer?.error, 'dirty_landing_checkout');
    assert.deepEqual(answer?.data?.files, ['src/b.txt']);
    assert.equal(answer?.data?.landing?.trunk_landed, false);
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
    assert.equal(await git(project.root, 'status', '--porcelain'), '?? src/b.txt');
    assert.equal(await readFile(join(project.root, 'src/b.txt'), 'utf8'), 'precious\n');
  });

  it('takes everything back when the landing checkout cannot be written', async () => {
    const project = await make({ files: { 'one.txt': '1\n', 'two.txt': '2\n' } });
    const { path } = await started(project.root);
    await project.commit({ 'one.txt': 'landed\n', 'three.txt': 'landed\n', 'two.txt': 'landed\n' }, path);
    const before = await git(project.root, 'rev-parse', 'main');
    const smudge = join(project.home, 'smudge.sh');
    await writeFile(
      smudge,
      `#!/bin/sh\nif test "$1" = two.txt && mkdir ${project.home}/once 2>/dev/null; then exit 1; fi\ncat\n`,
      { mode: 0o755 },
    );
    await git(project.root, 'config', 'filter.breaks.smudge', `${smudge} %f`);
    await git(project.root, 'config', 'filter.breaks.clean', 'cat');
    await git(project.root, 'config', 'filter.breaks.required', 'true');
    await writeFile(join(project.root, '.git/info/attributes'), '*.txt filter=breaks\n');
    const answer = await verb('accept', path);
    refusedWith(answer, 'dirty_landing_checkout', /could not follow.*Nothing was landed/);
    assert.equal(answer.data?.landing?.trunk_landed, false);
    await rm(join(project.root, '.git/info/attributes'));
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
    assert.equal(await git(project.root, 'status', '--porcelain'), '', 'no file was left half way');
    succeeded(await verb('accept', path));
  });

  it('lands nothing while another checkout has the branch, which could not be deleted then', async () => {
    const project = await make();
    const { path, branch } = await work(project);
    const other = join(project.home, 'other');
    await git(project.root, 'worktree', 'add', '--quiet', '--force', other, branch);
    const before = await everything(project);
    const said = new RegExp(`${branch} is checked out in ${other}.*git switch --detach.*Nothing was landed`);
    refusedWith(await verb('accept', path), 'busy', said);
    assert.deepEqual(await everything(project), before);
    await git(other, 'switch', '--quiet', '--detach');
    succeeded(await verb('accept', path));
  });

  it('says so when another checkout comes to have the branch meanwhile', async () => {
    const project = await make();
    const { path, branch, commit } = await work(project);
    const other = join(project.home, 'other');
    const { resume } = await pausedAt(project, 'accept.moved', 'accept', path, {});
    await git(project.root, 'worktree', 'add', '--quiet', '--force', other, branch);
    const answer = await resume();
    assert.ok(answer);
    refusedWith(answer, 'partial_acceptance', new RegExp(`${branch} is checked out in ${other}`));
    assert.deepEqual(answer.data?.landing, flags(true, false));
    assert.equal(await git(project.root, 'rev-parse', branch), commit);
  });

  for (const held of ['the branch', 'packed refs']) {
    it(`lands nothing while git holds ${held}, which the end of a landing needs, and names the lock`, async () => {
      const project = await make();
      const { path, branch } = await work(project);
      const name = held === 'the branch' ? `refs/heads/${branch}.lock` : 'packed-refs.lock';
      const lock = join(project.root, '.git', name);
      await writeFile(lock, '');
      const before = await everything(project);
      assert.ok(refusedWith(await verb('accept', path), 'busy', /is held/).includes(lock));
      assert.deepEqual(await everything(project), before);
      await rm(lock);
      succeeded(await verb('accept', path));
    });
  }

  it('says so when git comes to hold the branch meanwhile', async () => {
    const project = await make();
    const { path, branch } = await work(project);
    const lock = join(project.root, '.git/refs/heads', `${branch}.lock`);
    const { resume } = await pausedAt(project, 'accept.moved', 'accept', path, {});
    await writeFile(lock, '');
    const answer = await resume();
    assert.ok(answer);
    refusedWith(answer, 'partial_acceptance', /could not delete the branch/);
    assert.deepEqual(answer.data?.landing, flags(true, false));
    await rm(lock);
    const { findings } = succeeded(await verb('status', project.root));
    assert.equal(findings?.length, 1);
    assert.ok(findings?.[0]?.what.includes(branch), findings?.[0]?.what);
    succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.equal(await git(project.root, 'branch', '--list', branch), '');
    assert.equal(succeeded(await verb('status', project.root)).findings, undefined);
  });

  it('lands nothing while git holds the trunk', async () => {
    const project = await make();
    const { path } = await work(project);
    const before = await git(project.root, 'rev-parse', 'main');
    await writeFile(join(project.root, '.git/refs/heads/main.lock'), '');
    const answer = await verb('accept', path);
    refusedWith(answer, 'busy', /Nothing was landed/);
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
    await rm(join(project.root, '.git/refs/heads/main.lock'));
    succeeded(await verb('accept', path));
  });

  it('does not mind that git holds the config', async () => {
    const project = await make();
    const { path, branch } = await work(project);
    await git(project.root, 'config', `branch.${branch}.description`, 'mine');
    await writeFile(join(project.root, '.git/config.lock'), '');
    assert.deepEqual(succeeded(await verb('accept', path)).landing, flags(true, true));
  });

  it('keeps a worktree that someone locks meanwhile', async () => {
    const project = await make();
    const { path } = await work(project);
    const admin = await git(path, 'rev-parse', '--absolute-git-dir');
    const lock = () => writeFileSync(join(admin, 'locked'), 'mine\n');
    const answer = await verb('accept', path, {}, { events: whenMoved(lock) });
    refusedWith(answer, 'partial_acceptance', /locked/);
    assert.deepEqual(answer.data?.landing, flags(false, false));
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('keeps files whose edits git was told to overlook', async () => {
    const project = await make({ files: { 'one.txt': '1\n', 'two.txt': '2\n', 'three.txt': '3\n' } });
    const { path } = await work(project);
    succeeded(await verb('done', path));
    await git(path, 'update-index', '--assume-unchanged', 'one.txt');
    await git(path, 'update-index', '--skip-worktree', 'two.txt', 'three.txt');
    await project.write({ 'one.txt': 'precious\n', 'two.txt': 'precious\n' }, path);
    const answer = await verb('accept', path);
    refusedWith(answer, 'dirty_worktree', /told to overlook \(one\.txt, two\.txt\)/);
    assert.deepEqual(answer.data?.landing, nothingLanded);
    assert.equal(await readFile(join(path, 'one.txt'), 'utf8'), 'precious\n');
    await git(path, 'update-index', '--no-assume-unchanged', 'one.txt');
    await git(path, 'update-index', '--no-skip-worktree', 'two.txt');
    await git(path, 'checkout', '--quiet', '.');
    succeeded(await verb('accept', path));
  });

  it('keeps a worktree into which someone put a repository meanwhile', async () => {
    const project = await make({ files: { '.gitignore': '/build/\n' } });
    const { path } = await work(project);
    const inner = join(path, 'build/inner');
    const head = await git(project.root, 'rev-parse', 'main');
    const put = () => cpSync(join(project.root, '.git'), join(inner, '.git'), { recursive: true });
    const answer = await verb('accept', path, {}, { events: whenMoved(put) });
    refusedWith(answer, 'partial_acceptance', /build\/inner holds \d+ commits that no remote has/);
    assert.deepEqual(answer.data?.landing, flags(false, false));
    assert.notEqual(await git(inner, 'rev-parse', 'HEAD'), head, 'it is all there');
    await rm(inner, { recursive: true });
    assert.deepEqual(succeeded(await verb('accept', path)).landing, flags(true, true));
  });
});

describe('accept of a worktree with submodules', () => {
  afterEach(removeAll);

  async function withSubmodule(): Promise<{ project: Project; path: string; sub: string; inner: Project }> {
    const inner = await makeProject({ name: 'inner' });
    const project = await make();
    await gitSubmodule(project.root, 'add', inner.root, 'sub');
    await project.commit({});
    const { path } = await work(project);
    await gitSubmodule(path, 'update', '--init');
    return { project, path, sub: join(path, 'sub'), inner };
  }

  it('lands and removes it when all their work is on a remote', async () => {
    const { project, path, inner } = await withSubmodule();
    try {
      assert.deepEqual(succeeded(await verb('accept', path)).landing, flags(true, true));
      assert.equal(await git(project.root, 'status', '--porcelain'), '');
    } finally {
      await inner.remove();
    }
  });

  it('keeps it while a submodule has a commit that no remote has', async () => {
    const { project, path, sub, inner } = await withSubmodule();
    try {
      const commit = await project.commit({ 'x.txt': '' }, sub);
      await project.commit({}, path);
      const before = await everything(project);
      refusedWith(await verb('accept', path), 'dirty_worktree', /sub holds 1 commit that no remote has/);
      assert.deepEqual(await everything(project), before, 'nothing has moved');
      assert.equal(await git(sub, 'rev-parse', 'HEAD'), commit);
      await git(sub, 'push', '--quiet', 'origin', 'HEAD:refs/heads/pushed');
      succeeded(await verb('accept', path));
      assert.equal(await git(inner.root, 'rev-parse', 'pushed'), commit);
    } finally {
      await inner.remove();
    }
  });
});
