import assert from 'node:assert/strict';
import fc from 'fast-check';
import { outcomes } from '../../src/contract/envelope.ts';
import type { GateJob, GateViewState } from '../../src/contract/gate-view.ts';
import { announcements } from '../../src/webview/model/announce.ts';
import { readMemory, stateToKeep } from '../../src/webview/model/memory.ts';
import { duration, elapsed, spoken } from '../../src/webview/model/time.ts';
import { finding, job, ongoing, run, running, state } from './samples.ts';

describe('What a screen reader says', () => {
  it('is that a run began, each job that ended, and the verdict', () => {
    const idle = state();
    const begun = state(ongoing({ jobs: [running('lint'), running('unit')] }));
    const half = state(ongoing({ jobs: [job('lint'), running('unit')] }));
    const over = state(
      run({
        ok: false,
        error: 'gate_failed',
        message: 'One job failed.',
        elapsed: 4200,
        jobs: [job('lint'), job('unit', { state: 'failed' })],
        diagnostics: [finding(), finding()],
      }),
    );
    assert.deepEqual(announcements(idle, begun), ['Done started in add-b.']);
    assert.deepEqual(announcements(begun, half), ['lint passed.']);
    assert.deepEqual(announcements(half, over), [
      'unit failed.',
      'Done failed after 4.2 seconds. 2 errors. One job failed.',
    ]);
    assert.deepEqual(announcements(over, over), []);
  });

  it('is nothing of what was so already when the view opened', () => {
    assert.deepEqual(announcements(undefined, state(run({ jobs: [job('lint')] }))), []);
  });

  it('is what a run waits for, once', () => {
    const waiting = state(ongoing({ waiting: 'Another gate runs here.' }));
    assert.deepEqual(announcements(state(ongoing()), waiting), ['Another gate runs here.']);
    assert.deepEqual(announcements(waiting, waiting), []);
  });

  it('is short when many jobs end at once', () => {
    const jobs = Array.from({ length: 9 }, (_, index) => job(`case-${index}`));
    const said = announcements(state(ongoing()), state(ongoing({ jobs })));
    assert.equal(said.length, 5);
    assert.equal(said.at(-1), '5 more jobs ended.');
  });

  it('names no job twice in one run, in whatever pieces the news comes', () => {
    const names = ['a', 'b', 'c', 'd'];
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 3 }), { maxLength: 12 }),
        fc.constantFrom(...outcomes),
        (order, outcome) => {
          let jobs: GateJob[] = names.map((name) => running(name));
          let before: GateViewState = state(ongoing({ jobs }));
          const said: string[] = [];
          for (const index of order) {
            jobs = jobs.map((one, at) => (at === index ? { ...one, state: outcome, end: 5 } : one));
            const after = state(ongoing({ jobs }));
            said.push(...announcements(before, after));
            before = after;
          }
          assert.equal(said.length, new Set(order).size);
          assert.equal(new Set(said).size, said.length);
        },
      ),
    );
  });
});

describe('Times in words', () => {
  it('are as exact as a person cares for', () => {
    assert.deepEqual([0, 229.6, 4149, 59_949, 59_950, 3_723_000].map(duration), [
      '0 ms',
      '230 ms',
      '4.1 s',
      '59.9 s',
      '1m 00s',
      '1h 02m',
    ]);
    assert.deepEqual([999, 59_999, 60_000, 119_999].map(elapsed), ['0 s', '59 s', '1m 00s', '1m 59s']);
    assert.deepEqual([1, 1000, 61_000, 7_260_000].map(spoken), [
      '1 millisecond',
      '1 second',
      '1 minute 1 second',
      '2 hours 1 minute',
    ]);
  });
});

describe('The memory of a hidden view', () => {
  it('is read back as it was written, and nothing else is', () => {
    const memory = {
      version: 3,
      state: state(run()),
      received: 5,
      open: ['test/unit'],
      closed: ['Hints'],
      scroll: 40,
    };
    assert.deepEqual(readMemory(JSON.parse(JSON.stringify(memory))), memory);
    for (const other of [undefined, null, 7, 'x', {}, { ...memory, version: 1 }])
      assert.equal(readMemory(other), undefined);
  });

  it('keeps every finding, without the output it carries', () => {
    const kept = stateToKeep(state(run({ diagnostics: [finding({ output: 'x'.repeat(4096) }), finding()] })));
    assert.deepEqual(kept.run?.diagnostics, [finding(), finding()]);
    assert.deepEqual(stateToKeep(state()), state());
  });
});
