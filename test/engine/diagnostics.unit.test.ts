import assert from 'node:assert/strict';
import { appendFile, mkdir, open, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { maxDiagnostics, readOutput } from '../../src/engine/diagnostics/index.ts';
import { findings, readFailed, summaries, tempFolder } from './diagnostics-job.ts';

const MiB = 1024 * 1024;

describe('reading what a job printed', () => {
  let folder: string;
  let outputPath: string;
  const job = (failed: boolean) => ({ job: 'lint', command: 'make lint', root: folder, outputPath, failed });

  beforeEach(async () => {
    folder = await tempFolder();
    outputPath = join(folder, 'lint.log');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  describe('counting lines', () => {
    for (const [printed, lines] of [
      ['', 0],
      ['\n', 1],
      ['a', 1],
      ['a\n', 1],
      ['a\nb', 2],
      ['a\r\nb\r\n', 2],
      ['\n\n\n', 3],
      ['a\0b\n\xff\n', 2],
    ] as const) {
      it(`counts ${lines} in ${JSON.stringify(printed)}`, async () => {
        await writeFile(outputPath, printed, 'latin1');
        assert.equal((await readOutput(job(false))).lines, lines);
        assert.equal((await readOutput(job(true))).lines, lines);
      });
    }

    it('counts every line of a file many times larger than what is held of it', async () => {
      const line = `${'x'.repeat(62)}\n`;
      const chunk = line.repeat(10_000);
      for (let i = 0; i < 40; i++) await appendFile(outputPath, chunk);
      await appendFile(outputPath, 'no newline here');
      assert.equal((await readOutput(job(false))).lines, 400_001);
    });

    it('reads 200 MB in a row and still finds what stands at its ends', async () => {
      await mkdir(join(folder, 'src'));
      for (const name of ['first.c', 'last.c']) await writeFile(join(folder, 'src', name), '');
      await writeFile(outputPath, 'src/first.c:1:2: error: at the very start\n');
      await truncate(outputPath, 200 * MiB);
      await appendFile(outputPath, '\nsrc/last.c:3:4: error: at the very end\n');
      const before = process.memoryUsage().arrayBuffers;
      const reading = await readOutput(job(true));
      assert.equal(reading.lines, 3);
      assert.deepEqual(summaries(reading), [
        'error cc src/first.c:1:2 at the very start',
        'error cc src/last.c:3:4 at the very end',
      ]);
      assert.ok(process.memoryUsage().arrayBuffers - before < 50 * MiB);
    });
  });

  it('finds nothing in the output of a job that passed', async () => {
    await writeFile(outputPath, 'src/a.c:1:2: error: printed by a test of a compiler\n');
    assert.deepEqual(await readOutput(job(false)), { lines: 1, diagnostics: [], more: 0 });
  });

  it('takes a missing file, a folder and an empty file for no lines, and still says that the job failed', async () => {
    const missing = await readOutput(job(true));
    assert.equal(missing.lines, 0);
    assert.deepEqual(summaries(missing), [
      'error lint The job lint failed, and its output could not be read (ENOENT).',
    ]);

    await mkdir(outputPath);
    const directory = await readOutput(job(true));
    assert.equal(directory.lines, 0);
    assert.match(directory.diagnostics[0]?.message ?? '', /could not be read/);

    await rm(outputPath, { recursive: true });
    await writeFile(outputPath, '');
    assert.deepEqual(summaries(await readOutput(job(true))), [
      'error lint The job lint failed and printed nothing; run its command to see why.',
    ]);
  });

  it('stops with the reason of the signal', async () => {
    const handle = await open(outputPath, 'w');
    await handle.truncate(64 * MiB);
    await handle.close();
    const reason = new Error('the caller left');
    await assert.rejects(readOutput(job(true), AbortSignal.abort(reason)), reason);
    const controller = new AbortController();
    const reading = readOutput(job(true), controller.signal);
    controller.abort(reason);
    await assert.rejects(reading, reason);
  });

  it('says how to see each finding again, and where the whole output is', async () => {
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src/a.c'), '');
    await writeFile(outputPath, 'src/a.c:1:2: error: one\nsrc/a.c:3:4: error: two\n');
    const { diagnostics } = await readOutput(job(true));
    assert.deepEqual(diagnostics[1], {
      tool: 'cc',
      severity: 'error',
      message: 'two',
      reproduce_cmd: 'make lint',
      file: 'src/a.c',
      line: 3,
      column: 4,
      output_path: outputPath,
    });
  });

  it('gives the tail of the output once, with the first finding', async () => {
    const noise = Array.from({ length: 500 }, (_, i) => `step ${i}`).join('\n');
    await writeFile(outputPath, `${noise}\nsrc/a.c:1:2: error: one\nsrc/a.c:3:4: error: two\n\n\n`);
    const { diagnostics } = await readOutput(job(true));
    const output = diagnostics[0]?.output ?? '';
    assert.ok(output.endsWith('step 499\nsrc/a.c:1:2: error: one\nsrc/a.c:3:4: error: two'));
    assert.ok(Buffer.byteLength(output) <= 4096);
    assert.match(output, /^step \d+\n/);
    assert.equal(diagnostics[1]?.output, undefined);
  });

  it('puts errors before warnings, drops duplicates, and counts what it cut', async () => {
    const warnings = Array.from({ length: 70 }, (_, i) => `a.c:${i + 1}:1: warning: w${i}`);
    const errors = Array.from({ length: 3 }, (_, i) => `a.c:${i + 1}:9: error: e${i}`);
    const printed = [...warnings, ...errors, ...errors, ...warnings].join('\n');
    const reading = await readFailed(printed);
    assert.equal(reading.diagnostics.length, maxDiagnostics);
    assert.deepEqual(summaries(reading).slice(0, 4), [
      'error cc a.c:1:9 e0',
      'error cc a.c:2:9 e1',
      'error cc a.c:3:9 e2',
      'warning cc a.c:1:1 w0',
    ]);
    assert.equal(reading.more, 73 - maxDiagnostics);
  });

  it('adds an error of its own where a failed job printed warnings only', async () => {
    const printed =
      '{root}/src/a.js\n  1:1  warning  Unexpected console statement  no-console\n\n' +
      'ESLint found too many warnings (maximum: 0).\n';
    assert.deepEqual(await findings(printed), [
      'error check The job check failed, saying: ESLint found too many warnings (maximum: 0).',
      'warning eslint src/a.js:1:1 [no-console] Unexpected console statement',
    ]);
  });

  describe('where no shape is recognised', () => {
    it('quotes the line that tells why, not what package managers add after it', async () => {
      const printed = [
        '> app@1.0.0 check',
        '> ./check.sh',
        'checking 12 files',
        'licence header missing in src/a.txt',
        'npm ERR! code ELIFECYCLE',
        'npm ERR! A complete log of this run can be found in: /root/.npm/_logs/debug-0.log',
        'make: *** [Makefile:3: check] Error 1',
      ].join('\n');
      const { diagnostics } = await readFailed(printed);
      assert.equal(diagnostics.length, 1);
      assert.equal(diagnostics[0]?.tool, 'check');
      assert.equal(diagnostics[0]?.file, undefined);
      assert.equal(
        diagnostics[0]?.message,
        'The job check failed, saying: licence header missing in src/a.txt',
      );
      assert.equal(diagnostics[0]?.output, printed);
    });

    it('quotes the last line where none speaks of failing', async () => {
      assert.deepEqual(await findings('one\ntwo\n\n'), ['error check The job check failed, saying: two']);
    });

    it('cleans the tail of colours, progress bars and control characters', async () => {
      const { diagnostics } = await readFailed(
        '\u001b[32m 10%\r 90%\r\u001b[1m\u001b[31moh no\u001b[0m\u0007\0\r\n\u001b]8;;http://x\u0007link\u001b]8;;\u0007\n',
      );
      assert.equal(diagnostics[0]?.output, ' 10%\n 90%\noh no\nlink');
    });

    it('keeps the end of a last line of megabytes within bounds', async () => {
      const { diagnostics, lines } = await readFailed(`start\n${'é'.repeat(3 * MiB)}`);
      assert.equal(lines, 2);
      assert.ok(Buffer.byteLength(diagnostics[0]?.output ?? '') <= 4096);
      assert.ok((diagnostics[0]?.output ?? '').length > 1000);
      assert.ok((diagnostics[0]?.message ?? '').length <= 1000);
    });
  });

  describe('what only looks like a finding', () => {
    for (const printed of [
      'http://host:80: error: connection refused',
      'GET https://example.com:443:1: error: nope',
      '12:30:11 error something broke',
      '12:30:11: error: something broke',
      '2024-01-01T12:30:11: error: something broke',
      '[12:30:11] error: something broke',
      'db.internal:5432: error: connection refused',
      '127.0.0.1:8080:1: error: connection refused',
      'ratio 1/2 at 12:30:11: error: late',
      'compiling src/a.c:1:2: error: prose before a path',
      'user@host:22: error: denied',
      'warning: in the working copy of src/a.c, LF will be replaced by CRLF',
      '# src/a.c:1:2: error: a comment in TAP',
      'see the docs (src/a.ts:1:2)',
      'Trace: here\n    at f (src/a.js:1:2)',
      '(node:12) DeprecationWarning: old\n    at f (src/a.js:1:2)',
      'ok 3 - handles src/a.c:1:2: error: x',
      '    src/a.c:1:2: error: indented log of a test',
      'note: src/a.c:1:2: note: declared here\nsrc/a.c:1:2: note: declared here',
    ]) {
      it(`is not placed: ${JSON.stringify(printed)}`, async () => {
        const { diagnostics } = await readFailed(printed);
        assert.deepEqual(
          diagnostics.map(({ tool, file }) => ({ tool, file })),
          [{ tool: 'check', file: undefined }],
        );
      });
    }
  });
});
