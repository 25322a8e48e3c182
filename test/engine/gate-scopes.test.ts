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
previewable = true

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

describe('Changes in neutral scopes alone', () => {
  const here = workshop({ config: declared, files, worktree: true });

  it('need no job, and earn a proof', async () => {
    const commit = await here.commit({ 'docs/a.txt': 'a\n', 'src/README.md': 'r\n' });
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    assert.deepEqual(await logged(here), []);
    assert.deepEqual(
      done.steps?.map(({ name, outcome }) => [name, outcome]),
      [
        ['lint', 'skipped'],
        ['test', 'skipped'],
      ],
    );
    assert.deepEqual(done.data?.proof, { state: 'valid', commit });
    assert.match(done.hints?.join('\n') ?? '', /neutral/);
  });

  it('do not spare test or prepare, which were asked for', async () => {
    await here.commit({ 'docs/a.txt': 'a\n' });
    await verb('prepare', here.path);
    await verb('test', here.path);
    assert.deepEqual(await logged(here), ['lint', 'test']);
  });

  it('include deletions and renames within them', async () => {
    await git(here.path, 'mv', 'docs/old.md', 'docs/new.md');
    await here.commit({});
    assert.equal((await verb('done', here.path)).data?.proof?.state, 'valid');
    assert.deepEqual(await logged(here), []);
  });

  it('are none when nothing changed at all', async () => {
    assert.equal((await verb('done', here.path)).ok, true);
    assert.deepEqual((await logged(here)).sort(), ['lint', 'test']);
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

  it('count a path in a neutral and another scope as not neutral', async () => {
    await here.commit({ 'web/README.md': 'r\n' });
    assert.equal((await verb('done', here.path)).ok, true);
    assert.deepEqual((await logged(here)).slice(-2), ['web', 'web-again']);
    assert.equal((await logged(here)).length, 4);
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

  it('runs alone when its scope is neutral', async () => {
    await here.commit({ 'site/a.html': 'x\n' });
    const done = await verb('done', here.path);
    assert.equal(done.data?.proof?.state, 'valid');
    assert.deepEqual(await logged(here), ['spelling']);
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
    assert.deepEqual(await logged(here), []);
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
