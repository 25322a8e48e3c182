import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StandardResult } from '../../src/contract/data.ts';
import {
  chartHeight,
  chartOf,
  chartWidth,
  standardRows,
  standardsSummary,
} from '../../src/webview/model/standards.ts';

const standard = (over: Partial<StandardResult> = {}): StandardResult => ({
  name: 'coverage',
  state: 'held',
  direction: 'up',
  limit: 89,
  value: 91.4,
  ...over,
});

describe('A standard in the Gate view', () => {
  const rows: [over: Partial<StandardResult>, mark: string, value: string, bound: string][] = [
    [{}, 'passed', 'holds: 91.4', 'floor 89'],
    [{ pin: 91.4 }, 'passed', 'holds: 91.4', 'floor 89; could be pinned at 91.4'],
    [{ state: 'regressed', value: 88.123456 }, 'failed', 'got worse: 88.1235', 'floor 89'],
    [
      { direction: 'down', limit: 16, value: 0.00123456, per: '1000 words in docs/**' },
      'passed',
      'holds: 0.001235',
      'ceiling 16 per 1000 words in docs/**',
    ],
    [{ replayed_from: '0123456789abcdef' }, 'passed', 'holds: 91.4, as on 0123456789', 'floor 89'],
    [{ state: 'loosened', limit: 80, trunk_limit: 89 }, 'failed', 'looser than the trunk’s 89', 'floor 80'],
    [{ state: 'unmeasured' }, 'failed', 'gave no number', 'floor 89'],
    [{ state: 'deferred' }, 'skipped', 'measured on demand only', 'floor 89'],
    [{ state: 'skipped' }, 'skipped', 'not measured', 'floor 89'],
  ];
  for (const [over, mark, value, bound] of rows) {
    it(`says "${value}", "${bound}"`, () => {
      const [row] = standardRows([standard(over)]);
      assert.deepEqual([row?.mark, row?.value, row?.bound], [mark, value, bound]);
      assert.ok(row?.label.startsWith(`coverage ${value}, ${bound}.`), row?.label);
    });
  }

  it('that the branch deleted says what the trunk has', () => {
    const { limit: _limit, value: _value, ...rest } = standard({ state: 'loosened', trunk_limit: 89 });
    const [row] = standardRows([rest]);
    assert.deepEqual(
      [row?.value, row?.bound, row?.chart],
      ['gone here; the trunk has 89', 'floor 89', undefined],
    );
  });

  it('tells a screen reader the values its chart draws', () => {
    const [row] = standardRows([standard({ history: [88, 90.5, 91.4] })]);
    assert.match(row?.label ?? '', / Earlier: 88, 90\.5\.$/);
    assert.equal(row?.chart?.points.split(' ').length, 3);
  });

  it('counts in the summary only when it failed', () => {
    assert.equal(standardsSummary(standardRows([standard()])), '');
    assert.equal(
      standardsSummary(standardRows([standard(), standard({ state: 'regressed' })])),
      '1 of 2 failed',
    );
  });
});

describe('The chart of a history', () => {
  it('goes from left to right, upwards being more, the limit on the same scale', () => {
    assert.deepEqual(chartOf([1, 3, 2], 2), { points: '2,18 50,2 98,10', last: { x: 98, y: 10 }, limit: 10 });
  });

  it('puts one value at the right, and what is all the same into the middle', () => {
    assert.deepEqual(chartOf([5], 5), { points: '98,10', last: { x: 98, y: 10 }, limit: 10 });
    assert.deepEqual(chartOf([5, 5], undefined), { points: '2,10 98,10', last: { x: 98, y: 10 } });
    assert.equal(chartOf([], 5), undefined);
  });

  it('stays within its box for any values', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 });
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 1, maxLength: 20 }),
        fc.option(number, { nil: undefined }),
        (values, limit) => {
          const chart = chartOf(values, limit);
          const points = (chart?.points ?? '').split(' ').map((point) => point.split(',').map(Number));
          assert.equal(points.length, values.length);
          for (const [x = -1, y = -1] of points) {
            assert.ok(x >= 0 && x <= chartWidth && y >= 0 && y <= chartHeight, chart?.points);
          }
        },
      ),
    );
  });
});
