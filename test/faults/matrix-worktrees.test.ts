import assert from 'node:assert/strict';
import { pointsElsewhere, pointsOf } from '../support/fault-points.ts';
import { faultPoints } from '../support/invariants.ts';
import { describeFaults } from '../support/matrix.ts';

describeFaults('start', 'update', 'drop', 'prune');

describe('The fault matrix as a whole', () => {
  it('has every point there is in the source', () => {
    const elsewhere = Object.values(pointsElsewhere);
    const own = faultPoints().filter((point) => !elsewhere.some((pattern) => pattern.test(point)));
    assert.deepEqual([...new Set<string>(Object.values(pointsOf).flat())].sort(), own);
  });
});
