import assert from 'node:assert/strict';
import fc from 'fast-check';
import { frameMs, spanOf, tickLabel, ticks } from '../../src/webview/model/axis.ts';
import { elapsedAt } from '../../src/webview/model/run.ts';
import { job, ongoing, run, running } from './samples.ts';

describe('The time axis', () => {
  it('reaches from the beginning of the run to now', () => {
    assert.equal(spanOf(ongoing({ jobs: [running('a', 200)] }), 4200), 4200);
    assert.equal(spanOf(run({ jobs: [job('a', { end: 12_000 })] }), 10_000), 12_000, 'and holds every bar');
  });

  it('leaves room for the first bars of a run that has only begun, and none when it was quick', () => {
    assert.equal(spanOf(ongoing(), 30), 1000);
    assert.equal(spanOf(run({ jobs: [job('a', { end: 30 })] }), 40), 40);
    assert.equal(spanOf(run(), 0), 1, 'and is never empty');
  });

  it('goes on from what the extension said last while the run lasts, and stands still after it', () => {
    assert.equal(elapsedAt(ongoing({ elapsed: 5000 }), 1_000_000, 1_002_500), 7500);
    assert.equal(
      elapsedAt(ongoing({ elapsed: 5000 }), 1_000_000, 900_000),
      5000,
      'a clock put back is no help',
    );
    assert.equal(elapsedAt(run({ elapsed: 5000 }), 1_000_000, 1_002_500), 5000);
  });

  it('has marks at round times', () => {
    const labels = (span: number, most: number) => ticks(span, most).map(({ label }) => label);
    assert.deepEqual(labels(12_345, 3), ['0', '5 s', '10 s']);
    assert.deepEqual(labels(12_345, 2), ['0', '10 s']);
    assert.deepEqual(labels(700, 4), ['0', '200 ms', '400 ms', '600 ms']);
    assert.deepEqual(labels(65_000, 5), ['0', '15 s', '30 s', '45 s', '1m']);
    assert.deepEqual(labels(4 * 3_600_000, 3), ['0', '2h', '4h']);
  });

  it('has marks that are in order, evenly spaced, on the axis, and no more than there is room for', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1e10, noNaN: true }),
        fc.integer({ min: 1, max: 12 }),
        (span, most) => {
          const marks = ticks(span, most);
          assert.ok(marks.length >= 1 && marks.length <= most, `${marks.length} of ${most}`);
          assert.equal(marks[0]?.at, 0);
          const step = marks[1]?.ms ?? 0;
          for (const [index, { ms, at }] of marks.entries()) {
            assert.equal(ms, index * step);
            assert.ok(at >= 0 && at <= 1);
            assert.ok(Math.abs(at * span - ms) < 1e-6 * span);
          }
        },
      ),
    );
  });

  it('labels no two marks alike', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 5, max: 1e9, noNaN: true }),
        fc.integer({ min: 2, max: 12 }),
        (span, most) => {
          const labels = ticks(span, most).map(({ label }) => label);
          assert.equal(new Set(labels).size, labels.length, labels.join(' '));
        },
      ),
    );
    assert.equal(tickLabel(90_000), '1:30');
    assert.equal(tickLabel(5_400_000), '1h 30');
  });

  it('is drawn less often the slower it moves', () => {
    assert.equal(frameMs(1000), 66);
    assert.equal(frameMs(100_000), 200);
    assert.equal(frameMs(3_600_000), 500);
  });
});
