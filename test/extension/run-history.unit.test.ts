import assert from 'node:assert/strict';
import { RunHistory } from '../../src/extension/run-history.ts';
import { job, run } from '../webview/samples.ts';

describe('The history of runs', () => {
  it('says what ran, what was reused, and how long it usually takes', () => {
    const history = new RunHistory();
    history.add(run({ call: 1, elapsed: 1000 }));
    history.add(run({ call: 2, elapsed: 90_000, ok: false, error: 'cancelled' }));
    history.add(run({ call: 3, elapsed: 3000, verb: 'test' }));
    const jobs = [job('a'), job('b', { reused: 'reused from abc' }), job('c', { state: 'skipped' })];
    history.add(run({ call: 4, elapsed: 2000, jobs }));
    const [last, test, cancelled, first] = history.list;
    assert.deepEqual([last?.ran, last?.reused, last?.usual, last?.ok], [1, 1, 1000, true]);
    assert.equal(test?.usual, undefined, 'of another verb nothing is known');
    assert.equal(cancelled?.ok, false);
    assert.equal(first?.usual, undefined);
    assert.equal(history.run(4)?.jobs.length, 3);
  });

  it('keeps ten, and takes the median of the ten before', () => {
    const history = new RunHistory();
    for (let call = 1; call <= 12; call++) history.add(run({ call, elapsed: call * 1000 }));
    assert.equal(history.list.length, 10);
    assert.equal(history.list[0]?.usual, 7000);
    assert.equal(history.run(2), undefined);
    assert.ok(history.run(3));
  });
});
