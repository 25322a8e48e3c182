import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git } from '../support/project.ts';
import { workshop } from '../support/workshop.ts';

const config = `[jobs.lint]
run = "true"
inputs = ["src/**"]
toolchain = ["lock.txt"]
environment = ["PROBE_EXPLAIN"]

[jobs.test]
run = "! grep -q BROKEN src/a.txt"
inputs = ["src/**", "lib/**"]
needs = ["jobs.lint"]

[jobs.plain]
stage = "test"
run = "true"

[scopes.web]
paths = ["web/**"]
gate = "true"

[standards.size]
direction = "down"
limit = 10
run = "echo DISCERN_METRIC size $(cat lib/size)"
inputs = ["lib/**"]

[standards.slow]
direction = "down"
limit = 10
measure = "on-demand"
run = "echo DISCERN_METRIC slow 1"
`;

describe('explain', () => {
  const here = workshop({
    config,
    files: {
      'src/a.txt': 'a\n',
      'lib/size': '8\n',
      'lock.txt': '1\n',
      'docs/a.md': 'a\n',
      'discern-vscode.toml': '[receipts]\ncheck_every = 0\n',
    },
    worktree: true,
  });
  const explain = async (job: string) => succeeded(await verb('explain', here.path, { job }));

  it('says why each job would run before anything has: no result is known, or none can be', async () => {
    for (const [job, runs, why] of [
      ['lint', true, /^no result of these inputs is known$/],
      ['jobs.lint', true, /^no result of these inputs is known$/],
      ['plain', true, /^it declares no inputs$/],
      ['scopes.web.gate', false, /^nothing in its scope changed since the trunk$/],
      ['standards.size', true, /^no result of these inputs is known$/],
      ['standards.slow', false, /^it is measured on demand only$/],
    ] as const) {
      const data = await explain(job);
      assert.equal(data.runs, runs, job);
      assert.match(data.why, why, job);
      assert.equal(data.earlier, undefined);
    }
  });

  it('names the files that differ from the last run, and of a reused one those that made it run then', async () => {
    const first = await here.commit({ 'docs/a.md': 'b\n' });
    succeeded(await verb('done', here.path));
    assert.match((await explain('lint')).why, /^its inputs are those of /);
    const second = await here.commit({ 'src/a.txt': 'b\n', 'src/new.txt': 'n\n', 'docs/a.md': 'c\n' });
    const before = await explain('lint');
    assert.deepEqual([before.runs, before.files], [true, ['src/a.txt', 'src/new.txt']]);
    assert.equal(before.earlier?.commit, first);
    succeeded(await verb('done', here.path));
    await here.commit({ 'docs/a.md': 'd\n' });
    const after = await verb('explain', here.path, { job: 'lint' });
    const { runs, files, earlier, why } = succeeded(after);
    assert.deepEqual(
      [runs, files, earlier?.commit, earlier?.worktree],
      [false, ['src/a.txt', 'src/new.txt'], first, here.path],
    );
    assert.equal(why, `its inputs are those of ${second.slice(0, 10)}`);
    assert.match(
      after.message ?? '',
      /^done would reuse lint: .* differed in: src\/a\.txt, src\/new\.txt\.$/,
    );
  });

  it('names the variable, the toolchain file, the command and the needed job that differ', async () => {
    await here.commit({ 'docs/a.md': 'b\n' });
    succeeded(await verb('done', here.path));
    process.env.PROBE_EXPLAIN = 'other';
    try {
      await here.commit({ 'lock.txt': '2\n' });
      const lint = await explain('lint');
      assert.deepEqual(lint.differs, ['lock.txt of its toolchain', 'the variable PROBE_EXPLAIN']);
      assert.equal(lint.files, undefined);
      assert.deepEqual((await explain('test')).differs, ['lint, which it needs']);
      await here.commit({ 'discern.toml': config.replace('run = "true"', 'run = "exit 0"') });
      assert.ok((await explain('lint')).differs?.includes('its command'));
    } finally {
      delete process.env.PROBE_EXPLAIN;
    }
  });

  it('says that it failed on the same inputs, and that an unclean tree uses no result', async () => {
    const bad = await here.commit({ 'src/a.txt': 'BROKEN\n' });
    refusedWith(await verb('done', here.path), 'gate_failed');
    const failed = await explain('test');
    assert.equal(failed.why, `it failed on ${bad.slice(0, 10)} with the same inputs`);
    assert.equal(failed.earlier?.outcome, 'failed');
    await writeFile(join(here.path, 'src/a.txt'), 'edited\n');
    const unclean = await explain('test');
    assert.match(unclean.why, /^the tree has uncommitted changes .* for which no result is used or kept$/);
    assert.deepEqual(unclean.files, ['src/a.txt']);
  });

  it('says so where the earlier commit is gone, and refuses what is not a job', async () => {
    await here.commit({ 'docs/a.md': 'b\n' });
    succeeded(await verb('done', here.path));
    await here.commit({ 'src/a.txt': 'b\n' });
    await git(here.path, 'reset', '--quiet', '--hard', here.base);
    await git(here.path, 'reflog', 'expire', '--expire=all', '--all');
    await git(here.path, 'update-ref', '-d', 'ORIG_HEAD');
    await git(here.path, 'prune', '--expire=now');
    await here.commit({ 'src/a.txt': 'c\n' });
    assert.match(
      (await explain('lint')).differs?.join() ?? '',
      /^its inputs, in files of .* git has no more$/,
    );
    for (const [job, meant] of [
      ['lnt', /Did you mean lint\?/],
      ['', /There are: lint, test, plain, scope:web, standard:size, standard:slow\./],
      ['__proto__', /There is no job/],
    ] as const) {
      refusedWith(await verb('explain', here.path, { job }), 'invalid_argument', meant);
    }
  });
});

describe('A standard with inputs', () => {
  const here = workshop({
    config: `${config.slice(config.indexOf('[standards.size]'), config.indexOf('[standards.slow]'))}environment = ["PROBE_SIZE"]\n`,
    files: { 'lib/size': '8\n', 'docs/a.md': 'a\n', 'discern-vscode.toml': '[receipts]\ncheck_every = 0\n' },
    worktree: true,
  });

  it('is stood in for by a receipt in any worktree, while its limit and what it depends on allow it', async () => {
    const first = await here.commit({ 'docs/a.md': 'b\n' });
    succeeded(await verb('done', here.path));
    const { path: other } = succeeded(await verb('start', here.project.root, { name: 'other' }));
    await here.project.commit({ 'docs/a.md': 'elsewhere\n' }, other);
    const answer = await verb('done', other);
    const [standard] = succeeded(answer).standards ?? [];
    assert.deepEqual([standard?.state, standard?.value, standard?.replayed_from], ['held', 8, first]);
    assert.equal(answer.steps?.[0]?.reused?.worktree, here.path);
    assert.equal(answer.data?.proof?.state, 'valid');

    assert.equal(
      succeeded(await verb('done', other, { rerun: true })).standards?.[0]?.replayed_from,
      undefined,
    );
    process.env.PROBE_SIZE = '1';
    try {
      await here.project.commit({ 'docs/a.md': 'x\n' }, other);
      assert.equal(succeeded(await verb('done', other)).standards?.[0]?.replayed_from, undefined);
    } finally {
      delete process.env.PROBE_SIZE;
    }
    const tight = await readFile(join(other, 'discern.toml'), 'utf8');
    await here.project.commit({ 'discern.toml': tight.replace('limit = 10', 'limit = 7') }, other);
    assert.match(
      succeeded(await verb('explain', other, { job: 'standards.size' })).why,
      /^what .* was measured as is beyond its limit$/,
    );
    refusedWith(await verb('done', other), 'standard_regressed');
  });
});
