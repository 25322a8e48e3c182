import assert from 'node:assert/strict';
import fc from 'fast-check';
import { outcomes } from '../../src/contract/envelope.ts';
import { barOf, ending, jobLabel, tookMs } from '../../src/webview/model/bars.ts';
import { job, running } from './samples.ts';

describe('The bar of a job', () => {
  it('lies where the job ran, with its duration at the end', () => {
    assert.deepEqual(barOf(job('a', { start: 2000, end: 6000 }), 10_000, 10_000), {
      left: 0.2,
      width: 0.6 - 0.2,
      label: '4.0 s',
    });
  });

  it('grows up to now while the job runs', () => {
    const early = barOf(running('a', 5000), 6000, 6000);
    const late = barOf(running('a', 5000), 10_000, 10_000);
    assert.deepEqual(early, { left: 5 / 6, width: 1 - 5 / 6, label: '1 s' });
    assert.deepEqual(late, { left: 0.5, width: 0.5, label: '5 s' });
  });

  it('says of a job that was not run that it was skipped, and shows no time', () => {
    const bar = barOf(job('a', { state: 'skipped', start: 3000, end: 3000 }), 6000, 6000);
    assert.deepEqual(bar, { left: 0.5, width: 0, label: 'skipped' });
  });

  it('never leaves the axis, whatever the times are', () => {
    const time = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(
        fc.constantFrom(...outcomes, 'running' as const),
        time,
        fc.option(time, { nil: undefined }),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.double({ min: 1, max: 1e9, noNaN: true }),
        (state, start, end, now, span) => {
          const { left, width } = barOf(
            { name: 'a', stage: 'test', state, start, ...(end === undefined ? {} : { end }) },
            now,
            span,
          );
          assert.ok(left >= 0 && left <= 1 && width >= 0 && left + width <= 1 + 1e-12);
        },
      ),
    );
  });

  it('takes no time of a job that ended before it began, or has no end', () => {
    assert.equal(tookMs(job('a', { start: 5000, end: 4000 }), 9000), 0);
    const { end: _, ...endless } = job('a', { start: 5000 });
    assert.equal(tookMs(endless, 9000), 0);
  });
});

describe('The words for a job', () => {
  it('name it, its stage, how it stands and its time', () => {
    assert.equal(jobLabel(job('unit')), 'unit, test stage, passed after 1 second');
    assert.equal(
      jobLabel(job('unit', { state: 'failed', end: 65_000, exit_code: 2 })),
      'unit, test stage, failed after 1 minute 5 seconds, exit code 2',
    );
    assert.equal(
      jobLabel(job('unit', { state: 'timed_out', end: 320 })),
      'unit, test stage, timed out after 320 milliseconds',
    );
    assert.equal(jobLabel(job('unit', { state: 'skipped' })), 'unit, test stage, skipped');
  });

  it('stay the same while it runs', () => {
    assert.equal(jobLabel(running('unit')), 'unit, test stage, running');
  });

  it('tell above its output what the row does not', () => {
    assert.equal(
      ending(job('a', { state: 'failed', exit_code: 1, output_lines: 240 })),
      'exit code 1, 240 lines',
    );
    assert.equal(ending(job('a', { exit_code: 0, output_lines: 1 })), '1 line');
    assert.equal(ending(job('a', { state: 'cancelled' })), 'cancelled');
    assert.equal(ending(running('a')), '');
  });
});
