import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../src/engine/call/refusal.ts';
import { git as engineGit } from '../../src/engine/git/core.ts';
import { MOST_AT_ONCE } from '../../src/engine/git/turns.ts';
import { everything, refusedWith, started } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { runs, until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A repository whose files go through a filter that writes its pid and never ends, on checkout or on a look. */
async function hanging(which: 'clean' | 'smudge'): Promise<Project> {
  const project = await make();
  await project.commit({ '.gitattributes': '*.bin filter=stuck\n', 'a.bin': 'a' });
  await git(
    project.root,
    'config',
    `filter.stuck.${which}`,
    `echo $$ > ${pidFile(project)}; exec sleep 1000`,
  );
  return project;
}

const pidFile = (project: Project) => join(project.home, 'pid');

async function pidOf(project: Project): Promise<number> {
  let pid = 0;
  await until('the filter runs', async () => {
    pid = Number(await readFile(pidFile(project), 'utf8').catch(() => ''));
    return pid > 0;
  });
  return pid;
}

describe('A git that hangs', () => {
  afterEach(async () => {
    delete process.env.DISCERN_GIT_TIMEOUT;
    await removeAll();
  });

  it('is ended with its filter when the start is cancelled, and the worktree is taken back', async () => {
    const project = await hanging('smudge');
    const before = await everything(project);
    const cancel = new AbortController();
    const answer = verb('start', project.root, {}, { signal: cancel.signal });
    const pid = await pidOf(project);
    cancel.abort();
    refusedWith(await answer, 'cancelled');
    assert.equal(runs(pid), false);
    const after = await everything(project);
    assert.deepEqual([after.refs, after.worktrees], [before.refs, before.worktrees]);
    assert.deepEqual((await readdir(project.home)).sort(), ['app', 'pid']);
  });

  it('is ended when it takes too long, and the refusal says what keeps it', async () => {
    const project = await hanging('smudge');
    process.env.DISCERN_GIT_TIMEOUT = '2';
    const answer = verb('start', project.root);
    const pid = await pidOf(project);
    refusedWith(await answer, 'timed_out', /git worktree in .* took longer than 2 seconds/);
    assert.equal(runs(pid), false);
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
  });
});

describe('A landing whose checkout runs a filter that hangs', () => {
  afterEach(async () => {
    delete process.env.DISCERN_GIT_TIMEOUT;
    await removeAll();
  });

  it('is given up after a time, and nothing has landed', async () => {
    const project = await make();
    const before = await project.commit({ '.gitattributes': '*.bin filter=stuck\n' });
    const { path } = await started(project.root);
    await project.commit({ 'a.bin': 'a', 'b.txt': 'b' }, path);
    await git(
      project.root,
      'config',
      'filter.stuck.smudge',
      `echo $$ > ${pidFile(project)}; exec sleep 1000`,
    );
    process.env.DISCERN_GIT_TIMEOUT = '2';
    refusedWith(await verb('accept', path), 'timed_out', /git read-tree in .* took longer than 2 seconds/);
    assert.equal(runs(await pidOf(project)), false);
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
    await git(project.root, 'config', '--unset', 'filter.stuck.smudge');
    assert.equal((await verb('accept', path)).ok, true);
  });
});

describe('An update whose checkout runs a filter that hangs', () => {
  afterEach(async () => {
    delete process.env.DISCERN_GIT_TIMEOUT;
    await removeAll();
  });

  it('is given up after a time, and what was written is taken back', async () => {
    const project = await make({ files: { '.gitattributes': '*.bin filter=stuck\n', 'gone.txt': 'gone\n' } });
    const { path } = await started(project.root);
    await git(project.root, 'rm', '--quiet', 'gone.txt');
    await project.commit({ 'src/a.txt': 'new a\n', 'new/b.txt': 'b\n', 'z.bin': 'z' });
    const smudge = `echo $$ > ${pidFile(project)}; exec sleep 1000`;
    await git(project.root, 'config', 'filter.stuck.smudge', smudge);
    await project.write({ 'loose.txt': 'precious\n' }, path);
    const before = await everything(project);
    process.env.DISCERN_GIT_TIMEOUT = '2';
    refusedWith(await verb('update', path), 'timed_out', /git merge in .* took longer than 2 seconds/);
    assert.equal(runs(await pidOf(project)), false);
    await rm(pidFile(project));
    assert.deepEqual(await everything(project), before);
    assert.equal(await git(path, 'status', '--porcelain'), '?? loose.txt');
    await git(project.root, 'config', '--unset', 'filter.stuck.smudge');
    assert.equal((await verb('update', path)).ok, true);
  });
});

describe('Many gits that are asked for at once', () => {
  afterEach(removeAll);

  it('run a bounded number at a time, all of them in the end', async () => {
    const project = await make();
    const file = join(project.home, 'count');
    const alias = `!echo b >> ${file}; sleep 0.05; echo e >> ${file}`;
    await git(project.root, 'config', 'alias.counted', alias);
    await Promise.all(Array.from({ length: 5 * MOST_AT_ONCE }, () => engineGit(project.root, ['counted'])));
    let [now, most, all] = [0, 0, 0];
    for (const line of (await readFile(file, 'utf8')).trim().split('\n')) {
      now += line === 'b' ? 1 : -1;
      if (line === 'b') all++;
      most = Math.max(most, now);
    }
    assert.equal(all, 5 * MOST_AT_ONCE);
    assert.ok(most <= MOST_AT_ONCE, `${most} ran at once`);
  });

  it('give up their place in line when they are cancelled', async () => {
    const project = await make();
    await git(project.root, 'config', 'alias.slow', '!sleep 1000');
    const [ending, waiting] = [new AbortController(), new AbortController()];
    const isCancelled = (error: unknown) => Refusal.is(error) && error.slug === 'cancelled';
    const slow = Array.from({ length: MOST_AT_ONCE }, () =>
      assert.rejects(engineGit(project.root, ['slow'], { signal: ending.signal }), isCancelled),
    );
    const late = engineGit(project.root, ['rev-parse', 'HEAD'], { signal: waiting.signal });
    const next = engineGit(project.root, ['rev-parse', 'HEAD']);
    try {
      waiting.abort();
      await assert.rejects(late, isCancelled);
    } finally {
      ending.abort();
      await Promise.all(slow);
    }
    assert.equal((await next).code, 0);
  });
});
