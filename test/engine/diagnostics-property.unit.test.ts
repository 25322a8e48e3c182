import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { z } from 'zod';
import { Diagnostic } from '../../src/contract/envelope.ts';
import { toLines } from '../../src/engine/diagnostics/clean.ts';
import { maxDiagnostics, readOutput } from '../../src/engine/diagnostics/index.ts';
import { documents, ranks } from '../../src/engine/diagnostics/shapes.ts';
import { tempFolder } from './diagnostics-job.ts';

/** Pieces of every shape, whole and broken, from which output is put together. */
const pieces = [
  ...[
    'src/a.c:1:2: error: x [-Wall]',
    'a.ts(1,2): error TS1: m',
    'a.ts:1:2 - error TS1: m',
    '/a/b.js',
    '  1:2  error  m  rule',
  ],
  ...[
    'a.js:1:2: m [Error/rule]',
    'error[E0308]: m',
    '  --> a.rs:1:2',
    "thread 'x' panicked at a.rs:1:2:",
    './a.go:1:2: m',
  ],
  ...[
    '--- FAIL: TestX (0.00s)',
    '=== RUN   TestX',
    '    a_test.go:12: m',
    'FAIL\texample.com/m\t0.1s',
    'panic: m',
    'goroutine 1 [running]:',
  ],
  ...[
    '=== FAILURES ===',
    '___ test_x ___',
    'E   assert x',
    'a.py:3: AssertionError',
    'FAILED a.py::test_x - m',
    '--- Captured stdout call ---',
  ],
  ...[
    'Traceback (most recent call last):',
    '  File "a.py", line 3',
    'KeyError: 1',
    'TAP version 13',
    'not ok 1 - x',
    '    not ok 2 # TODO',
  ],
  ...[
    '  ---',
    '  at: f (a.js:1:2)',
    "  location: 'a.js:1:2'",
    '  stack: |-',
    '  ...',
    'Bail out!',
    'Error: m',
    '    at f (a.js:1:2)',
    '  1) suite',
  ],
  ...[
    '✖ test (1ms)',
    ' FAIL  a > b',
    ' ❯ a.ts:1:2',
    '✘ [ERROR] m',
    '    a.ts:1:2:',
    'a.ts:1:2 lint/a/b ━━━━━',
    '  × m',
  ],
  ...[
    '<testsuite name="a">',
    '<testcase name="b" file="c" line="1">',
    '<failure message="m">',
    '</failure>',
    '</testcase>',
    '</testsuite>',
    '<![CDATA[',
    '&#0;',
  ],
  ...[
    '{"version":"2.1.0","runs":[',
    '{"results":[{"message":{"text":"m"},"level":"error"}]}',
    ']}',
    '"runs"',
    '{',
    '}',
    '"',
  ],
  ...[
    '\r',
    '\r\n',
    '\0',
    '\u001b[31m',
    '\u001b]8;;',
    '\u009b',
    '\ud800',
    '\ufeff',
    '',
    ' ',
    '\t',
    '😀',
    '%',
    '\\',
    'file:///a%2',
    '[x] ',
  ],
];

const chunk = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...pieces) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
);
const separator = fc.constantFrom('\n', '\n', '\n', '', ' ', ': ');
const printed = fc.array(fc.tuple(chunk, separator), { maxLength: 60 }).map((parts) => parts.flat().join(''));

/** The files of the root; what else is named is no place. */
const files = ['src/a.c', 'a.ts', 'a.py', 'b.js', 'a_test.go', 'src/a.rs'];

describe('diagnostics of any output', () => {
  let folder: string;
  before(async () => {
    folder = await tempFolder();
    await mkdir(join(folder, 'app/src'), { recursive: true });
    for (const name of files) await writeFile(join(folder, 'app', name), '');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function holds(bytes: Buffer): Promise<void> {
    const outputPath = join(folder, 'output.log');
    await writeFile(outputPath, bytes);
    const root = join(folder, 'app');
    const job = { job: 'check', command: 'make check', root, outputPath, failed: true };
    const { lines, diagnostics, more } = await readOutput(job);

    const ends = bytes.filter((byte) => byte === 0x0a).length;
    assert.equal(lines, ends + (bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0));
    assert.equal(diagnostics[0]?.severity, 'error');
    assert.ok(diagnostics.length <= maxDiagnostics);
    assert.ok(more === 0 || diagnostics.length === maxDiagnostics);
    const wire = JSON.parse(JSON.stringify(diagnostics));
    assert.deepEqual(wire, diagnostics);
    z.array(Diagnostic).parse(wire);
    const order = ['error', 'warning', 'info'];
    const ranks = diagnostics.map((one) => order.indexOf(one.severity));
    assert.deepEqual(ranks, ranks.toSorted());
    for (const one of diagnostics) {
      assert.ok(one.message.length > 0 && one.message.length <= 1000);
      assert.ok(one.tool !== '' && (one.file ?? '.') !== '');
      assert.ok(Buffer.byteLength(one.output ?? '') <= 4096);
      assert.doesNotMatch(one.message + (one.file ?? '') + (one.rule ?? ''), /[\p{Cc}\ud800-\udfff]/u);
      assert.doesNotMatch((one.output ?? '').replace(/[\n\t]/g, ''), /[\p{Cc}\ud800-\udfff]/u);
      assert.ok((one.line ?? 1) >= 1 && (one.column ?? 1) >= 1);
      assert.ok(one.file === undefined || files.includes(one.file), one.file);
      assert.ok(one.line === undefined || one.file !== undefined);
      assert.ok(one.end_line === undefined || one.end_line >= (one.line ?? Number.POSITIVE_INFINITY));
      for (const other of one.related ?? [])
        assert.ok(other.file === undefined || files.includes(other.file));
      assert.equal(one.reproduce_cmd, 'make check');
      assert.equal(one.output_path, outputPath);
    }
  }

  it('is within the contract, whatever was printed', async () => {
    await fc.assert(
      fc.asyncProperty(printed, (text) => holds(Buffer.from(text, 'utf8'))),
      { numRuns: 500 },
    );
  });

  it('is within the contract for bytes that are no text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), (bytes) => holds(Buffer.from(bytes))),
      { numRuns: 200 },
    );
  });

  it('is within the contract for a SARIF log in which any value may be anything', async () => {
    const key = fc.constantFrom(
      ...[
        'tool',
        'driver',
        'name',
        'results',
        'message',
        'text',
        'id',
        'arguments',
        'level',
        'kind',
        'ruleId',
        'rule',
      ],
      ...[
        'ruleIndex',
        'rules',
        'locations',
        'physicalLocation',
        'artifactLocation',
        'uri',
        'uriBaseId',
        'index',
        'region',
      ],
      ...[
        'startLine',
        'startColumn',
        'suppressions',
        'invocations',
        'originalUriBaseIds',
        'extensions',
        '__proto__',
      ],
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 7, depthIdentifier: 'json' },
        fc.constantFrom<unknown>(
          'error',
          'file:///a%',
          '%',
          '{0}',
          '\ud800\u001b[1m',
          '',
          null,
          true,
          -1,
          0,
          1,
          1e300,
          0.5,
        ),
        fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'json' }),
        fc.dictionary(key, tie('value'), { maxKeys: 5, depthIdentifier: 'json' }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 3 }), (runs) =>
        holds(Buffer.from(JSON.stringify({ version: '2.1.0', runs }))),
      ),
      { numRuns: 300 },
    );
  });

  // A shape whose expressions backtrack would not come to an end over these.
  it('reads long repetitive lines in every shape', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        ...pieces,
        ...' :([{-=_~#@/\\.,\'"`'.split(''),
        '1:',
        'a/',
        ': ',
        '- ',
        ' (',
        '::',
        '1,',
        '━',
        'a.py:1:',
      ),
      fc.string({ maxLength: 3 }),
    );
    const line = fc.tuple(unit, unit, unit, unit).map(([start, a, b, end]) => {
      const period = `${a}${b}` || ' ';
      return `${start}${period.repeat(Math.ceil(1900 / period.length)).slice(0, 1900)}${end}`;
    });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
        const text = Array.from({ length: 40 }, () => lines.join('\n')).join('\n');
        const clean = toLines(text);
        for (const shape of documents) shape(text);
        for (const shape of ranks.flat()) {
          const { taken } = shape(clean);
          assert.ok(taken.every(([from]) => from >= 0 && from < clean.length));
        }
      }),
      { numRuns: 100 },
    );
  });
});
