import assert from 'node:assert/strict';
import { pastRow } from '../../src/webview/model/history.ts';

const past = {
  call: 3,
  verb: 'done',
  root: '/work/app.worktrees/add-b',
  ok: true,
  ended: 0,
  elapsed: 2000,
  ran: 3,
  reused: 0,
};

describe('A line of the history', () => {
  it('says what ran, what was reused, and how long it took against the runs before', () => {
    assert.equal(pastRow(past).what, 'Done passed in add-b');
    assert.match(pastRow(past).jobs, /^3 ran · \d/);
    assert.match(pastRow({ ...past, reused: 2 }).jobs, /^3 ran, 2 reused · /);
    assert.equal(pastRow(past).time, '2.0 s');
    assert.equal(pastRow({ ...past, usual: 2100 }).time, '2.0 s, as usual');
    assert.equal(pastRow({ ...past, usual: 4000 }).time, '2.0 s, usually 4.0 s');
    assert.match(
      pastRow({ ...past, ok: false, reused: 1 }).label,
      /^Done failed in add-b, 3 jobs ran, 1 reused, /,
    );
  });
});
