import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { VerbEvent } from '../../src/contract/events.ts';
import { failureWords, fractionOf, progressWords } from '../../src/contract/progress-words.ts';
import { toldIn } from '../../src/engine/jobs/progress-line.ts';
import { progressOf } from '../../src/server/progress.ts';

const told = (json: string) => toldIn(`DISCERN_PROGRESS ${json}`);

describe('A DISCERN_PROGRESS line', () => {
  it('tells of units, results, what is being done and failures, whatever stands before it or beside them', () => {
    assert.deepEqual(told('{"units":{"kind":"files","completed":3,"total":8}}'), {
      progress: { kind: 'files', completed: 3, total: 8 },
    });
    assert.deepEqual(toldIn('  worker-3 DISCERN_PROGRESS\t{"results":{"failed":1},"other":{"x":[]}}  '), {
      progress: { failed: 1 },
    });
    assert.deepEqual(told('{"units":{"kind":"files","completed":3,"total":null},"results":{}}'), {
      progress: { kind: 'files', completed: 3 },
    });
    assert.deepEqual(told('{"active":["a.test.ts"],"elapsed_ms":5,"partial":true}'), {
      progress: { active: ['a.test.ts'] },
    });
    assert.deepEqual(told('{"failure":{"name":"a","message":"b","file":"c.ts","line":4,"reproduce":"r"}}'), {
      failure: { name: 'a', message: 'b', file: 'c.ts', line: 4, reproduce: 'r' },
    });
    const long = told(`{"failure":{"name":"a","message":"${'m'.repeat(5000)}"}}`)?.failure?.message ?? '';
    assert.deepEqual([long.length, long.at(-1)], [4097, '…']);
  });

  for (const line of [
    'any text',
    'DISCERN_PROGRESS',
    'DISCERN_PROGRESS no-json',
    'DISCERN_PROGRESS ["array"]',
    'DISCERN_PROGRESS {}',
    'DISCERN_PROGRESS {"other":1}',
    'DISCERN_PROGRESS {"results":{}}',
    'DISCERN_PROGRESS {"units":{"kind":"files"}}',
    'DISCERN_PROGRESS {"units":{"kind":"","completed":1}}',
    'DISCERN_PROGRESS {"units":{"kind":"files","completed":-1,"total":2}}',
    'DISCERN_PROGRESS {"units":{"kind":"files","completed":1.5,"total":2}}',
    'DISCERN_PROGRESS {"units":{"kind":"files","completed":1,"total":2},"results":{"passed":"many"}}',
    'DISCERN_PROGRESS {"active":"a"}',
    'DISCERN_PROGRESS {"active":[1]}',
    `DISCERN_PROGRESS {"active":${JSON.stringify(Array(33).fill('a'))}}`,
    'DISCERN_PROGRESS {"elapsed_ms":-4}',
    'DISCERN_PROGRESS {"failure":{"name":"x"}}',
    'DISCERN_PROGRESS {"failure":{"name":"x","message":"m","line":"12"}}',
    'DISCERN_PROGRESS {"units":{"kind":"files","completed":1,"total":2}} trailing',
    'XDISCERN_PROGRESS {"units":{"kind":"files","completed":1,"total":2}}',
    `DISCERN_PROGRESS {"active":["${'x'.repeat(20_000)}"]}`,
  ]) {
    it(`counts whole or not at all: ${line.slice(0, 80)}`, () => assert.equal(toldIn(line), undefined));
  }

  it('is read back as it was written, and no other text is an error', () => {
    const count = fc.nat();
    fc.assert(
      fc.property(
        count,
        count,
        count,
        fc.string({ minLength: 1, maxLength: 64 }),
        (completed, total, failed, kind) => {
          const line = JSON.stringify({ units: { kind, completed, total }, results: { failed } });
          assert.deepEqual(told(line)?.progress, { kind, completed, total, failed });
        },
      ),
    );
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (text, json) => {
        toldIn(text);
        told(JSON.stringify(json));
      }),
    );
  });

  it('is told in words, and as a fraction where the whole is known', () => {
    assert.equal(
      progressWords({ kind: 'files', completed: 3, total: 8, failed: 2 }),
      '3 of 8 files, 2 failed',
    );
    assert.equal(progressWords({ completed: 3, kind: 'suites' }), '3 suites');
    assert.equal(progressWords({ passed: 4, failed: 0, active: ['a.ts', 'b.ts'] }), 'at a.ts');
    assert.equal(progressWords({}), '');
    assert.equal(failureWords({ name: 'a', message: 'b', file: 'c', line: 2 }), 'a (c:2): b');
    assert.deepEqual(
      [
        { completed: 2, total: 8 },
        { completed: 9, total: 8 },
        { completed: 0, total: 0 },
        { completed: 1 },
      ].map(fractionOf),
      [0.25, 1, undefined, undefined],
    );
  });
});

describe('MCP progress', () => {
  it('grows with what running jobs say, never over what all of them are, and never back', () => {
    const events: VerbEvent[] = [
      { type: 'run_started', root: '/r', verb: 'done', jobs: 2 },
      { type: 'job_started', job: 'a', stage: 'test', output_path: '/o' },
      { type: 'job_progress', job: 'a', stage: 'test', progress: { kind: 'files', completed: 1, total: 4 } },
      { type: 'job_progress', job: 'a', stage: 'test', progress: { kind: 'files', completed: 3, total: 4 } },
      { type: 'job_progress', job: 'b', stage: 'test', progress: { kind: 'files', completed: 1, total: 2 } },
      { type: 'job_progress', job: 'b', stage: 'test', failure: { name: 'n', message: 'm' } },
      { type: 'job_progress', job: 'b', stage: 'test', progress: {} },
      { type: 'job_finished', job: 'a', stage: 'test', outcome: 'passed', duration_ms: 1, done: 1, jobs: 2 },
      { type: 'job_finished', job: 'b', stage: 'test', outcome: 'failed', duration_ms: 1, done: 2, jobs: 2 },
    ];
    const of = progressOf();
    const all = events.flatMap((event) => of(event) ?? []);
    assert.deepEqual(
      all.map(({ progress }) => Math.round(progress * 100) / 100),
      [0, 0, 0.25, 0.75, 1.25, 1.25, 1.5, 2],
    );
    assert.ok(all.every(({ progress }, at) => at === 0 || progress > (all[at - 1]?.progress ?? 0)));
    assert.deepEqual(
      all.slice(2, 6).map(({ message }) => message),
      ['a: 1 of 4 files', 'a: 3 of 4 files', 'b: 1 of 2 files', 'b: n: m'],
    );
  });
});
