import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Step } from '../../src/contract/envelope.ts';
import type { VerbEvent } from '../../src/contract/events.ts';
import { verb } from '../support/engine.ts';
import { awaits, config, job, log, logged } from '../support/jobs.ts';
import { runs, until } from '../support/processes.ts';
import { type Workshop, workshop } from '../support/workshop.ts';

/** Runs the test stage with one job of this command. */
async function tested(here: Workshop, run: string | string[], rest = '') {
  await here.write({ 'discern.toml': config({ test: JSON.stringify(run) }, rest) });
  const envelope = await verb('test', here.path);
  const [step] = envelope.steps ?? [];
  assert.ok(step);
  return { envelope, step, finding: envelope.diagnostics?.[0] };
}

const output = (step: Step) => readFile(step.output_path ?? '', 'utf8');

/** The pid a job wrote down beside its checkout. */
const pidIn = async (here: Workshop, file: string) =>
  Number(await readFile(join(here.home, file), 'utf8').catch(() => ''));

async function assertGone(here: Workshop, file: string): Promise<void> {
  const pid = await pidIn(here, file);
  assert.ok(pid > 0, `${file} holds a pid`);
  assert.equal(runs(pid), false, `the process of ${file} still runs`);
}

describe('A job', () => {
  const here = workshop();

  it('whose command is not found fails with 127 and the shell’s words', async () => {
    const { envelope, step, finding } = await tested(here, 'no-such-command --flag');
    assert.equal(envelope.error, 'gate_failed');
    assert.equal(step.outcome, 'failed');
    assert.equal(step.exit_code, 127);
    assert.match(finding?.message ?? '', /no-such-command.*not found/);
    assert.equal(finding?.reproduce_cmd, 'no-such-command --flag');
  });

  it('that a signal ends fails, and the finding names the signal', async () => {
    const { envelope, step, finding } = await tested(here, 'echo before; kill -9 $$');
    assert.equal(envelope.error, 'gate_failed');
    assert.equal(step.outcome, 'failed');
    assert.equal(step.exit_code, undefined);
    assert.match(finding?.message ?? '', /SIGKILL/);
    assert.equal(await output(step), 'before\n');
  });

  it('that reads its input gets the end of it', async () => {
    const { step } = await tested(here, 'cat; read line; echo "read: $?"');
    assert.equal(step.outcome, 'passed');
    assert.equal(await output(step), 'read: 1\n');
  });

  it('that prints what is no text is kept byte by byte, and reported as clean text', async () => {
    const { step, finding } = await tested(
      here,
      "printf '\\033[31mred\\033[0m \\377\\376 \\000 error: broken\\n'; exit 1",
    );
    const raw = await readFile(step.output_path ?? '');
    assert.ok(raw.includes(Buffer.from([0xff, 0xfe])));
    assert.ok(raw.includes('\u001b[31m'));
    assert.equal(step.output_lines, 1);
    const said = `${finding?.message}\n${finding?.output}`;
    assert.match(said, /broken/);
    assert.doesNotMatch(said, /[\u0000-\u0008\u001b]/);
  });

  it('that prints nothing and fails still says what failed', async () => {
    const { finding } = await tested(here, 'exit 4');
    assert.match(finding?.message ?? '', /printed nothing/);
  });

  it('without a last newline has that line counted', async () => {
    const { step } = await tested(here, "printf 'one\\ntwo'");
    assert.equal(step.output_lines, 2);
  });

  it('that prints 200 MB costs no memory, and every line is counted', async () => {
    const line = 'x'.repeat(99);
    const count = 2_000_000;
    const before = process.memoryUsage().rss;
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 50);
    try {
      const { step } = await tested(here, `yes ${line} | head -n ${count}; exit 1`);
      assert.equal(step.output_lines, count);
    } finally {
      clearInterval(timer);
    }
    assert.ok(peak > 0);
    assert.ok(peak - before < 150_000_000, `grew by ${Math.round((peak - before) / 1e6)} MB`);
  });

  it('sees no other job’s output', async () => {
    await here.write({ 'discern.toml': config({ lint: '"echo lint"', test: '"echo test"' }) });
    for (const step of (await verb('done', here.path)).steps ?? []) {
      assert.equal(await output(step), `${step.name}\n`);
    }
  });

  it('is cut off by no timeout that is longer than a timer can be', async () => {
    const { step } = await tested(here, 'sleep 0.1', '[gate]\ntimeout = 1e10');
    assert.equal(step.outcome, 'passed');
  });
});

describe('A job that takes too long', () => {
  const here = workshop();

  it('is timed_out, and nothing of its group is left', async () => {
    const { envelope, step, finding } = await tested(
      here,
      'echo started; sleep 600 & echo $! > ../child; echo $$ > ../shell; wait',
      '[gate]\ntimeout = 2',
    );
    assert.equal(envelope.error, 'timed_out');
    assert.equal(step.outcome, 'timed_out');
    assert.match(finding?.message ?? '', /time limit of 2 s/);
    assert.equal(await output(step), 'started\n');
    for (const file of ['child', 'shell']) await assertGone(here, file);
  });

  it('is ended also when it ignores SIGTERM', async () => {
    const { step } = await tested(
      here,
      "trap '' TERM; echo $$ > ../shell; while :; do sleep 0.1; done",
      '[gate]\ntimeout = 2',
    );
    assert.equal(step.outcome, 'timed_out');
    await assertGone(here, 'shell');
  });

  it('may end in its own way on SIGTERM, and is timed_out all the same', async () => {
    const { step } = await tested(
      here,
      `trap '${log('cleaned')}; exit 0' TERM; while :; do sleep 0.1; done`,
      '[gate]\ntimeout = 2',
    );
    assert.equal(step.outcome, 'timed_out');
    assert.deepEqual(await logged(here), ['cleaned']);
  });

  it('has one time limit for its whole list of commands', async () => {
    const { step } = await tested(here, ['sleep 1.5', 'sleep 1.5'], '[gate]\ntimeout = 2');
    assert.equal(step.outcome, 'timed_out');
  });

  it('has its own limit where it declares one', async () => {
    await here.write({
      'discern.toml': config(
        { one: job('test', 'sleep 600', 0.5), two: job('test', 'sleep 1', 0) },
        '[gate]\ntimeout = 0.2\nfail_fast = false',
      ),
    });
    const test = await verb('test', here.path);
    assert.deepEqual(
      test.steps?.map((step) => step.outcome),
      ['timed_out', 'passed'],
    );
    assert.equal(test.error, 'timed_out');
  });
});

describe('What a job leaves in the background', () => {
  const here = workshop();

  const left: Record<string, string> = {
    'a child': 'sleep 600 & echo $! > ../left',
    'a grandchild': '(sh -c "sleep 600 & echo \\$! > ../left; wait" &) ; sleep 0.3',
    'a child that ignores hangup and SIGTERM':
      'nohup sh -c "trap \'\' TERM; echo \\$\\$ > ../left; while :; do sleep 0.1; done" > ../nohup.out 2>&1 & sleep 0.3',
    ...(process.platform === 'linux' && {
      'a child in a process group of its own': 'timeout 600 sleep 600 & echo $! > ../left; sleep 0.3',
    }),
  };
  for (const [what, run] of Object.entries(left)) {
    it(`is ended with a hint: ${what}`, async () => {
      const { envelope, step } = await tested(here, run);
      assert.equal(step.outcome, 'passed');
      assert.match(envelope.hints?.join('\n') ?? '', /test left processes running behind it/);
      await assertGone(here, 'left');
    });
  }
});

describe('A cancelled run', () => {
  const here = workshop();

  const cancelled = async (test: string) => {
    await rm(join(here.home, 'pid'), { force: true });
    await here.write({
      'discern.toml': config(
        { lint: JSON.stringify(awaits('never')), test: JSON.stringify(test) },
        '[scopes.src]\npaths = ["src/"]\ngate = "true"',
      ),
    });
    await here.write({ 'src/b.txt': 'b\n' });
    const controller = new AbortController();
    const events: VerbEvent[] = [];
    const running = verb('done', here.path, {}, { signal: controller.signal, events });
    await until('the job runs', async () => (await pidIn(here, 'pid')) > 0);
    const pid = await pidIn(here, 'pid');
    assert.equal(runs(pid), true);
    controller.abort();
    return { done: await running, pid, events };
  };

  it('answers cancelled, and nothing of its groups is left', async () => {
    const { done, pid, events } = await cancelled('sleep 600 & echo $! > ../pid; wait');
    assert.equal(done.error, 'cancelled');
    assert.deepEqual(
      done.steps?.map(({ name, outcome }) => [name, outcome]),
      [
        ['lint', 'cancelled'],
        ['test', 'cancelled'],
        ['scope:src', 'skipped'],
      ],
    );
    assert.equal(done.data?.proof?.state, 'none');
    assert.deepEqual(done.diagnostics, []);
    assert.equal(runs(pid), false);
    const finished = events.filter((event) => event.type === 'job_finished');
    assert.deepEqual(
      finished.map((event) => event.done),
      [1, 2, 3],
    );
  });

  it('leaves nothing either of a job that ignores SIGTERM or that opened another group', async () => {
    const stubborn = await cancelled("trap '' TERM; echo $$ > ../pid; while :; do sleep 0.1; done");
    assert.equal(runs(stubborn.pid), false);
    if (process.platform === 'linux') {
      const apart = await cancelled('timeout 600 sh -c "echo \\$\\$ > ../pid; sleep 600; true"');
      assert.equal(runs(apart.pid), false);
    }
  });

  it('gives the checkout free for the next', async () => {
    await cancelled('echo $$ > ../pid; sleep 600; true');
    await here.write({ 'discern.toml': config({ test: '"true"' }) });
    assert.equal((await verb('done', here.path)).ok, true);
  });

  it('runs nothing when it was cancelled before', async () => {
    await here.write({ 'discern.toml': config({ test: JSON.stringify(log('test')) }) });
    const signal = AbortSignal.abort();
    const done = await verb('done', here.path, {}, { signal });
    assert.equal(done.error, 'cancelled');
    assert.deepEqual(await logged(here), []);
  });
});
