import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Diagnostic } from '../../src/contract/envelope.ts';
import { Refusal } from '../../src/engine/call/refusal.ts';
import { largestConfig, loadConfig } from '../../src/engine/config/index.ts';

describe('loadConfig', function () {
  this.timeout(60_000);
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'discern-config-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const write = (content: string | Buffer) => writeFile(join(root, 'discern.toml'), content);

  async function refusal(from = root): Promise<Refusal> {
    try {
      await loadConfig(from);
    } catch (error) {
      assert.ok(error instanceof Refusal, String(error));
      return error;
    }
    assert.fail('loadConfig did not refuse');
  }

  it('answers the config, its path, the digest of its bytes, and its notes', async () => {
    const text = '\uFEFF[capabilities]\r\nlint = "l"\r\n';
    await write(text);
    assert.deepEqual(await loadConfig(root), {
      config: {
        project: { name: '', slug: '' },
        repository: { branch_prefix: 'agent/', ensure: [] },
        jobs: [{ name: 'lint', stage: 'check', commands: ['l'] }],
        scopes: [],
        standards: [],
        generated: [],
        acceptance: { pre_authorized: [] },
        checkpoints: [],
        gate: { fail_fast: true, timeout: 600, concurrent_test_runs: 1 },
        worktree: {
          root: '',
          export_port: false,
          inherit_env: [],
          env_files: ['.env', '.env.local'],
          setup: { steps: [], ensure: [] },
          resources: [],
        },
      },
      path: join(root, 'discern.toml'),
      digest: createHash('sha256').update(Buffer.from(text)).digest('hex'),
      notes: ['discern.toml:1: [capabilities] is the older spelling of [jobs]; rename it.'],
      tolerated: [],
    });
  });

  it('takes an empty file', async () => {
    await write('');
    const { config, digest, notes } = await loadConfig(root);
    assert.deepEqual([config.jobs, notes], [[], []]);
    assert.equal(digest, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('refuses not_initialized where there is no file, and names the directory', async () => {
    for (const from of [root, join(root, 'none')]) {
      const { slug, message } = await refusal(from);
      assert.equal(slug, 'not_initialized');
      assert.ok(message.includes(from), message);
    }
  });

  it('refuses not_initialized where the root is itself a file', async () => {
    await write('');
    assert.equal((await refusal(join(root, 'discern.toml'))).slug, 'not_initialized');
  });

  it('refuses config_error where the file cannot be read, and says why', async () => {
    await mkdir(join(root, 'discern.toml'));
    const directory = await refusal();
    assert.equal(directory.slug, 'config_error');
    assert.ok(directory.message.includes(join(root, 'discern.toml')), directory.message);
    const impossible = await refusal('no\0where');
    assert.equal(impossible.slug, 'config_error');
    assert.match(impossible.message, /ERR_INVALID_ARG_VALUE/);
  });

  if (process.platform !== 'win32') {
    it('refuses config_error at a pipe, without waiting for its writer', async () => {
      execFileSync('mkfifo', [join(root, 'discern.toml')]);
      const { slug, message } = await refusal();
      assert.equal(slug, 'config_error');
      assert.match(message, /not a regular file/);
    });
  }

  it('reads a file of 1 MiB, and refuses one that has a byte more', async () => {
    const line = `#${'x'.repeat(1022)}\n`;
    const text = line.repeat(1024);
    assert.equal(text.length, largestConfig);
    await write(text);
    assert.deepEqual((await loadConfig(root)).config.jobs, []);
    await write(`${text}\n`);
    const { slug, message } = await refusal();
    assert.equal(slug, 'config_error');
    assert.match(message, /1048577 bytes.*1 MiB/);
  });

  it('names the first problem in its message, and holds it as a diagnostic', async () => {
    await write('[jobs]\n  lint = "l"\n\n[jobs.x]\n  stage = "fix"\n  run = "r"\n  timeot = 1\n');
    const { slug, message, detail } = await refusal();
    assert.equal(slug, 'config_error');
    assert.equal(message, 'discern.toml:7:3: unknown key "timeot" in [jobs.x]; did you mean "timeout"?');
    assert.deepEqual(detail.diagnostics, [
      {
        tool: 'discern',
        severity: 'error',
        message: 'unknown key "timeot" in [jobs.x]; did you mean "timeout"?',
        reproduce_cmd: 'discern doctor',
        file: 'discern.toml',
        line: 7,
        column: 3,
      },
    ]);
  });

  it('says how many more problems there are, all of them as diagnostics in file order', async () => {
    await write('[gate]\ntimeout = "x"\n[jobs]\nlint = ""\ntest = 3\n');
    const { message, detail } = await refusal();
    assert.equal(
      message,
      'discern.toml:2:11: [gate].timeout must be a number, not a string. 2 more problems follow.',
    );
    assert.deepEqual(
      detail.diagnostics?.map((one) => `${one.line}:${one.column}`),
      ['2:11', '4:8', '5:8'],
    );
    for (const one of detail.diagnostics ?? []) Diagnostic.parse(one);
    await write('[gate]\ntimeout = "x"\nfail_fast = 1\n');
    assert.match((await refusal()).message, /\. 1 more problem follows\.$/);
  });

  it('holds at most a hundred diagnostics, and still says how many problems there are', async () => {
    await write(`[gate]\n${Array.from({ length: 250 }, (_, index) => `k${index} = 1`).join('\n')}`);
    const { message, detail } = await refusal();
    assert.equal(detail.diagnostics?.length, 100);
    assert.match(message, /249 more problems follow\.$/);
  });

  const broken: [string, Buffer, string][] = [
    ['a stray byte', Buffer.from([0x61, 0x0a, 0x23, 0x20, 0xe9, 0x0a]), '2:3'],
    ['a byte behind wide characters', Buffer.concat([Buffer.from('# é😀'), Buffer.from([0xff])]), '1:6'],
    ['a byte behind a BOM', Buffer.concat([Buffer.from('\uFEFF# '), Buffer.from([0x80])]), '1:3'],
    [
      'a byte behind a real replacement character',
      Buffer.concat([Buffer.from('#\uFFFD'), Buffer.from([0xc0])]),
      '1:3',
    ],
    [
      'a character cut short by the end',
      Buffer.concat([Buffer.from('#\r\n#'), Buffer.from([0xf0, 0x9f, 0x98])]),
      '2:2',
    ],
    ['an encoded surrogate', Buffer.concat([Buffer.from('#'), Buffer.from([0xed, 0xa0, 0x80])]), '1:2'],
    ['UTF-16', Buffer.from('\uFEFF[jobs]\n', 'utf16le'), '1:1'],
  ];
  for (const [title, bytes, place] of broken) {
    it(`refuses config_error at the first byte that is no UTF-8: ${title}`, async () => {
      await write(bytes);
      const { slug, message, detail } = await refusal();
      assert.equal(slug, 'config_error');
      assert.equal(message, `discern.toml:${place}: not valid UTF-8; save the file as UTF-8.`);
      assert.equal(`${detail.diagnostics?.[0]?.line}:${detail.diagnostics?.[0]?.column}`, place);
    });
  }
});
