import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endElsewhere, everything, pausedAt, refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { log, logged } from '../support/jobs.ts';
import { git } from '../support/project.ts';
import { workshop } from '../support/workshop.ts';

const make = 'mkdir -p gen; cat src/* > gen/all.txt; ls src > gen/list.txt';
const config = (run = make, rest = '') =>
  `[repository]\nensure = ["${log('ensure')}"]\n[generated.index]\npaths = ["gen/"]\nrun = ${JSON.stringify(`${log('generate')}; ${run}`)}\n${rest}`;
const files = { 'gen/all.txt': 'a\n', 'gen/list.txt': 'a.txt\n' };
const mine = { 'src/mine.txt': 'mine\n', 'gen/all.txt': 'a\nmine\n', 'gen/list.txt': 'a.txt\nmine.txt\n' };
const theirs = {
  'src/theirs.txt': 'theirs\n',
  'gen/all.txt': 'a\ntheirs\n',
  'gen/list.txt': 'a.txt\ntheirs.txt\n',
};

describe('update, with generated files', () => {
  const here = workshop({ config: config(), files, worktree: true });
  afterEach(endElsewhere);

  const text = (name: string) => readFile(join(here.path, name), 'utf8');
  const head = () => git(here.path, 'rev-parse', 'HEAD');

  it('makes them anew where they conflict, in the merge commit itself', async () => {
    const ours = await here.commit(mine);
    const trunk = await here.project.commit(theirs);
    const answer = await verb('update', here.path);
    const data = succeeded(answer);
    assert.deepEqual([data.merged, data.conflicts], [true, []]);
    assert.deepEqual(data.regenerated, ['gen/all.txt', 'gen/list.txt']);
    assert.match(answer.message ?? '', /Regenerated instead of merged: gen\/all\.txt, gen\/list\.txt\.$/);
    assert.deepEqual([data.after, data.commit], [await head(), await head()]);
    assert.equal(await git(here.path, 'rev-parse', 'HEAD^1', 'HEAD^2'), `${ours}\n${trunk}`);
    assert.match(await git(here.path, 'log', '-1', '--format=%s'), /^Merge main into agent\//);
    assert.equal(await text('gen/all.txt'), 'a\nmine\ntheirs\n');
    assert.equal(await git(here.path, 'show', 'HEAD:gen/list.txt'), 'a.txt\nmine.txt\ntheirs.txt');
    assert.equal(await git(here.path, 'status', '--porcelain'), '');
    assert.deepEqual(await logged(here), ['ensure', 'generate']);
    assert.equal((await verb('done', here.path)).data?.proof?.state, 'valid');
  });

  it('says so in a preview, which changes nothing', async () => {
    await here.commit(mine);
    await here.project.commit(theirs);
    const before = await everything(here.project);
    const preview = await verb('update', here.path, { dry_run: true });
    assert.deepEqual(
      preview.plan?.steps.map(({ action }) => action),
      ['merge', 'regenerate: index'],
    );
    assert.deepEqual(await everything(here.project), before);
  });

  const elsewhere: [title: string, mine: Record<string, string>, theirs: Record<string, string>][] = [
    ['in other files as well', { ...mine, 'src/a.txt': 'mine\n' }, { ...theirs, 'src/a.txt': 'theirs\n' }],
    [
      'in discern.toml itself',
      { ...mine, 'discern.toml': config('true') },
      { ...theirs, 'discern.toml': config('false') },
    ],
    [
      'in files that the merged discern.toml does not call generated',
      mine,
      { ...theirs, 'discern.toml': config().replace('gen/', 'other/') },
    ],
    [
      'where the merged discern.toml is not sound',
      { ...mine, 'x/discern.toml': '' },
      { ...theirs, 'discern.toml': '[generated.index]\npaths = 3\n' },
    ],
  ];
  for (const [title, ours, others] of elsewhere) {
    it(`still refuses conflicts ${title}, and changes nothing`, async () => {
      await here.commit(ours);
      await here.project.commit(others);
      const before = await everything(here.project);
      const answer = await verb('update', here.path);
      refusedWith(answer, 'merge_conflict', /nothing was changed/);
      assert.ok(answer.data?.conflicts?.includes('gen/all.txt'));
      assert.deepEqual(await everything(here.project), before);
      assert.deepEqual(await logged(here), []);
    });
  }

  it('follows a deletion on either side, and what the generator makes is committed, new files too', async () => {
    await here.commit({ 'src/mine.txt': 'mine\n', 'gen/all.txt': 'a\nmine\n' });
    await git(here.project.root, 'rm', '--quiet', 'gen/all.txt');
    await here.project.commit({ 'discern.toml': config('cat src/* > gen/one.txt') });
    const data = succeeded(await verb('update', here.path));
    assert.deepEqual(data.regenerated, ['gen/all.txt']);
    assert.equal(await text('gen/one.txt'), 'a\nmine\n');
    await assert.rejects(access(join(here.path, 'gen/all.txt')));
    assert.equal(await git(here.path, 'status', '--porcelain'), '');
  });

  it('leaves untracked files and staged edits of others alone', async () => {
    await here.commit(mine);
    await here.project.commit({
      ...theirs,
      'discern.toml': config(`${make}; echo x > notes.txt; echo y >> src/a.txt`),
    });
    await here.write({ 'gen/scratch.txt': 'scratch\n' });
    succeeded(await verb('update', here.path));
    assert.equal(await text('gen/scratch.txt'), 'scratch\n');
    assert.equal(
      await git(here.path, 'status', '--porcelain'),
      ' M src/a.txt\n?? gen/scratch.txt\n?? notes.txt',
    );
  });

  it('keeps the merge when a generator fails, and says what to do', async () => {
    const ours = await here.commit({ ...mine, 'discern.toml': config('exit 3') });
    const trunk = await here.project.commit(theirs);
    const answer = await verb('update', here.path);
    refusedWith(
      answer,
      'gate_failed',
      /"echo generate.*exit 3" failed afterwards: gen\/all\.txt.*\[generated\.index\]/,
    );
    assert.equal(answer.data?.merged, true);
    assert.equal(await git(here.path, 'rev-parse', 'HEAD^1', 'HEAD^2'), `${ours}\n${trunk}`);
    assert.equal(await text('gen/all.txt'), 'a\nmine\n');
    assert.equal(await git(here.path, 'status', '--porcelain'), '');
    refusedWith(await verb('done', here.path), 'gate_failed');
  });

  it('is timed_out when a generator hangs beyond its own limit', async () => {
    await here.commit({ ...mine, 'discern.toml': config('sleep 60', 'timeout = 0.2\n') });
    await here.project.commit(theirs);
    refusedWith(await verb('update', here.path), 'timed_out', /ran out of time/);
  });

  const instants: [point: string, atMerge: boolean, status: RegExp][] = [
    ['update.merged', false, /^$/],
    ['update.moved', true, /^$/],
    ['update.regenerated', true, /^ M gen\/all\.txt\n M gen\/list\.txt$/],
    ['update.staged', true, /^M {2}gen\/all\.txt\nM {2}gen\/list\.txt$/],
  ];
  for (const [point, moved, status] of instants) {
    it(`killed at ${point} has lost nothing, and the gate tells what is stale`, async () => {
      const ours = await here.commit(mine);
      const trunk = await here.project.commit(theirs);
      await killedAt(point, 'update', here.path);
      const at = moved ? await git(here.path, 'rev-parse', 'HEAD^1', 'HEAD^2') : await head();
      assert.equal(at, moved ? `${ours}\n${trunk}` : ours);
      assert.match(await git(here.path, 'status', '--porcelain'), status);
      if (moved) await git(here.path, 'commit', '--quiet', '--all', '--allow-empty', '-m', 'as it is');
      succeeded(await verb('update', here.path));
      const done = await verb('done', here.path);
      if (point === 'update.moved') refusedWith(done, 'generated_drift');
      else assert.equal(done.data?.proof?.state, 'valid', done.message);
    });
  }

  it('gives way to a person who commits while the generators run', async () => {
    await here.commit(mine);
    await here.project.commit(theirs);
    const paused = await pausedAt(here.project, 'update.staged', 'update', here.path, {});
    await git(here.path, 'commit', '--quiet', '-m', 'a person’s');
    const theirCommit = await head();
    const answer = await paused.resume();
    assert.equal(answer?.error, 'busy', answer?.message);
    assert.equal(await head(), theirCommit);
    assert.equal(await text('gen/all.txt'), 'a\nmine\ntheirs\n');
  });
});
