import assert from 'node:assert/strict';
import { findings } from './diagnostics-job.ts';

describe('diagnostics of TAP producers', () => {
  describe('TAP', () => {
    it("reads node's own, nested, at the line of the assertion", async () => {
      assert.deepEqual(
        await findings(`TAP version 13
# src/log.c:1:2: error: printed by a test
# Subtest: fails here
not ok 1 - fails here
  ---
  duration_ms: 1.529954
  location: '{root}/test/a.test.js:3:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    
    1 !== 2
    
  code: 'ERR_ASSERTION'
  stack: |-
    TestContext.<anonymous> (file://{root}/test/a.test.js:4:12)
    Test.runInAsyncScope (node:async_hooks:206:9)
  ...
# Subtest: suite
    # Subtest: inner fails
    not ok 1 - inner fails
      ---
      location: '{root}/test/a.test.js:8:27'
      failureType: 'testCodeFailure'
      error: 'boom: it''s \\\\broken'
      stack: |-
        helper ({root}/test/helper.js:5:9)
        async Promise.all (index 0)
      ...
    ok 2 - skip # SKIP
      ---
      duration_ms: 0.2
      ...
    1..2
not ok 2 - suite
  ---
  type: 'suite'
  location: '{root}/test/a.test.js:7:1'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
not ok 3 - later # TODO not yet
  ---
  location: '{root}/test/a.test.js:20:1'
  ...
not ok 4 - elsewhere # SKIP
1..4
# fail 2
`),
        [
          'error tap test/a.test.js:4:12 fails here: Expected values to be strictly equal: 1 !== 2',
          "error tap test/a.test.js:8:27 inner fails: boom: it's \\broken",
        ],
      );
    });

    it("reads node-tap's and tape's ways of naming a place", async () => {
      assert.deepEqual(
        await findings(`TAP version 14
not ok 1 - should be equal
  ---
  at:
    line: 12
    column: 5
    file: test/one.js
  message: "expected 1"
  ...
not ok 2 should be equivalent
  ---
    operator: deepEqual
    expected: 3
    actual:   4
    at: Test.<anonymous> ({root}/test/two.js:6:7)
  ...
not ok 3 - reported by prove
  ---
  message: 'no'
  file: t/three.t
  line: 9
  ...
not ok 4
ok 5 - fine
not ok 6 - \\# is escaped
Bail out! the database is down
`),
        [
          'error tap test/one.js:12:5 should be equal: expected 1',
          'error tap test/two.js:6:7 should be equivalent',
          'error tap t/three.t:9 reported by prove: no',
          'error tap A test without a name failed',
          'error tap # is escaped',
          'error tap Bail out! the database is down',
        ],
      );
    });

    it("reads mocha's, which has a stack instead of a block", async () => {
      assert.deepEqual(
        await findings(`ok 1 calc adds
not ok 2 calc subs
  1 == 2
  AssertionError [ERR_ASSERTION]: 1 == 2
      at Context.<anonymous> (test/m.js:2:89)
      at process.processImmediate (node:internal/timers:483:21)
not ok 3 calc throws
  boom
  Error: boom
      at {root}/node_modules/lib/index.js:1:1
      at Context.<anonymous> (test/m.js:7:3)
# tests 3
1..3
`),
        ['error tap test/m.js:2:89 calc subs: 1 == 2', 'error tap test/m.js:7:3 calc throws: boom'],
      );
    });

    it('keeps what a broken-off block told', async () => {
      assert.deepEqual(await findings("not ok 1 - a\n  ---\n  location: 'a.js:1:2'\n  error: 'x"), [
        "error tap a.js:1:2 a: 'x",
      ]);
    });
  });
});
