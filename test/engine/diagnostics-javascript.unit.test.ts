import assert from 'node:assert/strict';
import { findings } from './diagnostics-job.ts';

describe('diagnostics of JavaScript programs', () => {
  describe('JavaScript stacks', () => {
    it("reads mocha's failures with the path of suites", async () => {
      assert.deepEqual(
        await findings(`
  calc
    ✔ adds
    1) subs

  1 passing (5ms)
  2 failing

  1) calc
       deep
         subs:

      AssertionError [ERR_ASSERTION]: 1 == 2
      + expected - actual

      -1
      +2
      
      at check (node_modules/assert-plus/index.js:3:3)
      at Context.<anonymous> (test/m.js:2:89)
      at process.processImmediate (node:internal/timers:483:21)

  2) "before all" hook in "calc":
     Error: no database
      at async Context.<anonymous> (file://{root}/test/a%20b.js:7:9)
`),
        [
          'error node test/m.js:2:89 calc deep subs: AssertionError [ERR_ASSERTION]: 1 == 2',
          'error node test/a b.js:7:9 "before all" hook in "calc": Error: no database',
        ],
      );
    });

    it("reads node's spec reporter once a failure, leaving out what is to do", async () => {
      const report = `✖ fails here (1.404787ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  
  1 !== 2
  
      at TestContext.<anonymous> ({root}/a.test.js:3:35)
      at Test.run (node:internal/test_runner/test:796:25) {
    generatedMessage: true,
    code: 'ERR_ASSERTION'
  }

✖ later (0.2ms) # TODO
  Error: not yet
      at TestContext.<anonymous> ({root}/a.test.js:9:1)

`;
      assert.deepEqual(
        await findings(`${report}\nℹ fail 1\n\n✖ failing tests:\n\ntest at a.test.js:3:1\n${report}`),
        [
          'error node a.test.js:3:35 fails here: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 1 !== 2',
        ],
      );
    });

    it('reads jest and vitest', async () => {
      assert.deepEqual(
        await findings(`FAIL src/sum.test.js
  ● adds › two numbers

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      1 | test('x', () => {
    > 2 |   expect(1+2).toBe(4);
        |               ^

      at Object.toBe (src/sum.test.js:2:15)
      at new Promise (<anonymous>)

 FAIL  src/sub.test.ts > subs > two
AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ src/sub.test.ts:5:20
      3|   it('two', () => {
`),
        [
          'error node src/sum.test.js:2:15 adds › two numbers: expect(received).toBe(expected) // Object.is equality',
          'error node src/sub.test.ts:5:20 src/sub.test.ts > subs > two: AssertionError: expected 3 to be 4 // Object.is equality',
        ],
      );
    });

    it('reads an uncaught error, and a syntax error at the line node names above it', async () => {
      assert.deepEqual(
        await findings(`{root}/c.js:1
function f(){ throw new TypeError("nope") } f()
              ^

TypeError: nope
    at f ({root}/c.js:1:21)
    at Module._compile (node:internal/modules/cjs/loader:1521:14) {
  [cause]: Error: inner
      at g ({root}/d.js:2:2)
}

{root}/s.js:2



SyntaxError: Unexpected end of input
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)

Node.js v20.20.2
`),
        ['error node c.js:1:21 TypeError: nope', 'error node s.js:2 SyntaxError: Unexpected end of input'],
      );
    });

    it('names no file where every frame is the runtime or a dependency of a missing module', async () => {
      assert.deepEqual(
        await findings(`node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module './missing'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at [eval]:1:1
`),
        ["error node Error: Cannot find module './missing'"],
      );
    });
  });
});
