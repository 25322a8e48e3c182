import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addReceipts, artifactsDir, readReceipt } from '../../src/engine/receipts/store.ts';
import { refusedWith } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { receiptOf } from '../support/receipt.ts';
import { workshop } from '../support/workshop.ts';

const quiet = { 'discern-vscode.toml': '[receipts]\ncheck_every = 0\n', '.gitignore': 'out/\n' };

/** What `done` ran, and said beside. */
async function gate(
  here: { path: string; home: string; commit(files: object): Promise<string> },
  files = {},
) {
  await here.commit({ 'docs/c.md': `${Math.random()}\n`, ...files });
  await writeFile(join(here.home, 'ran'), '');
  const answer = await verb('done', here.path);
  return { answer, ran: (await readFile(join(here.home, 'ran'), 'utf8')) !== '' };
}

describe('A result of a job that makes files', () => {
  const making = (run: string, artifacts: string[]) =>
    `[jobs.makes]\nstage = "build"\nrun = ${JSON.stringify(`echo ran >> ../ran; mkdir -p out; ${run}`)}\ninputs = ["src/**"]\nartifacts = ${JSON.stringify(artifacts)}\n`;
  const here = workshop({ config: making('true', []), files: quiet });

  for (const [what, run, artifact, hint] of [
    [
      'one it did not make',
      'true',
      'out/x',
      /^makes did not make its artifact out\/x, so its result is not kept\.$/,
    ],
    [
      'one of 2 GB',
      'truncate -s 2G out/x',
      'out/x',
      /^makes made out\/x of more than 128 MiB, so its result is not kept\.$/,
    ],
    [
      'a directory',
      'mkdir out/x',
      'out/x',
      /^makes made out\/x, which is not a regular file, so its result is not kept\.$/,
    ],
    [
      'a pipe',
      'mkfifo out/x',
      'out/x',
      /^makes made out\/x, which is not a regular file, so its result is not kept\.$/,
    ],
    [
      'a link to a file elsewhere',
      'ln -s /etc/passwd out/x',
      'out/x',
      /^makes made out\/x, which is not a regular file/,
    ],
    [
      'one behind a link',
      'rm -rf out; ln -s ../.. out; touch out/x',
      'out/x',
      /^makes made out\/x behind a link, so/,
    ],
  ] as const)
    it(`is told and not kept where an artifact is ${what}: the job runs again`, async () => {
      const config = making(run, [artifact]);
      if (what === 'one behind a link') await rm(join(here.path, 'out'), { recursive: true, force: true });
      const first = await gate(here, {
        'discern.toml': config,
        ...(what === 'one behind a link' && { '.gitignore': 'out\n' }),
      });
      assert.equal(first.answer.data?.proof?.state, 'valid', first.answer.message);
      assert.ok(
        first.answer.hints?.some((one) => hint.test(one)),
        first.answer.hints?.join('\n'),
      );
      const dir = artifactsDir(join(here.project.root, '.git'));
      assert.deepEqual(await readdir(dir).catch(() => []), []);
      await rm(join(here.path, 'out'), { recursive: true, force: true });
      assert.equal((await gate(here)).ran, true);
    });

  it('names no artifact outside the project: that is a wrong config', async () => {
    for (const path of ['../x', '/tmp/x', 'a/../../x']) {
      await here.commit({ 'discern.toml': making('true', [path]) });
      refusedWith(await verb('done', here.path), 'config_error');
    }
  });
});

describe('A result under a clock that jumps', () => {
  const here = workshop({
    config:
      '[jobs.reads]\nstage = "check"\nrun = "echo ran >> ../ran; test ! -e ../broken"\ninputs = ["src/**"]\n',
    files: quiet,
  });
  const real = Date.now;
  afterEach(() => {
    Date.now = real;
  });
  const day = 24 * 60 * 60 * 1000;

  for (const jump of [-400 * day, 400 * day])
    it(`by ${jump / day} days: a failure is forgotten by the next pass, and that pass stands in`, async () => {
      await writeFile(join(here.home, 'broken'), '');
      Date.now = () => real() + jump;
      refusedWith((await gate(here)).answer, 'gate_failed');
      Date.now = real;
      await rm(join(here.home, 'broken'));
      assert.equal((await gate(here)).ran, true);
      const again = await gate(here);
      assert.equal(again.ran, false, 'the pass came after the failure, whatever their clocks said');
      assert.equal(again.answer.steps?.[0]?.outcome, 'passed');
    });
});

describe('What results are kept', () => {
  const here = workshop({ files: quiet });
  const { signal } = new AbortController();
  const none = { used: [], reused: [], disagreed: [] };
  const commonDir = () => join(here.project.root, '.git');
  const dir = () => join(artifactsDir(commonDir()), '..');
  const kept = async () => (await readdir(dir())).filter((name) => /^[0-9a-f]{64}\.json$/.test(name)).length;

  it('a failure that a run did not know of when it began stands against its pass', async () => {
    const failed = receiptOf('one', 1, 'failed', 10);
    const passed = receiptOf('one', 1, 'passed', 5);
    await addReceipts(commonDir(), { ...none, receipts: [failed], seen: new Map() }, signal);
    await addReceipts(commonDir(), { ...none, receipts: [passed], seen: new Map() }, signal);
    assert.equal((await readReceipt(commonDir(), failed.key))?.outcome, 'failed');
    const seen = new Map([[failed.key, failed]]);
    await addReceipts(commonDir(), { ...none, receipts: [passed], seen }, signal);
    assert.equal((await readReceipt(commonDir(), failed.key))?.outcome, 'passed');
  });

  it('at most 400, those that were of use last', async () => {
    const [first, last] = [receiptOf('one', 1, 'passed', 1), receiptOf('one', 2, 'passed', 2)];
    await addReceipts(commonDir(), { ...none, receipts: [first], seen: new Map() }, signal);
    await utimes(join(dir(), `${first.key}.json`), 1_000, 1_000);
    // Which are old is told by the file alone.
    for (let n = 0; n < 404; n++) {
      const name = join(dir(), `${n.toString(16).padStart(64, '0')}.json`);
      await writeFile(name, '');
      await utimes(name, 2_000 + n, 2_000 + n);
    }
    await addReceipts(commonDir(), { ...none, receipts: [], used: [first.key], seen: new Map() }, signal);
    await addReceipts(commonDir(), { ...none, receipts: [last], seen: new Map() }, signal);
    assert.equal(await kept(), 400);
    for (const { key } of [first, last]) assert.ok(await readReceipt(commonDir(), key));
    const names = await readdir(dir());
    assert.deepEqual(
      [0, 5, 6, 403].map((n) => names.includes(`${n.toString(16).padStart(64, '0')}.json`)),
      [false, false, true, true],
    );
  });

  it('with at most 1 GiB of what jobs made, and no copies that belong to none', async () => {
    await addReceipts(
      commonDir(),
      { ...none, receipts: [receiptOf('one', 0, 'passed', 1)], seen: new Map() },
      signal,
    );
    const old = [1, 2, 3].map((n) => receiptOf('one', n, 'passed', n, ['out/x']));
    const copies = artifactsDir(commonDir());
    execFileSync('mkdir', ['-p', copies]);
    // Holes take no room on disk.
    for (const { key } of old) execFileSync('truncate', ['-s', '500M', join(copies, `${key}-0`)]);
    const orphan = join(copies, `${'f'.repeat(64)}-0`);
    for (const [name, at] of [
      [orphan, new Date(Date.now() + 1e9)],
      [`${orphan}.1a2b3c4d.tmp`, new Date(1e12)],
    ] as const) {
      await writeFile(name, 'x');
      await utimes(name, at, at);
    }
    await addReceipts(commonDir(), { ...none, receipts: old, seen: new Map() }, signal);
    const sizes = await Promise.all(
      (await readdir(copies)).map(async (name) => (await stat(join(copies, name))).size),
    );
    assert.deepEqual(sizes, [500 * 1024 * 1024, 500 * 1024 * 1024]);
    assert.equal(await kept(), 3);
  });
});
