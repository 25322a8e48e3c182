import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { log, logged } from '../support/jobs.ts';
import { git } from '../support/project.ts';
import { workshop } from '../support/workshop.ts';

const group = (run: string, paths = '["gen/**"]', rest = '') =>
  `[generated.index]\npaths = ${paths}\nrun = ${JSON.stringify(run)}\n${rest}`;
const make = 'mkdir -p gen; cat src/* > gen/all.txt';
const config = `[jobs]\ntest = "${log('test')}"\n${group(make)}`;

describe('done, with generated files', () => {
  const here = workshop({ config, files: { 'gen/all.txt': 'a\n', 'docs/x.md': 'x\n' }, worktree: true });
  const text = (name: string) => readFile(join(here.path, name), 'utf8');

  it('makes them anew before anything checks them, and is green when they are current', async () => {
    const done = await verb('done', here.path);
    assert.equal(succeeded(done).proof?.state, 'valid');
    assert.deepEqual(
      done.steps?.map(({ name, stage }) => [name, stage]),
      [
        ['generated:index', 'build'],
        ['test', 'test'],
      ],
    );
  });

  const drifts: [title: string, files: Record<string, string>, edited: string, diff: RegExp][] = [
    ['a source that changed', { 'src/b.txt': 'b\n' }, 'gen/all.txt', /^\+b$/m],
    ['an edit by hand', { 'gen/all.txt': 'mine\n' }, 'gen/all.txt', /^-mine\n\+a$/m],
    [
      'a file that is not committed',
      { 'discern.toml': `${config.replace(make, `${make}; echo new > gen/new.txt`)}` },
      'gen/new.txt',
      /a new file/,
    ],
    [
      'a file that is made no more',
      { 'discern.toml': config.replace(make, 'rm -rf gen') },
      'gen/all.txt',
      /^deleted file mode/m,
    ],
  ];
  for (const [title, files, file, diff] of drifts) {
    it(`is generated_drift for ${title}`, async () => {
      await here.commit(files);
      const done = await verb('done', here.path);
      refusedWith(
        done,
        'generated_drift',
        new RegExp(`${file.replace('.', '\\.')} \\(generated:index\\).*commit them`),
      );
      assert.deepEqual(
        done.data?.drift?.map(({ file: name, stage, generated }) => ({ name, stage, generated })),
        [{ name: file, stage: 'build', generated: 'index' }],
      );
      assert.match(done.data?.drift?.[0]?.diff ?? '', diff);
      assert.equal(done.diagnostics?.[0]?.rule, 'generated_drift');
      assert.equal(done.data?.proof?.state, 'none');
      assert.deepEqual(await logged(here), [], 'nothing ran on the other tree');
      await here.commit({});
      assert.equal(succeeded(await verb('done', here.path)).proof?.state, 'valid', 'what it made is right');
    });
  }

  it('sees a file that was being edited, too', async () => {
    await here.write({ 'gen/all.txt': 'half\n', 'src/b.txt': 'b\n' });
    refusedWith(await verb('done', here.path), 'generated_drift');
    assert.equal(await text('gen/all.txt'), 'a\nb\n');
    assert.equal((await verb('done', here.path)).ok, true, 'and is content once it is current');
  });

  it('leaves ignored files and others that are new alone', async () => {
    await here.commit({
      '.gitignore': 'gen/cache\n',
      'discern.toml': config.replace(make, `${make}; date > gen/cache`),
    });
    await here.write({ 'other/new.txt': 'x\n' });
    assert.equal((await verb('done', here.path)).ok, true);
  });

  it('is tree_drift where a generator changes what it does not own', async () => {
    await here.commit({
      'discern.toml': config.replace(make, `${make}; echo y > docs/x.md`),
      'src/b.txt': 'b\n',
    });
    refusedWith(await verb('done', here.path), 'tree_drift', /docs\/x\.md \(build\)/);
  });

  it('is gate_failed where a generator fails, and timed_out where it hangs', async () => {
    await here.commit({ 'discern.toml': config.replace(make, 'exit 3') });
    refusedWith(await verb('done', here.path), 'gate_failed', /^generated:index failed/);
    await here.commit({ 'discern.toml': `[jobs]\n${group('sleep 60', '["gen/**"]', 'timeout = 0.2\n')}` });
    refusedWith(await verb('done', here.path), 'timed_out', /^generated:index ran out of time/);
  });

  it('runs the generators where every change is neutral, and not for test', async () => {
    const scoped = `${config}[scopes.all]\npaths = ["src/", "discern.toml"]\nneutral = true\n`;
    await here.commit({ 'discern.toml': scoped, 'src/b.txt': 'b\n' });
    refusedWith(await verb('done', here.path), 'generated_drift');
    await git(here.path, 'checkout', '--quiet', 'gen');
    assert.equal((await verb('test', here.path)).ok, true);
    assert.equal(await text('gen/all.txt'), 'a\n');
  });

  it('whose globs match nothing makes nothing a drift', async () => {
    await here.commit({ 'discern.toml': `[jobs]\n${group('true', `["nowhere/**", "\${no.such}/x"]`)}` });
    assert.equal((await verb('done', here.path)).ok, true);
    await rm(join(here.path, 'gen'), { recursive: true });
    assert.equal((await verb('done', here.path)).ok, true);
  });
});
