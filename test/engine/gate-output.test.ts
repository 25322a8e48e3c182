import assert from 'node:assert/strict';
import { access, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeRunDir, newRunDir, outputFile } from '../../src/engine/jobs/run-dir.ts';
import { verb } from '../support/engine.ts';
import { config, job } from '../support/jobs.ts';
import { projects } from '../support/project.ts';

const { make, removeAll } = projects();

const hour = 60 * 60 * 1000;

describe('The output of runs', () => {
  afterEach(removeAll);

  /** Makes directories of earlier runs, the oldest first, last written `age` milliseconds ago. */
  async function earlierRuns(common: string, count: number, age: number): Promise<string[]> {
    const runs = join(common, 'discern-vscode', 'runs');
    const names = Array.from(
      { length: count },
      (_, n) => `2020-01-01T00-00-${String(n).padStart(4, '0')}Z-done-abc`,
    );
    for (const name of names) {
      await makeRunDir(common, join(runs, name));
      const at = new Date(Date.now() - age);
      await writeFile(join(runs, name, '01-test.log'), 'printed\n');
      for (const file of ['01-test.log', 'run.json']) await utimes(join(runs, name, file), at, at);
      await utimes(join(runs, name), at, at);
    }
    return names;
  }

  it('is kept for the newest forty', async () => {
    const project = await make();
    const common = join(project.root, '.git');
    const names = await earlierRuns(common, 60, 2 * hour);
    const dir = await newRunDir(common, 'done');
    const left = (await readdir(dirname(dir))).sort();
    assert.deepEqual(left, [...names.slice(-39), basename(dir)]);
  });

  it('is kept of any run that may still be going', async () => {
    const project = await make();
    const common = join(project.root, '.git');
    const names = await earlierRuns(common, 60, 2 * hour);
    const runs = join(common, 'discern-vscode', 'runs');
    await writeFile(join(runs, names[3] ?? '', '01-test.log'), 'still printing\n');
    const young = new Date();
    await utimes(join(runs, names[5] ?? ''), young, young);
    await newRunDir(common, 'done');
    const left = await readdir(runs);
    assert.ok(left.includes(names[3] ?? ''));
    assert.ok(left.includes(names[5] ?? ''));
    assert.ok(!left.includes(names[4] ?? ''));
  });

  it('is kept of many recent runs', async () => {
    const project = await make();
    const common = join(project.root, '.git');
    const names = await earlierRuns(common, 60, hour / 2);
    await newRunDir(common, 'done');
    assert.equal((await readdir(join(common, 'discern-vscode', 'runs'))).length, names.length + 1);
  });

  it('has a directory of its own for each of many runs that begin at once', async () => {
    const project = await make();
    const common = join(project.root, '.git');
    await earlierRuns(common, 60, 2 * hour);
    const dirs = await Promise.all(Array.from({ length: 20 }, () => newRunDir(common, 'done')));
    assert.equal(new Set(dirs).size, dirs.length);
    for (const dir of dirs) await access(dir);
  });

  it('has one file a job inside its directory, whatever the job is called', async () => {
    const names = ['test', 'scope:a/../../b', '..', 'x'.repeat(300), 'ümlaut'];
    const files = names.map((name, index) => outputFile('/runs/one', name, index));
    for (const file of files) {
      assert.equal(dirname(file), '/runs/one');
      assert.ok(basename(file).length < 100);
    }
    assert.equal(new Set(files).size, names.length);
  });

  it('outlives the worktree, under the repository’s own directory', async () => {
    const project = await make({
      config: config({ one: job('check', 'echo one'), two: job('check', 'echo two') }),
    });
    const path = (await verb('start', project.root)).data?.path ?? '';
    const done = await verb('done', path);
    await verb('drop', project.root, { worktree: path, delete_branch: true });
    await assert.rejects(access(path));
    for (const step of done.steps ?? []) {
      assert.ok(step.output_path?.startsWith(join(project.root, '.git', 'discern-vscode', 'runs')));
      assert.equal(await readFile(step.output_path ?? '', 'utf8'), `${step.name}\n`);
    }
    assert.equal(done.steps?.length, 2);
  });
});
