import assert from 'node:assert/strict';
import type { Log, Result } from 'sarif';
import { findings } from './diagnostics-job.ts';

function sarifLog(results: Result[], more: Partial<Log['runs'][number]> = {}): Log {
  return {
    version: '2.1.0',
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    runs: [{ tool: { driver: { name: 'semgrep' } }, results, ...more }],
  };
}

function at(uri: string, startLine?: number, startColumn?: number, uriBaseId?: string): Result['locations'] {
  return [
    {
      physicalLocation: {
        artifactLocation: { uri, ...(uriBaseId === undefined ? {} : { uriBaseId }) },
        ...(startLine === undefined ? {} : { region: { startLine, startColumn } }),
      },
    },
  ];
}

describe('diagnostics in documents', () => {
  describe('SARIF', () => {
    it('reads several runs under the names of their tools', async () => {
      const log = sarifLog([
        {
          ruleId: 'no-eval',
          level: 'error',
          message: { text: 'eval\nis evil' },
          locations: at('src/a.js', 3, 7),
        },
        { ruleId: 'style', level: 'note', message: { text: 'a note' }, locations: at('src/a.js', 4) },
      ]);
      log.runs.push({
        tool: { driver: { name: 'CodeQL' } },
        results: [{ message: { text: 'by default a warning' }, locations: at('b.js') }],
      });
      assert.deepEqual(await findings(JSON.stringify(log, null, 2)), [
        'error semgrep src/a.js:3:7 [no-eval] eval is evil',
        'warning CodeQL b.js by default a warning',
        'info semgrep src/a.js:4 [style] a note',
      ]);
    });

    it('takes level, message and name from the rule where the result has none', async () => {
      const log = sarifLog(
        [
          { ruleIndex: 1, message: { id: 'default', arguments: ['x', 'y'] }, locations: at('a.c', 1) },
          { ruleId: 'R0', message: { id: 'global', arguments: ['z'] }, locations: at('a.c', 2) },
          {
            rule: { index: 0, toolComponent: { index: 0 } },
            message: { text: 'from an extension' },
            locations: at('a.c', 3),
          },
        ],
        {
          tool: {
            driver: {
              name: 'cppcheck',
              globalMessageStrings: { global: { text: 'global {0} {1}' } },
              rules: [
                { id: 'R0', defaultConfiguration: { level: 'error' } },
                {
                  id: 'R1',
                  defaultConfiguration: { level: 'error' },
                  messageStrings: { default: { text: '{0} against {1}' } },
                },
              ],
            },
            extensions: [{ name: 'extra', rules: [{ id: 'X0', defaultConfiguration: { level: 'error' } }] }],
          },
        },
      );
      assert.deepEqual(await findings(JSON.stringify(log)), [
        'error cppcheck a.c:1 [R1] x against y',
        'error cppcheck a.c:2 [R0] global z {1}',
        'error cppcheck a.c:3 [X0] from an extension',
      ]);
    });

    it('resolves file URIs, base ids and artifact indexes, percent-encoding undone', async () => {
      const results = [
        at('file://{root}/src/a%20b.ts', 1),
        at('lib/%C3%A9.ts', 2, undefined, 'SRC'),
        at('c.ts', 3, undefined, 'NESTED'),
        at('d.ts', 4, undefined, '%SRCROOT%'),
        at('file:///elsewhere/e.ts', 5),
        at('https://example.com/f.ts', 6),
        [{ physicalLocation: { artifactLocation: { index: 0 }, region: { startLine: 7 } } }],
      ].map((locations): Result => ({ level: 'error', message: { text: 'x' }, locations: locations ?? [] }));
      const log = sarifLog(results, {
        originalUriBaseIds: {
          SRC: { uri: 'file://{root}/' },
          NESTED: { uri: 'packages/one', uriBaseId: 'SRC' },
        },
        artifacts: [{ location: { uri: 'g.ts' } }],
      });
      assert.deepEqual(await findings(JSON.stringify(log)), [
        'error semgrep src/a b.ts:1 x',
        'error semgrep lib/é.ts:2 x',
        'error semgrep packages/one/c.ts:3 x',
        'error semgrep d.ts:4 x',
        'error semgrep /elsewhere/e.ts:5 x',
        'error semgrep https://example.com/f.ts:6 x',
        'error semgrep g.ts:7 x',
      ]);
    });

    it('leaves out what passed, is suppressed, switched off or gone, and tells when the tool itself failed', async () => {
      const message = { text: 'x' };
      const log = sarifLog(
        [
          { kind: 'pass', message },
          { level: 'none', message },
          { level: 'error', message, suppressions: [{ kind: 'inSource' }] },
          { level: 'error', message, baselineState: 'absent' },
          {
            level: 'error',
            message: { text: 'rejected' },
            suppressions: [{ kind: 'external', status: 'rejected' }],
          },
        ],
        {
          invocations: [
            {
              executionSuccessful: false,
              toolExecutionNotifications: [
                { level: 'error', message: { text: 'out of memory' }, descriptor: { id: 'OOM' } },
                { level: 'note', message: { text: 'took 3 s' } },
              ],
            },
          ],
        },
      );
      assert.deepEqual(await findings(JSON.stringify(log)), [
        'error semgrep rejected',
        'error semgrep [OOM] out of memory',
      ]);
    });

    it('finds documents in the midst of other output, and prefers them to it', async () => {
      const one = sarifLog([
        { level: 'error', message: { text: 'a "quoted" } brace' }, locations: at('a.ts', 1) },
      ]);
      const two = sarifLog([{ level: 'error', message: { text: 'two' }, locations: at('b.ts', 2) }]);
      const printed = [
        'scanning { "version": 1, broken',
        JSON.stringify(one, null, 2),
        'src/x.ts(1,2): error TS1: found again by another reporter',
        `done ${JSON.stringify(two)} in 3 s`,
        '{"version":"2.1.0","runs":[{"tool"',
      ].join('\n');
      assert.deepEqual(await findings(printed), [
        'error semgrep a.ts:1 a "quoted" } brace',
        'error semgrep b.ts:2 two',
      ]);
    });

    it('goes on to the other output where the documents hold no error', async () => {
      const log = sarifLog([
        { message: { text: 'src/no.ts(9,9): error TS9: quoted' }, locations: at('a.ts', 1) },
      ]);
      assert.deepEqual(await findings(`${JSON.stringify(log)}\nsrc/x.ts(1,2): error TS1: x\n`), [
        'error tsc src/x.ts:1:2 [TS1] x',
        'warning semgrep a.ts:1 src/no.ts(9,9): error TS9: quoted',
      ]);
    });

    it('takes what is shaped wrongly for absent', async () => {
      const runs = [
        null,
        7,
        { tool: null, results: [null, 'x', { message: 5, level: 'error', locations: {} }] },
        { tool: { driver: { name: 3, rules: {} } }, results: { 0: 1 } },
        {
          results: [
            {
              level: 'error',
              message: { text: 'kept' },
              ruleIndex: 99,
              locations: [
                { physicalLocation: { artifactLocation: { uri: 'a.ts' }, region: { startLine: -3 } } },
              ],
            },
          ],
          originalUriBaseIds: [],
        },
      ];
      assert.deepEqual(await findings(JSON.stringify({ version: '2.1.0', runs })), [
        'error check a.ts kept',
        'error check A result without a message',
      ]);
    });
  });

  describe('JUnit XML', () => {
    it("reads pytest's, whose line counts from 0 and names the test's first", async () => {
      assert.deepEqual(
        await findings(`<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1">
<testcase classname="test_a" name="test_add" file="test_a.py" line="3" time="0.001"><failure message="assert (1 + 1) == 3&#10;second">def test_add():
&gt;       helper()

test_a.py:9: 
_ _ _ _
E       assert (1 + 1) == 3

test_a.py:5: AssertionError</failure></testcase>
<testcase classname="test_a" name="test_ok" file="test_a.py" line="8" time="0.000" />
<testcase classname="test_a.TestC" name="test_m" file="test_a.py" line="11"><error message="failed on setup">nothing placed</error></testcase>
</testsuite></testsuites>`),
        [
          'error junit test_a.py:5 test_a > test_add: assert (1 + 1) == 3 second',
          'error junit test_a.py:11 test_a.TestC > test_m: failed on setup',
        ],
      );
    });

    it("reads node's and mocha's, leaving out what is skipped", async () => {
      assert.deepEqual(
        await findings(`<testsuites>
<testcase name="later" classname="test"><skipped type="todo" message="true"/><failure message="no"/></testcase>
<testsuite name="suite" file="{root}/test/m.js">
<testcase name="inner" classname="suite"><failure type="testCodeFailure" message="boom">
Error: boom
    at new Promise (&lt;anonymous>)
    at TestContext.&lt;anonymous> ({root}/test/m.js:5:59)
    at Test.run (node:internal/test_runner/test:796:25)</failure></testcase>
<testcase classname="calc" name="calc subs"><failure><![CDATA[1 == 2
AssertionError: 1 == 2]]></failure></testcase>
<testcase name="alone"><rerunFailure message="passed at last"/></testcase>
</testsuite></testsuites>`),
        ['error junit test/m.js:5:59 suite > inner: boom', 'error junit test/m.js calc subs: 1 == 2'],
      );
    });

    it('reads a suite that failed on its own account', async () => {
      assert.deepEqual(
        await findings('<testsuite name="db" file="db.js"><error message="no connection"/></testsuite>'),
        ['error junit db.js db: no connection'],
      );
    });

    it('reads what a document that breaks off has told, wherever it breaks off', async () => {
      const whole =
        '<testsuites><testsuite name="a"><testcase name="one" file="a.js" line="3"><failure message="first">text</failure></testcase><testcase name="two" file="b.js" line="4"><failure message="second">more';
      assert.deepEqual(await findings(whole), [
        'error junit a.js:3 one: first',
        'error junit b.js:4 two: second',
      ]);
      for (let length = whole.indexOf('</testcase>') + 11; length < whole.length; length += 7) {
        assert.equal((await findings(whole.slice(0, length)))[0], 'error junit a.js:3 one: first');
      }
    });

    it('stands several documents, other output around them, and errors of form', async () => {
      assert.deepEqual(
        await findings(`> mocha -R xunit
<testsuite name="a"><testcase name="one" file="a.js" line="1"><failure>a < b & c \u0001</failure></testcase></testsuite>
<?xml version="1.0"?>
<testsuite name="b"><testcase name="two" file="b.js" line="2"><failure message="x"/></testcase></testsuite>
src/x.ts(1,2): error TS1: x
`),
        ['error junit a.js:1 one: a < b & c', 'error junit b.js:2 two: x'],
      );
    });

    it('leaves text that merely speaks of suites to the other shapes', async () => {
      assert.deepEqual(await findings('expected <testsuite name="x">\nsrc/x.ts(1,2): error TS1: x\n'), [
        'error tsc src/x.ts:1:2 [TS1] x',
      ]);
    });
  });
});
