import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { StandardResult } from '../../src/contract/data.ts';
import { verb } from '../support/engine.ts';
import { awaits, config, log, logged } from '../support/jobs.ts';
import { git } from '../support/project.ts';
import { workshop } from '../support/workshop.ts';

const steps = (answer: { steps?: { name: string; outcome: string }[] }) =>
  answer.steps?.map(({ name, outcome }) => `${name} ${outcome}`);

const needing = (run: string, ...needs: string[]) =>
  `{ run = ${JSON.stringify(run)}, needs = ${JSON.stringify(needs)} }`;

describe('A job that needs another', () => {
  const here = workshop({ worktree: true });
  const declare = (jobs: Record<string, string>, rest = '') =>
    here.commit({ 'discern.toml': config(jobs, rest) });

  it('waits for it, where both would run together', async () => {
    await declare({
      lint: needing(log('lint'), 'jobs.test'),
      test: JSON.stringify(`sleep 0.3; ${log('test')}`),
    });
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    assert.deepEqual(await logged(here), ['test', 'lint']);
  });

  it('waits for one of a later group, and nobody waits for it that need not', async () => {
    await declare(
      {
        // Meets typecheck, which runs before it.
        lint: needing(`${awaits('checked')}; ${log('lint')}`, 'scopes.web.gate'),
        typecheck: JSON.stringify(`touch ../checked; ${log('typecheck')}`),
      },
      `[scopes.web]\npaths = ["web/"]\ngate = "${log('web')}"\n`,
    );
    await here.commit({ 'web/a.js': 'x\n' });
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    assert.deepEqual(await logged(here), ['typecheck', 'web', 'lint']);
  });

  it('runs it too where the verb alone would not: the build, a scope that did not change', async () => {
    await declare(
      {
        build: JSON.stringify(log('build')),
        lint: JSON.stringify(log('lint')),
        test: needing(log('test'), 'jobs.build', 'scopes.web.gate'),
      },
      `[scopes.web]\npaths = ["web/"]\ngate = "${log('web')}"\n`,
    );
    const test = await verb('test', here.path);
    assert.equal(test.ok, true, test.message);
    assert.deepEqual(await logged(here), ['build', 'web', 'test']);
  });

  it('is not run when that fails, and neither is who needs it', async () => {
    await declare(
      {
        build: '"exit 3"',
        lint: needing(log('lint'), 'jobs.build'),
        typecheck: needing(log('typecheck'), 'jobs.lint'),
        test: JSON.stringify(log('test')),
      },
      '[gate]\nfail_fast = false\n',
    );
    const done = await verb('done', here.path);
    assert.equal(done.error, 'gate_failed');
    assert.deepEqual(steps(done), ['build failed', 'lint skipped', 'typecheck skipped', 'test passed']);
    assert.deepEqual(await logged(here), ['test']);
  });

  it('comes behind it among the fix jobs too, which run one by one', async () => {
    await declare({
      format: needing(log('format'), 'jobs.codegen'),
      codegen: `{ stage = "fix", run = ${JSON.stringify(log('codegen'))} }`,
    });
    assert.equal((await verb('prepare', here.path)).ok, true);
    assert.deepEqual(await logged(here), ['codegen', 'format']);
  });

  it('and several others, is run once all have passed', async () => {
    const all = Array.from({ length: 12 }, (_, n) => `job${n}`);
    const jobs = Object.fromEntries(
      all.map((name, n) => [
        name,
        `{ stage = "check", run = ${JSON.stringify(log(name))}, needs = ${JSON.stringify(all.slice(n + 1).map((one) => `jobs.${one}`))} }`,
      ]),
    );
    await declare(jobs);
    assert.equal((await verb('done', here.path)).ok, true);
    assert.deepEqual(await logged(here), all.toReversed());
  });
});

describe('A standard that another command measures', () => {
  const here = workshop({ worktree: true });
  const standard = (name: string, rest: string) =>
    `[standards.${name}]\ndirection = "up"\nlimit = 3\n${rest}\n`;
  const declare = (jobs: Record<string, string>, rest = '') =>
    here.commit({ 'discern.toml': config(jobs, rest) });
  const states = (answer: { data?: { standards?: StandardResult[] | undefined } | undefined }) =>
    answer.data?.standards?.map(({ name, state, value }) => [name, state, value]);

  const tests = JSON.stringify(`${log('test')}; echo DISCERN_METRIC cov 7; echo DISCERN_METRIC size 4`);

  it('is read from what the producer printed, which runs once for all', async () => {
    await declare(
      { test: tests },
      standard('cov', 'producer = "jobs.test"') +
        standard('bytes', 'producer = "jobs.test"\nmetric = "size"'),
    );
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    assert.deepEqual(await logged(here), ['test']);
    assert.deepEqual(states(done), [
      ['cov', 'held', 7],
      ['bytes', 'held', 4],
    ]);
    assert.deepEqual(states(await verb('standards', here.path, { names: ['bytes'] })), [
      ['bytes', 'held', 4],
    ]);
    assert.deepEqual(await logged(here), ['test', 'test'], 'standards runs the producer, and once');
  });

  it('is worse than its limit like any other', async () => {
    await declare({ test: '"echo DISCERN_METRIC cov 2"' }, standard('cov', 'producer = "jobs.test"'));
    const done = await verb('done', here.path);
    assert.equal(done.error, 'standard_regressed', done.message);
    assert.equal(done.data?.proof?.state, 'none');
  });

  it('is not measured, and red, when the producer prints no such metric', async () => {
    await declare({ test: '"echo nothing"' }, standard('cov', 'producer = "jobs.test"'));
    const done = await verb('done', here.path);
    assert.equal(done.error, 'gate_failed', done.message);
    assert.deepEqual(states(done), [['cov', 'unmeasured', undefined]]);
  });

  it('is not measured when its producer fails', async () => {
    await declare(
      { test: '"echo DISCERN_METRIC cov 7; exit 1"' },
      `${standard('cov', 'producer = "jobs.test"')}[gate]\nfail_fast = false\n`,
    );
    const done = await verb('done', here.path);
    assert.deepEqual(steps(done), ['test failed', 'standard:cov skipped']);
    assert.deepEqual(states(done), [['cov', 'skipped', undefined]]);
  });

  it('is extracted from the standard output alone, and the log still has both streams', async () => {
    const extract = `sed 's/^total: /DISCERN_METRIC cov /'`;
    await declare(
      { test: '"echo warning: 1 >&2; echo total: 9"' },
      standard('cov', `producer = "jobs.test"\nextract = ${JSON.stringify(`tee ../seen | ${extract}`)}`),
    );
    const done = await verb('done', here.path);
    assert.deepEqual(states(done), [['cov', 'held', 9]], done.message);
    assert.equal(await readFile(`${here.home}/seen`, 'utf8'), 'total: 9\n');
    const printed = await readFile(done.steps?.[0]?.output_path ?? '', 'utf8');
    assert.deepEqual(printed.split('\n').sort(), ['', 'total: 9', 'warning: 1']);
    assert.equal(done.steps?.[0]?.output_lines, 2);
  });

  it('is extracted from its own run, with a list of commands that each get it', async () => {
    await declare(
      { test: '"true"' },
      standard('cov', `run = "echo 5"\nextract = ["cat > ../first", "sed 's/^/DISCERN_METRIC cov /'"]`),
    );
    assert.deepEqual(states(await verb('done', here.path)), [['cov', 'held', 5]]);
  });

  it('is extracted from an artifact of its producer, and not measured where that was not made', async () => {
    const test = (run: string) => ({ test: `{ run = ${JSON.stringify(run)}, artifacts = ["out/c.json"] }` });
    const rest = standard(
      'cov',
      `producer = "jobs.test"\nartifact = "out/c.json"\nextract = "sed 's/[^0-9]//g;s/^/DISCERN_METRIC cov /'"`,
    );
    await here.commit({ '.gitignore': 'out/\n' });
    await declare(test('mkdir -p out; echo "{ lines: 6 }" > out/c.json'), rest);
    assert.deepEqual(states(await verb('done', here.path)), [['cov', 'held', 6]]);
    await git(here.path, 'clean', '-fdxq');
    await declare(test('true'), rest);
    const done = await verb('done', here.path);
    assert.deepEqual(states(done), [['cov', 'unmeasured', undefined]]);
    assert.match(
      done.diagnostics?.[0]?.message ?? '',
      /out\/c\.json, which it is extracted from, was not made/,
    );
  });

  it('is red when the extract fails or hangs, with what it printed', async () => {
    for (const [extract, why] of [
      ['echo broken pipe dream >&2; exit 4', /its extract failed \(exit code 4\)/],
      ['sleep 60', /its extract ran out of time/],
    ] as const) {
      await declare(
        { test: '"true"' },
        standard('cov', `producer = "jobs.test"\nextract = ${JSON.stringify(extract)}\ntimeout = 0.5`),
      );
      const done = await verb('done', here.path);
      assert.equal(done.error, 'gate_failed', done.message);
      assert.match(done.diagnostics?.[0]?.message ?? '', why);
    }
  });
});

describe('prepare with generated files', () => {
  const here = workshop({ worktree: true });

  it('makes them anew between fix and check, and leaves them to be committed', async () => {
    const gen = `${log('gen')}; tr a-z A-Z < src/words > gen/words`;
    await here.commit({
      'discern.toml': config(
        {
          format: JSON.stringify(log('format')),
          build: JSON.stringify(log('build')),
          lint: JSON.stringify(log('lint')),
        },
        `[generated.words]\npaths = ["gen/**"]\nrun = ${JSON.stringify(gen)}\n`,
      ),
      'src/words': 'a\n',
      'gen/words': 'A\n',
    });
    const clean = await verb('prepare', here.path);
    assert.equal(clean.ok, true, clean.message);
    assert.deepEqual(await logged(here), ['format', 'gen', 'lint'], 'and never build');
    await here.commit({ 'src/words': 'b\n' });
    const prepared = await verb('prepare', here.path);
    assert.equal(prepared.ok, true, prepared.message);
    assert.deepEqual(
      prepared.data?.drift?.map(({ file, generated }) => [file, generated]),
      [['gen/words', 'words']],
    );
    assert.match(prepared.hints?.join('\n') ?? '', /Regenerated; review and commit: gen\/words\./);
    assert.equal((await git(here.path, 'status', '--porcelain')).trim(), 'M gen/words');
    assert.equal((await verb('done', here.path)).data?.proof?.state, 'none');
    await here.commit({});
    assert.equal((await verb('done', here.path)).data?.proof?.state, 'valid');
  });

  it('is red when a generator fails', async () => {
    await here.commit({
      'discern.toml': config({ lint: '"true"' }, '[generated.words]\npaths = ["gen/**"]\nrun = "exit 2"\n'),
    });
    assert.equal((await verb('prepare', here.path)).error, 'gate_failed');
  });
});
