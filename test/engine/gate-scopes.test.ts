import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { verb } from '../support/engine.ts';
import { config, log, logged } from '../support/jobs.ts';
import { git } from '../support/project.ts';
import { workshop } from '../support/workshop.ts';

const scopes = `
[scopes.docs]
paths = ["docs/", "*.md"]
neutral = true

[scopes.db]
paths = ["db/**/*.sql"]
gate = "${log('db')}"
preview = "echo look"

[scopes.web]
paths = ["web/"]
gate = ["${log('web')}", "${log('web-again')}"]

[scopes.site]
paths = ["site/"]
neutral = true
gate = "${log('spelling')}"
`;

const declared = config({ lint: JSON.stringify(log('lint')), test: JSON.stringify(log('test')) }, scopes);

const files = { 'web/old.js': 'old\n', 'docs/old.md': 'old\n', 'db/old.sql': 'old\n' };

const changed = (result: { data?: { scopes?: { name: string; changed: boolean }[] } }) =>
  result.data?.scopes?.filter((scope) => scope.changed).map((scope) => scope.name);

const jobs = ['lint', 'test'];

describe('Changes in neutral scopes alone', () => {
  const here = workshop({ config: declared, files, worktree: true });

  it('run every job all the same, and no scope’s gate', async () => {
    const commit = await here.commit({ 'docs/a.txt': 'a\n', 'src/README.md': 'r\n' });
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    assert.deepEqual((await logged(here)).sort(), jobs);
    assert.deepEqual(
      done.steps?.map(({ name, outcome }) => [name, outcome]),
      [
        ['lint', 'passed'],
        ['test', 'passed'],
      ],
    );
    assert.deepEqual(done.data?.proof, { state: 'valid', commit });
    assert.match(done.hints?.join('\n') ?? '', /neutral scopes, so no scope’s gate/);
  });

  it('are red when a job is: a change of documents may break what reads them', async () => {
    await here.commit({
      'discern.toml': config({ test: '"test ! -e docs/a.txt"' }, scopes),
    });
    await here.project.commit({ 'discern.toml': config({ test: '"test ! -e docs/a.txt"' }, scopes) });
    await git(here.path, 'merge', '--quiet', '-X', 'ours', '-m', 'm', 'main');
    await here.commit({ 'docs/a.txt': 'a\n' });
    const done = await verb('done', here.path);
    assert.equal(done.error, 'gate_failed', done.message);
    assert.equal(done.data?.proof?.state, 'none');
  });

  it('do not even run the gate of their own scope', async () => {
    await here.commit({ 'site/a.html': 'x\n' });
    const done = await verb('done', here.path);
    assert.equal(done.data?.proof?.state, 'valid', done.message);
    assert.deepEqual((await logged(here)).sort(), jobs);
    assert.deepEqual(changed(done), ['site']);
  });

  it('include deletions and renames within them', async () => {
    await git(here.path, 'mv', 'docs/old.md', 'docs/new.md');
    await here.commit({});
    assert.equal((await verb('scopes', here.path)).data?.neutral, true);
    assert.equal((await verb('done', here.path)).data?.proof?.state, 'valid');
  });

  it('are none when nothing changed at all', async () => {
    assert.equal((await verb('scopes', here.path)).data?.neutral, false);
    assert.equal((await verb('done', here.path)).ok, true);
    assert.deepEqual((await logged(here)).sort(), jobs);
  });
});

describe('Changes that are not all neutral', () => {
  const here = workshop({ config: declared, files, worktree: true });

  it('run everything', async () => {
    await here.commit({ 'docs/a.txt': 'a\n', 'src/a.txt': 'changed\n' });
    assert.equal((await verb('done', here.path)).ok, true);
    assert.deepEqual((await logged(here)).sort(), ['lint', 'test']);
  });

  it('count a path in no scope as code', async () => {
    await here.commit({ 'docs/a.txt': 'a\n', 'new/thing.bin': 'x\n' });
    const found = await verb('scopes', here.path);
    assert.deepEqual(found.data?.code, ['new/thing.bin']);
    assert.equal(found.data?.neutral, false);
  });

  it('see a file that leaves a scope for a neutral one', async () => {
    await mkdir(join(here.path, 'docs'), { recursive: true });
    await git(here.path, 'mv', 'web/old.js', 'docs/old.js');
    await here.commit({});
    const done = await verb('done', here.path);
    assert.deepEqual(changed(done), ['docs', 'web']);
    assert.deepEqual((await logged(here)).sort(), ['lint', 'test', 'web', 'web-again']);
  });

  it('run no gate for a path that lies in a neutral scope too', async () => {
    await here.commit({ 'web/README.md': 'r\n' });
    const done = await verb('done', here.path);
    assert.deepEqual(changed(done), ['docs', 'web']);
    assert.deepEqual((await logged(here)).sort(), jobs);
    await here.commit({ 'web/README.md': 'r\n', 'web/a.js': 'x\n' });
    await verb('done', here.path);
    assert.deepEqual((await logged(here)).slice(-2), ['web', 'web-again']);
  });
});

describe('A scope’s gate', () => {
  const here = workshop({ config: declared, files, worktree: true });

  it('runs only when its scope changed, after everything else', async () => {
    await here.commit({ 'db/deep/er/1.sql': 'x\n' });
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    assert.equal((await logged(here)).at(-1), 'db');
    assert.equal((await logged(here)).length, 3);
    assert.deepEqual(
      done.data?.scopes?.map(({ name, changed: is, files, neutral, previewable }) => [
        name,
        is,
        files,
        neutral,
        previewable,
      ]),
      [
        ['docs', false, 0, true, false],
        ['db', true, 1, false, true],
        ['web', false, 0, false, false],
        ['site', false, 0, true, false],
      ],
    );
  });

  it('is no part of test or prepare', async () => {
    await here.commit({ 'web/a.js': 'x\n' });
    assert.deepEqual(changed(await verb('test', here.path)), ['web'], 'though it is told of');
    assert.deepEqual(await logged(here), ['test']);
  });

  it('has its own time limit', async () => {
    const rest = '[scopes.web]\npaths = ["web/"]\ngate = "sleep 600"\ntimeout = 0.5\n[gate]\ntimeout = 500';
    await here.write({ 'discern.toml': config({ test: '"true"' }, rest) });
    await here.commit({ 'web/a.js': 'x\n' });
    const done = await verb('done', here.path);
    assert.equal(done.error, 'timed_out');
    assert.deepEqual(
      done.steps?.map(({ name, outcome }) => [name, outcome]),
      [
        ['test', 'passed'],
        ['scope:web', 'timed_out'],
      ],
    );
  });

  it('is beside what shows a change to a person, which is named and never run', async () => {
    const preview = {
      'discern.toml': declared.replace('"echo look"', JSON.stringify([log('look'), log('again')])),
    };
    await here.commit({ ...preview, 'db/1.sql': 'x\n' });
    const found = await verb('scopes', here.path);
    const shown = `${log('look')} && ${log('again')}`;
    assert.equal(found.data?.scopes?.find(({ name }) => name === 'db')?.preview, shown);
    assert.ok(found.hints?.includes(`To show a person the change in db: ${shown}`));
    await verb('done', here.path);
    assert.ok(!(await logged(here)).includes('look'));
  });
});

describe('The changes since the trunk', () => {
  const here = workshop({ config: declared, files, worktree: true });

  const kinds: Record<string, () => Promise<unknown>> = {
    committed: () => here.commit({ 'db/1.sql': 'x\n' }),
    'committed and taken out of the tree since': async () => {
      await here.commit({ 'db/1.sql': 'x\n' });
      await rm(join(here.path, 'db/1.sql'));
    },
    staged: async () => {
      await here.write({ 'db/1.sql': 'x\n' });
      await git(here.path, 'add', '--all');
    },
    unstaged: () => here.write({ 'db/old.sql': 'changed\n' }),
    untracked: () => here.write({ 'db/1.sql': 'x\n' }),
    'untracked in a directory that is new as a whole': () =>
      here.write({ 'db/deep/er/1.sql': 'x\n', 'db/deep/er/1.txt': 'x\n' }),
    deleted: () => rm(join(here.path, 'db/old.sql')),
  };
  for (const [kind, change] of Object.entries(kinds)) {
    it(`include what is ${kind}, for scopes and done alike`, async () => {
      await change();
      assert.deepEqual(changed(await verb('scopes', here.path)), ['db']);
      assert.deepEqual(changed(await verb('done', here.path)), ['db']);
      assert.equal((await logged(here)).at(-1), 'db');
    });
  }

  it('include a new directory of neutral files as neutral', async () => {
    await here.write({ 'notes/a.md': 'a\n', 'notes/deep/b.md': 'b\n' });
    const done = await verb('done', here.path);
    assert.deepEqual((await logged(here)).sort(), jobs);
    assert.match(done.data?.proof?.reason ?? '', /notes\/a\.md/);
  });

  it('do not include what the trunk got since the branch left it', async () => {
    await here.project.commit({ 'web/trunk.js': 'x\n' });
    await here.commit({ 'docs/a.md': 'x\n' });
    assert.deepEqual(changed(await verb('scopes', here.path)), ['docs']);
    assert.equal((await verb('update', here.path)).ok, true);
    assert.deepEqual(changed(await verb('scopes', here.path)), ['docs']);
  });

  it('are those of the project alone when it lies below the git top', async () => {
    await here.project.commit({
      'packages/app/discern.toml': declared,
      'packages/app/web/a.js': 'a\n',
    });
    const { project } = here;
    const inner = join(project.root, 'packages', 'app');
    await project.write({ 'web/old.js': 'changed\n', 'docs/new.md': 'x\n' });
    assert.deepEqual((await verb('scopes', inner)).data?.code, []);
    assert.deepEqual(changed(await verb('scopes', inner)), []);
    await project.write({ 'packages/app/web/a.js': 'changed\n' });
    assert.deepEqual(changed(await verb('scopes', inner)), ['web']);
  });

  it('are told in words', async () => {
    await here.write({ 'src/new.txt': 'x\n' });
    assert.match(
      (await verb('scopes', here.path)).message ?? '',
      /1 changed path in no scope counts as code/,
    );
    await here.write({ 'src/other.txt': 'x\n' });
    assert.match(
      (await verb('scopes', here.path)).message ?? '',
      /2 changed paths in no scope count as code/,
    );
  });
});
