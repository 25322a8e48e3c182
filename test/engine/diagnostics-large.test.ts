import assert from 'node:assert/strict';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { maxDiagnostics, readOutput } from '../../src/engine/diagnostics/index.ts';
import { summaries, tempFolder } from './diagnostics-job.ts';

/** A server's log of about a MiB, as ordinary as it gets. */
const noise = Array.from(
  { length: 14_000 },
  (_, n) => `2026-01-31T10:00:${10 + (n % 50)} worker ${n % 7} served /items/${n} in ${n % 91} ms, 200 OK`,
).join('\n');

describe('findings in the middle of a large output', () => {
  let folder: string;
  let outputPath: string;

  before(async () => {
    folder = await tempFolder();
    outputPath = join(folder, 'output.log');
    await mkdir(join(folder, 'app/lib/deep'), { recursive: true });
    for (const file of ['a.ts', 'b.py', 'lib/deep/c.c', 'd.js'])
      await writeFile(join(folder, 'app', file), 'x\n'.repeat(99));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Reads an output in which each text has `between` MiB of a log before and after it. */
  async function read(texts: readonly string[], between: number) {
    await writeFile(outputPath, '');
    const log = `${`${noise}\n`.repeat(between)}`;
    await appendFile(outputPath, log);
    for (const text of texts) await appendFile(outputPath, `${text}\n${log}`);
    return readOutput({
      job: 'check',
      command: 'npm run check',
      root: join(folder, 'app'),
      outputPath,
      failed: true,
    });
  }

  it('are found as in a small one, whatever their shape', async () => {
    const report = JSON.stringify(
      [
        {
          filePath: join(folder, 'app/d.js'),
          messages: [{ ruleId: 'no-eval', severity: 2, message: 'Eval.', line: 7, column: 8 }],
        },
      ],
      null,
      2,
    );
    const { diagnostics, lines } = await read(
      [
        "a.ts(3,4): error TS2322: Type 'string' is not assignable to type 'number'.",
        'Traceback (most recent call last):\n  File "b.py", line 5, in <module>\n    f()\nValueError: no',
        report,
        "make[1]: Entering directory 'lib'\nmake[2]: Entering directory 'lib/deep'",
        'c.c:9:1: error: expected expression',
      ],
      3,
    );
    assert.deepEqual(summaries({ diagnostics, lines, more: 0 }), [
      'error eslint d.js:7:8 [no-eval] Eval.',
      "error tsc a.ts:3:4 [TS2322] Type 'string' is not assignable to type 'number'.",
      'error cc lib/deep/c.c:9:1 expected expression',
    ]);
    assert.equal(lines, 6 * 3 * 14_000 + 1 + 4 + report.split('\n').length + 2 + 1);
  });

  it('are a stack where nothing else names an error, wherever it stands', async () => {
    const { diagnostics } = await read(
      [
        'Traceback (most recent call last):\n  File "b.py", line 5, in <module>\n    f()\nValueError: no',
        'done',
      ],
      5,
    );
    assert.deepEqual(summaries({ diagnostics, lines: 0, more: 0 }), ['error python b.py:5 ValueError: no']);
  });

  it('are bounded and counted, each once, and errors come before all warnings', async () => {
    const warnings = Array.from({ length: 30_000 }, (_, n) => `a.ts(${n + 1},1): warning TS1: Number ${n}.`);
    const errors = Array.from({ length: 3000 }, (_, n) => `b.py:${n + 1}:1: error: Number ${n}  [misc]`);
    // Longer than a part, so that the lines that two parts share are among them.
    const { diagnostics, more } = await read([[...warnings, ...errors, ...warnings].join('\n')], 4);
    assert.equal(diagnostics.length, maxDiagnostics);
    assert.ok(diagnostics.every(({ severity }) => severity === 'error'));
    assert.ok(more + maxDiagnostics >= 33_000, String(more));
    assert.ok(more + maxDiagnostics <= 63_000, String(more));
  });

  it('are none in a log without one', async () => {
    const { diagnostics } = await read(['the last request was served'], 5);
    assert.deepEqual(
      diagnostics.map(({ tool, file }) => ({ tool, file })),
      [{ tool: 'check', file: undefined }],
    );
  });
});
