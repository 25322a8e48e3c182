import assert from 'node:assert/strict';
import type { VerbEvent } from '../../src/contract/events.ts';
import { cli } from '../support/cli.ts';
import { verb } from '../support/engine.ts';
import { workshop } from '../support/workshop.ts';

const units = (completed: number, total = 4) =>
  `DISCERN_PROGRESS {"units":{"kind":"suites","completed":${completed},"total":${total}}}`;
const failure =
  'DISCERN_PROGRESS {"failure":{"name":"adds","message":"expected 2","file":"src/a.txt","line":1}}';

describe('A job that says how far it is', () => {
  const here = workshop({
    config: `[jobs]
test = '''
echo '${units(1)}'; sleep 0.4
echo '${units(2)}' >&2; echo '${failure}'; echo '${failure}'
i=0; while [ $i -lt 20000 ]; do echo "a line of noise that nobody reads $i"; i=$((i+1)); done
printf '%s' 'DISCERN_PROGRESS {"units":{"ki'; sleep 0.4; echo 'nd":"suites","completed":3,"total":4}}'
echo '${units(4)}'
'''

[jobs.quick]
stage = "check"
run = '''echo '${units(7, 7)}' '''

[standards.read]
direction = "down"
limit = 9
producer = "jobs.test"
extract = "grep -q suites && echo DISCERN_METRIC read 1"
`,
  });

  it('is followed while it runs, whichever stream it prints on and whoever reads it; each failure is told once', async () => {
    const events: VerbEvent[] = [];
    const answer = await verb('done', here.path, {}, { events });
    assert.equal(answer.ok, true, answer.message);
    const of = (job: string) =>
      events.flatMap((event) => (event.type === 'job_progress' && event.job === job ? [event] : []));
    const counts = of('test').flatMap(({ progress }) => progress?.completed ?? []);
    assert.deepEqual(
      counts,
      [...new Set(counts)].sort((a, b) => a - b),
      'never twice, never back',
    );
    assert.ok(counts.includes(1) && counts.at(-1) === 4, counts.join());
    assert.deepEqual(
      of('test').flatMap(({ failure: one }) => one ?? []),
      [{ name: 'adds', message: 'expected 2', file: 'src/a.txt', line: 1 }],
    );
    assert.deepEqual(
      of('quick').map(({ progress }) => progress),
      [{ kind: 'suites', completed: 7, total: 7 }],
      'also one that ends at once',
    );
    const order = events.filter((event) => 'job' in event && event.job === 'quick').map(({ type }) => type);
    assert.deepEqual(order, ['job_started', 'job_progress', 'job_finished']);
  });

  it('is followed at a terminal, in a line now and then where that is no screen', async () => {
    const { stderr } = await cli(['done'], { cwd: here.path });
    assert.match(stderr, /test: \d of 4 suites/);
    assert.match(stderr, /quick: 7 of 7 suites/);
    assert.match(stderr, /test: adds \(src\/a\.txt:1\): expected 2/);
  });

  it('and says it a hundred thousand times is told of a bounded number of times, the last one included', async () => {
    const flood = `i=1; while [ $i -le 100000 ]; do echo 'DISCERN_PROGRESS {"units":{"kind":"suites","completed":'$i',"total":100000}}'; i=$((i+1)); done`;
    await here.project.commit({ 'discern.toml': `[jobs]\ntest = '''${flood}'''\n` }, here.path);
    const events: VerbEvent[] = [];
    const answer = await verb('test', here.path, {}, { events });
    assert.equal(answer.ok, true, answer.message);
    const told = events.flatMap((event) => (event.type === 'job_progress' ? (event.progress ?? []) : []));
    assert.equal(told.at(-1)?.completed, 100_000);
    const seconds = (answer.steps?.[0]?.duration_ms ?? 0) / 1000;
    assert.ok(told.length <= 20 + 20 * seconds, `${told.length} in ${seconds} s`);
    assert.equal(answer.steps?.[0]?.output_lines, 100_000);
  });
});
