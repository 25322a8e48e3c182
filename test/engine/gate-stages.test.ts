import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Step } from '../../src/contract/envelope.ts';
import type { VerbEvent } from '../../src/contract/events.ts';
import { verb } from '../support/engine.ts';
import { config, job, log, logged, meets } from '../support/jobs.ts';
import { workshop } from '../support/workshop.ts';

const outcomes = (steps: Step[] = []) =>
  Object.fromEntries(steps.map((step) => [step.name, step.outcome] as const));

const around = (name: string, ...inner: string[]) => [log(`${name}:start`), ...inner, log(`${name}:end`)];

describe('The stages of the gate', () => {
  const here = workshop();

  it('run as fix, build, check and test, scopes, whatever the order in the file', async () => {
    await here.write({
      'discern.toml': config(
        {
          unit: job('test', log('test')),
          types: job('check', log('check')),
          bundle: job('build', log('build')),
          tidy: job('fix', log('fix')),
        },
        `[scopes.src]\npaths = ["src/"]\ngate = "${log('scope')}"`,
      ),
    });
    await here.write({ 'src/b.txt': 'b\n' });
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    const lines = await logged(here);
    assert.deepEqual(lines.slice(0, 2), ['fix', 'build']);
    assert.deepEqual(lines.slice(2, 4).sort(), ['check', 'test']);
    assert.deepEqual(lines.slice(4), ['scope']);
    assert.deepEqual(
      done.steps?.map(({ name, stage }) => [name, stage]),
      [
        ['tidy', 'fix'],
        ['bundle', 'build'],
        ['types', 'check'],
        ['unit', 'test'],
        ['scope:src', 'scope'],
      ],
    );
  });

  it('run fix jobs one after the other', async () => {
    const names = ['one', 'two', 'three'];
    await here.write({
      'discern.toml': config(
        Object.fromEntries(names.map((name) => [name, job('fix', around(name, 'sleep 0.05'))])),
      ),
    });
    assert.equal((await verb('done', here.path)).ok, true);
    assert.deepEqual(
      await logged(here),
      names.flatMap((name) => [`${name}:start`, `${name}:end`]),
    );
  });

  it('run build jobs at the same time', async () => {
    await here.write({
      'discern.toml': config({ one: job('build', meets('a', 'b')), two: job('build', meets('b', 'a')) }),
    });
    const done = await verb('done', here.path);
    assert.deepEqual(outcomes(done.steps), { one: 'passed', two: 'passed' });
  });

  it('run check and test jobs at the same time', async () => {
    await here.write({
      'discern.toml': config({ lint: `"${meets('lint', 'test')}"`, test: `"${meets('test', 'lint')}"` }),
    });
    const done = await verb('done', here.path);
    assert.deepEqual(outcomes(done.steps), { lint: 'passed', test: 'passed' });
  });

  it('run the gates of changed scopes at the same time', async () => {
    const scope = (name: string, other: string) =>
      `[scopes.${name}]\npaths = ["src/"]\ngate = "${meets(name, other)}"\n`;
    await here.write({ 'discern.toml': config({}, scope('one', 'two') + scope('two', 'one')) });
    await here.write({ 'src/b.txt': 'b\n' });
    const done = await verb('done', here.path);
    assert.deepEqual(outcomes(done.steps), { 'scope:one': 'passed', 'scope:two': 'passed' });
  });

  it('start nothing of a stage before all of the one before has ended', async () => {
    await here.write({
      'discern.toml': config({
        slow: job('build', around('slow', 'sleep 0.2')),
        quick: job('build', around('quick')),
        lint: JSON.stringify(log('lint')),
      }),
    });
    assert.equal((await verb('done', here.path)).ok, true);
    const lines = await logged(here);
    assert.equal(lines.at(-1), 'lint');
    assert.equal(lines.length, 5);
  });

  const each = config({
    format: JSON.stringify(log('format')),
    build: JSON.stringify(log('build')),
    lint: JSON.stringify(log('lint')),
    test: JSON.stringify(log('test')),
  });

  it('are fix and check for prepare', async () => {
    await here.write({ 'discern.toml': each });
    const prepare = await verb('prepare', here.path);
    assert.equal(prepare.ok, true);
    assert.deepEqual(await logged(here), ['format', 'lint']);
    assert.equal(prepare.data?.proof, undefined);
  });

  it('are the test stage alone for test', async () => {
    await here.write({ 'discern.toml': each });
    assert.equal((await verb('test', here.path)).ok, true);
    assert.deepEqual(await logged(here), ['test']);
  });

  it('are only told of in a dry run', async () => {
    await here.write({ 'discern.toml': each });
    const plan = await verb('done', here.path, { dry_run: true });
    assert.equal(plan.dry_run, true);
    assert.deepEqual(
      plan.plan?.steps.map((step) => step.action),
      ['fix: format', 'build: build', 'check: lint', 'test: test'],
    );
    assert.deepEqual(await logged(here), []);
  });
});

describe('A list of commands', () => {
  const here = workshop();

  it('runs in order and stops at the first that fails, whose exit code is reported', async () => {
    await here.write({
      'discern.toml': config({ test: JSON.stringify([log('one'), `${log('two')}; exit 3`, log('three')]) }),
    });
    const test = await verb('test', here.path);
    assert.equal(test.error, 'gate_failed');
    assert.deepEqual(await logged(here), ['one', 'two']);
    assert.equal(test.steps?.[0]?.exit_code, 3);
    assert.match(test.diagnostics?.[0]?.reproduce_cmd ?? '', /exit 3/);
  });

  it('keeps what all of them print in one file', async () => {
    await here.write({ 'discern.toml': config({ test: '["echo one", "echo two >&2", "printf three"]' }) });
    const [step] = (await verb('test', here.path)).steps ?? [];
    assert.equal(await readFile(step?.output_path ?? '', 'utf8'), 'one\ntwo\nthree');
    assert.equal(step?.output_lines, 3);
  });
});

describe('A failing job', () => {
  const here = workshop();

  const failing = (failFast: boolean) =>
    config(
      {
        lint: `"${meets('lint', 'test')}; exit 1"`,
        test: `"${meets('test', 'lint')}; ${failFast ? 'sleep 600' : 'true'}; ${log('test')}"`,
      },
      `[scopes.src]\npaths = ["src/"]\ngate = "${log('scope')}"\n[gate]\nfail_fast = ${failFast}`,
    );

  it('ends its siblings and spares what follows under fail_fast', async () => {
    await here.write({ 'discern.toml': failing(true) });
    await here.write({ 'src/b.txt': 'b\n' });
    const done = await verb('done', here.path);
    assert.equal(done.error, 'gate_failed');
    assert.deepEqual(outcomes(done.steps), { lint: 'failed', test: 'cancelled', 'scope:src': 'skipped' });
    assert.deepEqual(done.data?.jobs, { passed: 0, failed: 1, cancelled: 1, skipped: 1, timed_out: 0 });
    assert.deepEqual(await logged(here), []);
    assert.deepEqual(
      done.diagnostics?.map((diagnostic) => diagnostic.tool),
      ['lint'],
      'what was cancelled is no finding',
    );
  });

  it('lets everything else run without fail_fast', async () => {
    await here.write({ 'discern.toml': failing(false) });
    await here.write({ 'src/b.txt': 'b\n' });
    const done = await verb('done', here.path);
    assert.equal(done.error, 'gate_failed');
    assert.deepEqual(outcomes(done.steps), { lint: 'failed', test: 'passed', 'scope:src': 'passed' });
    assert.deepEqual((await logged(here)).sort(), ['scope', 'test']);
  });

  it('leaves later fix jobs unstarted under fail_fast', async () => {
    await here.write({ 'discern.toml': config({ one: job('fix', 'exit 1'), two: job('fix', log('two')) }) });
    const prepare = await verb('prepare', here.path);
    assert.deepEqual(outcomes(prepare.steps), { one: 'failed', two: 'skipped' });
    assert.deepEqual(await logged(here), []);
  });
});

describe('The events of a run', () => {
  const here = workshop();

  const counted = async (jobs: Record<string, string>, rest = '') => {
    await here.write({ 'discern.toml': config(jobs, rest) });
    const events: VerbEvent[] = [];
    const done = await verb('done', here.path, {}, { events });
    const [first] = events;
    assert.equal(first?.type, 'run_started');
    const total = first?.type === 'run_started' ? first.jobs : -1;
    const finished = events.filter((event) => event.type === 'job_finished');
    assert.deepEqual(
      finished.map((event) => [event.done, event.jobs]),
      finished.map((_, index) => [index + 1, total]),
    );
    assert.equal(finished.length, total, 'every job that was announced is accounted for');
    const started = events.filter((event) => event.type === 'job_started');
    const ran = finished.filter((event) => event.outcome !== 'skipped');
    assert.deepEqual(started.map((event) => event.job).sort(), ran.map((event) => event.job).sort());
    for (const step of done.steps ?? []) {
      const event = finished.find((one) => one.job === step.name);
      assert.equal(event?.outcome, step.outcome);
      assert.equal(started.find((one) => one.job === step.name)?.output_path, step.output_path);
    }
    return { done, total, started };
  };

  it('add up when all pass', async () => {
    const { total } = await counted({ format: '"true"', build: '"true"', lint: '"true"', test: '"true"' });
    assert.equal(total, 4);
  });

  it('add up when one fails and the rest is skipped', async () => {
    const { done, started } = await counted({ format: '"exit 1"', build: '"true"', lint: '"true"' });
    assert.deepEqual(done.data?.jobs, { passed: 0, failed: 1, cancelled: 0, skipped: 2, timed_out: 0 });
    assert.equal(started.length, 1);
  });

  it('say so when there is nothing to run', async () => {
    const { done, total } = await counted({});
    assert.equal(total, 0);
    assert.equal(done.ok, true);
    assert.match(done.hints?.join('\n') ?? '', /declares no job, so this proves nothing/);
  });
});

describe('More jobs than a listener limit', () => {
  const here = workshop();

  it('run together without a warning', async () => {
    const count = 15;
    await here.write({
      'discern.toml': config(
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`job${n}`, job('check', 'true')])),
      ),
    });
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    try {
      assert.equal((await verb('done', here.path)).data?.jobs?.passed, count);
    } finally {
      process.off('warning', listen);
    }
    assert.deepEqual(warnings, []);
  });
});
