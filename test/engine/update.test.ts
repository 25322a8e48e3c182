import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecord } from '../../src/engine/worktree/identity.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { log, logged } from '../support/jobs.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const head = (checkout: string) => git(checkout, 'rev-parse', 'HEAD');
const ensuring = (command: string) =>
  `[project]\nname = "x"\n[repository]\nensure = [${JSON.stringify(command)}]\n[worktree]\nroot = ".."\n`;

describe('update', () => {
  afterEach(removeAll);

  it('merges the trunk into the branch, as a commit of both', async () => {
    const project = await make();
    const { path, branch } = await started(project.root);
    const mine = await project.commit({ 'mine.txt': 'mine\n' }, path);
    const theirs = await project.commit({ 'theirs.txt': 'theirs\n', 'src/a.txt': 'changed\n' });
    const data = succeeded(await verb('update', path));
    assert.deepEqual([data.from, data.before, data.merged, data.conflicts], ['main', mine, true, []]);
    assert.equal(data.after, await head(path));
    assert.equal(data.commit, data.after);
    assert.equal(await git(path, 'rev-parse', 'HEAD^1', 'HEAD^2'), `${mine}\n${theirs}`);
    assert.equal(await git(path, 'log', '-1', '--format=%s|%an'), `Merge main into ${branch}|A Developer`);
    assert.equal(await readFile(join(path, 'src/a.txt'), 'utf8'), 'changed\n');
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('only moves forward when the branch has nothing of its own, and then there still is nothing to land', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const theirs = await project.commit({ b: '' });
    const data = succeeded(await verb('update', path));
    assert.deepEqual([data.after, data.merged], [theirs, true]);
    assert.equal(await head(path), theirs);
    const record = await readRecord(await git(path, 'rev-parse', '--absolute-git-dir'));
    assert.equal(record?.base_commit, theirs);
    refusedWith(await verb('accept', path), 'invalid_argument', /nothing to land/);
  });

  it('has nothing to merge when the branch contains the trunk', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const mine = await project.commit({ b: '' }, path);
    const answer = await verb('update', path);
    const data = succeeded(answer);
    assert.deepEqual([data.merged, data.before, data.after], [false, mine, mine]);
    assert.match(answer.message ?? '', /already contains main/);
  });

  it('merges any other branch it is told to', async () => {
    const project = await make();
    await git(project.root, 'switch', '--quiet', '-c', 'other');
    const theirs = await project.commit({ other: '' });
    await git(project.root, 'switch', '--quiet', 'main');
    const { path } = await started(project.root);
    await project.commit({ mine: '' }, path);
    const data = succeeded(await verb('update', path, { from: 'other' }));
    assert.equal(data.from, 'other');
    assert.equal(await git(path, 'rev-parse', 'HEAD^2'), theirs);
  });

  it('lists the files of a conflict, whatever they are called, and changes nothing byte for byte', async () => {
    const names = ['src/a.txt', 'with space.txt', 'tab\there.txt', 'ünï "quoted".txt'];
    const files = Object.fromEntries(names.map((name) => [name, 'base\n']));
    const project = await make({ files });
    const { path } = await started(project.root);
    await project.commit(Object.fromEntries(names.map((name) => [name, 'mine\n'])), path);
    await project.commit(Object.fromEntries(names.map((name) => [name, 'theirs\n'])));
    await project.write({ 'untracked.txt': 'loose\n' }, path);
    const index = join(await git(path, 'rev-parse', '--absolute-git-dir'), 'index');
    const [before, indexBefore] = [await everything(project), await readFile(index)];
    const answer = await verb('update', path);
    const message = refusedWith(answer, 'merge_conflict', /nothing was changed/);
    assert.deepEqual([...(answer.data?.conflicts ?? [])].sort(), [...names].sort());
    assert.ok(message.includes('with space.txt'));
    assert.deepEqual(await everything(project), before);
    assert.deepEqual(await readFile(index), indexBefore);
    refusedWith(await verb('update', path, { dry_run: true }), 'merge_conflict');
  });

  it('says with dry_run what it would merge, and moves nothing', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ mine: '' }, path);
    const theirs = await project.commit({ theirs: '' });
    const before = await everything(project);
    const answer = await verb('update', path, { dry_run: true });
    assert.equal(answer.ok, true);
    assert.deepEqual(answer.plan?.steps, [{ action: 'merge', detail: `main at ${theirs}` }]);
    assert.deepEqual(await everything(project), before);
  });

  it('keeps untracked files, and uses a tracked file that was only touched', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await writeFile(join(path, 'src/a.txt'), 'a\n');
    await project.write({ 'loose.txt': 'loose\n' }, path);
    await project.commit({ 'src/a.txt': 'changed\n' });
    succeeded(await verb('update', path));
    assert.equal(await readFile(join(path, 'src/a.txt'), 'utf8'), 'changed\n');
    assert.equal(await readFile(join(path, 'loose.txt'), 'utf8'), 'loose\n');
  });

  it('runs the ensures again, also when there was nothing to merge: one may have failed before', async () => {
    const project = await make({ config: ensuring(`${log('ensured')}; test ! -e ../broken`) });
    const { path } = await started(project.root);
    await writeFile(join(project.home, 'broken'), '');
    const theirs = await project.commit({ b: '' });
    const failed = await verb('update', path);
    refusedWith(failed, 'gate_failed', /Merged main .*failed afterwards/);
    assert.deepEqual([failed.data?.merged, failed.data?.after], [true, theirs]);
    assert.equal(failed.steps?.[0]?.outcome, 'failed');
    assert.equal(await head(path), theirs);
    await rm(join(project.home, 'broken'));
    const again = await verb('update', path);
    assert.equal(succeeded(again).merged, false);
    assert.equal(again.steps?.[0]?.outcome, 'passed');
    assert.deepEqual(await logged(project), ['ensured', 'ensured', 'ensured']);
  });

  it('takes the ensures that the merge brought', async () => {
    const project = await make({ config: ensuring('true') });
    const { path } = await started(project.root);
    await project.commit({ 'discern.toml': ensuring(log('new')) });
    succeeded(await verb('update', path));
    assert.deepEqual(await logged(project), ['new']);
  });

  it('works on a detached checkout that its host made', async () => {
    const project = await make();
    const hosted = join(project.home, 'hosted');
    await git(project.root, 'worktree', 'add', '--quiet', '--detach', hosted);
    const mine = await project.commit({ mine: '' }, hosted);
    const theirs = await project.commit({ theirs: '' });
    const data = succeeded(await verb('update', hosted));
    assert.equal(data.branch, null);
    assert.equal(await git(hosted, 'rev-parse', 'HEAD^1', 'HEAD^2'), `${mine}\n${theirs}`);
    assert.equal(await git(hosted, 'branch', '--show-current'), '');
  });
});
