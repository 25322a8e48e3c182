import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verb } from '../support/engine.ts';
import { awaits, config, job, log, logged } from '../support/jobs.ts';
import { git } from '../support/project.ts';
import { workshop } from '../support/workshop.ts';

const exec = promisify(execFile);

/** What a shell command prints there. */
const shown = async (command: string, cwd: string) =>
  (await exec('/bin/sh', ['-c', command], { cwd })).stdout;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

describe('A strand', () => {
  const names = ['rewritten', 'deleted', 'mode', 'link', 'timed', 'staged', 'added'];
  const here = workshop({ files: Object.fromEntries(names.map((name) => [`src/${name}.txt`, 'a\n'])) });

  const changes = [
    'echo changed > src/rewritten.txt',
    'rm src/deleted.txt',
    'chmod +x src/mode.txt',
    'ln -sf b src/link.txt',
    'touch -r src/timed.txt ../t; echo b > src/timed.txt; touch -r ../t src/timed.txt',
    'echo staged > src/staged.txt; git add src/staged.txt',
    'echo more >> src/added.txt',
  ];
  const shows: Record<string, RegExp> = {
    'src/added.txt': /^ a\n\+more$/m,
    'src/deleted.txt': /^deleted file mode/m,
    'src/link.txt': /^new file mode 120000$/m,
    'src/mode.txt': /^new mode 100755$/m,
    'src/rewritten.txt': /^-a\n\+changed$/m,
    'src/staged.txt': /^\+staged$/m,
    'src/timed.txt': /^-a\n\+b$/m,
  };
  for (const stage of ['fix', 'test'] as const) {
    it(`of a ${stage} job makes the run tree_drift, with file, stage and diff, however it was made`, async () => {
      await here.commit({ 'discern.toml': config({ touches: job(stage, changes) }) });
      const done = await verb('done', here.path);
      assert.equal(done.ok, false);
      assert.equal(done.error, 'tree_drift', done.message);
      assert.match(done.message ?? '', new RegExp(`src/added\\.txt \\(${stage}\\)`));
      const drift = done.data?.drift ?? [];
      assert.deepEqual(drift.map(({ file }) => file).sort(), Object.keys(shows));
      for (const one of drift) {
        assert.equal(one.stage, stage, one.file);
        assert.match(one.diff, shows[one.file] ?? /^$/);
      }
      assert.deepEqual(done.diagnostics?.map(({ file }) => file).sort(), Object.keys(shows));
      assert.equal(done.data?.proof?.state, 'none');
    });
  }

  it('is blamed on the job that ran when the file changed, not on its siblings', async () => {
    const changing =
      'echo changed > src/rewritten.txt; chmod +x src/mode.txt; rm src/deleted.txt; touch ../done';
    await here.commit({
      'discern.toml': config({
        lint: JSON.stringify(changing),
        test: JSON.stringify(`${awaits('done')}; sleep 0.5`),
      }),
    });
    const done = await verb('done', here.path);
    assert.deepEqual(
      done.data?.drift?.map(({ stage }) => stage),
      ['check', 'check', 'check'],
    );
  });

  it('stops what follows under fail_fast', async () => {
    await here.commit({
      'discern.toml': config({ format: '"echo changed > src/a.txt"', test: JSON.stringify(log('test')) }),
    });
    const done = await verb('done', here.path);
    assert.equal(done.error, 'tree_drift');
    assert.deepEqual(
      done.steps?.map(({ outcome }) => outcome),
      ['passed', 'skipped'],
    );
    assert.deepEqual(await logged(here), []);
  });

  it('is found in prepare too', async () => {
    await here.commit({ 'discern.toml': config({ format: '"echo changed > src/a.txt"' }) });
    assert.equal((await verb('prepare', here.path)).error, 'tree_drift');
  });

  it('beside a failed job is reported with the failure', async () => {
    await here.commit({ 'discern.toml': config({ test: '"echo changed > src/a.txt; exit 1"' }) });
    const done = await verb('done', here.path);
    assert.equal(done.error, 'gate_failed');
    assert.equal(done.data?.drift?.[0]?.file, 'src/a.txt');
    assert.equal(done.diagnostics?.length, 2);
  });

  it('names a bounded number of files and counts the rest', async () => {
    const run = 'for f in src/many/*; do yes changed | head -n 600 > $f; done';
    await here.commit({
      'discern.toml': config({ format: JSON.stringify(run) }),
      ...Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`src/many/${n}.txt`, 'x\n'])),
    });
    const done = await verb('done', here.path);
    assert.equal(done.data?.drift?.length, 50);
    assert.match(done.message ?? '', /and 65 more/);
    assert.ok(JSON.stringify(done).length < 150_000);
  });
});

describe('What a job changes', () => {
  const here = workshop();

  it('is no strand in a file that was edited when the run began', async () => {
    await here.commit({ 'discern.toml': config({ format: '"echo formatted > src/a.txt"' }) });
    await here.write({ 'src/a.txt': 'edited\n' });
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    assert.equal(done.data?.drift, undefined);
    assert.equal(done.data?.proof?.state, 'none');
  });

  it('is no strand in an untracked file, nor when a job adds that to the index', async () => {
    await here.commit({
      'discern.toml': config({
        format: '"echo more >> src/new.txt; git add src/new.txt; echo other > src/other.txt"',
      }),
    });
    await here.write({ 'src/new.txt': 'new\n' });
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    assert.equal(done.data?.drift, undefined);
  });

  it('is no strand when the content stays the same', async () => {
    await here.commit({
      'discern.toml': config({ format: '"cp src/a.txt ../a && cp ../a src/a.txt && touch src/a.txt"' }),
    });
    assert.equal((await verb('done', here.path)).data?.proof?.state, 'valid');
  });

  it('is named from the project root, also outside it, with a command that shows it there', async () => {
    await here.commit({
      'packages/web/discern.toml': config({
        format: '"echo changed > \'src/a b.txt\'; echo changed > ../lib/c.txt"',
      }),
      'packages/web/src/a b.txt': 'a\n',
      'packages/lib/c.txt': 'c\n',
    });
    const root = join(here.path, 'packages', 'web');
    const done = await verb('done', root);
    assert.deepEqual(done.data?.drift?.map(({ file }) => file).sort(), ['../lib/c.txt', 'src/a b.txt']);
    for (const finding of done.diagnostics ?? []) {
      assert.match(await shown(finding.reproduce_cmd, root), /^\+changed$/m, finding.reproduce_cmd);
    }
    assert.equal(done.diagnostics?.length, 2);
  });

  it('is a strand also where git was told that mode bits do not count: the commit lacks it', async () => {
    await here.commit({ 'discern.toml': config({ test: '"chmod +x src/a.txt"' }) });
    await git(here.path, 'config', 'core.fileMode', 'false');
    const done = await verb('done', here.path);
    assert.equal(done.error, 'tree_drift', done.message);
    assert.deepEqual(
      done.data?.drift?.map(({ file }) => file),
      ['src/a.txt'],
    );
  });
});

describe('A strand in a file with an odd name', () => {
  const here = workshop();

  it('is named with its diff and a command that shows it, in a message of one line', async () => {
    const names = [
      '\ttab.txt',
      '*.txt',
      '-n.txt',
      ':(glob)*.txt',
      'with space.txt',
      'with"quote.txt',
      "with'apostrophe.txt",
      'with\\backslash.txt',
      'with\nnewline.txt',
      'ümlaut ☃.txt',
    ];
    await here.commit({
      'discern.toml': config({ test: '"sh ../change.sh"' }),
      ...Object.fromEntries(names.map((name) => [name, 'a\n'])),
    });
    const script = names.map((name) => `echo changed > ./${quoted(name)}\n`).join('');
    await writeFile(join(here.home, 'change.sh'), script);
    const done = await verb('done', here.path);
    assert.equal(done.error, 'tree_drift', done.message);
    assert.equal(done.message?.includes('\n'), false);
    assert.deepEqual(done.data?.drift?.map(({ file }) => file).sort(), names.sort());
    for (const { file, stage, diff } of done.data?.drift ?? []) {
      assert.equal(stage, 'test', file);
      assert.match(diff, /^-a\n\+changed$/m, file);
    }
    for (const { file, reproduce_cmd: command } of done.diagnostics ?? []) {
      const diff = await shown(command, here.path);
      assert.match(diff, /^-a\n\+changed$/m, command);
      assert.equal(diff.split('diff --git').length, 2, `${command} shows ${file} alone`);
    }
  });

  // Elsewhere file names are text, and the system refuses other bytes.
  if (process.platform === 'linux') {
    it('is named as git writes it when its bytes are no UTF-8', async () => {
      const writing = (text: string) => `echo ${text} > "$(printf 'caf\\351')"\n`;
      await writeFile(join(here.home, 'change.sh'), writing('changed'));
      await shown(writing('a'), here.path);
      await here.commit({ 'discern.toml': config({ test: '"sh ../change.sh"' }) });
      const done = await verb('done', here.path);
      assert.equal(done.error, 'tree_drift', done.message);
      const [drift] = done.data?.drift ?? [];
      assert.equal(drift?.file, '"caf\\351"');
      assert.equal(drift?.stage, 'test');
      const [finding] = done.diagnostics ?? [];
      assert.match(await shown(finding?.reproduce_cmd ?? 'false', here.path), /^-a\n\+changed$/m);
    });
  }
});
