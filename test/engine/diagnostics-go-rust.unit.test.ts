import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findings, tempFolder } from './diagnostics-job.ts';

describe('diagnostics of Go and Rust tests', () => {
  describe('Go', () => {
    const failing = `--- FAIL: TestOpen (0.00s)
    open_test.go:12: got 1
        want 2
    --- PASS: TestOpen/fine (0.00s)
        open_test.go:30: a passing test's log
    --- FAIL: TestOpen/empty (0.00s)
        open_test.go:40: 
            	Error Trace:	/repo/store/open_test.go:40
            	Error:      	Not equal
--- FAIL: TestSilent (0.00s)
FAIL
FAIL	example.com/app/store	0.003s
ok  	example.com/app/other	0.002s
`;

    it('reads failing tests and not what passing ones log', async () => {
      assert.deepEqual(await findings(failing), [
        'error go open_test.go:12 TestOpen: got 1 want 2',
        'error go open_test.go:40 TestOpen/empty: Error Trace: /repo/store/open_test.go:40 Error: Not equal',
        'error go TestSilent failed',
      ]);
    });

    it("places a test's file in the directory of its package, which go.mod tells", async () => {
      const root = await tempFolder();
      try {
        await writeFile(join(root, 'go.mod'), '// a comment\nmodule example.com/app\n\ngo 1.22\n');
        await mkdir(join(root, 'store'));
        await writeFile(join(root, 'store', 'open_test.go'), '');
        assert.equal(
          (await findings(failing, root))[0],
          'error go store/open_test.go:12 TestOpen: got 1 want 2',
        );
      } finally {
        await rm(root, { recursive: true });
      }
    });

    it('reads verbose runs, where the log comes before the verdict', async () => {
      assert.deepEqual(
        await findings(`=== RUN   TestParent
=== RUN   TestParent/child
    a_test.go:5: child broke
=== RUN   TestFine
    a_test.go:9: only a log
--- PASS: TestFine (0.00s)
--- FAIL: TestParent (0.00s)
    --- FAIL: TestParent/child (0.00s)
FAIL
`),
        ['error go a_test.go:5 TestParent/child: child broke'],
      );
    });

    it('reads a panic at the first frame that is neither Go nor a module', async () => {
      assert.deepEqual(
        await findings(`panic: runtime error: index out of range [5] with length 3 [recovered]
	panic: runtime error: index out of range [5] with length 3

goroutine 7 [running]:
testing.tRunner.func1.2({0x1, 0x2})
	/usr/local/go/src/testing/testing.go:1545 +0x238
example.com/app.pick(...)
	{root}/pick.go:8
example.com/app.TestPick(0x0?)
	{root}/pick_test.go:6 +0x1d
FAIL	example.com/app	0.005s
`),
        ['error go pick.go:8 panic: runtime error: index out of range [5] with length 3'],
      );
    });
  });

  describe('cargo', () => {
    it('reads panics of either format, at the own frame of a backtrace', async () => {
      assert.deepEqual(
        await findings(`running 3 tests
test tests::ok ... ok
test tests::bad ... FAILED

---- tests::bad stdout ----

thread 'tests::bad' (5290) panicked at src/lib.rs:4:21:
assertion \`left == right\` failed
  left: 2
 right: 3
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace

thread 'tests::old' panicked at 'called \`unwrap()\` on a \`None\` value', src/old.rs:7:10
thread 'tests::deep' panicked at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/x.rs:1:2:
overflow
stack backtrace:
   0: core::panicking::panic_fmt
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panicking.rs:80:14
   1: app::deep
             at ./src/deep.rs:11:5

error: test failed, to rerun pass \`--lib\`
`),
        [
          'error cargo src/lib.rs:4:21 tests::bad: assertion `left == right` failed left: 2 right: 3',
          'error cargo src/old.rs:7:10 tests::old: called `unwrap()` on a `None` value',
          'error cargo src/deep.rs:11:5 tests::deep: overflow',
        ],
      );
    });
  });
});
