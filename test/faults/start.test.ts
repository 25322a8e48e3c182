import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, assertWorks, faultPoints, killedAt } from '../support/invariants.ts';
import { log, logged } from '../support/jobs.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const mine = (verbName: string) => faultPoints().filter((point) => point.startsWith(`${verbName}.`));
const startPoints = mine('start');
const updatePoints = mine('update');

describe(`A start killed at each of ${startPoints.length} points`, () => {
  afterEach(removeAll);

  for (const point of startPoints) {
    it(`loses nothing at ${point}, and what it left can be seen and dropped`, async () => {
      const project = await make();
      const commit = await git(project.root, 'rev-parse', 'HEAD');
      await project.write({ 'loose.txt': 'precious\n' });
      await killedAt(point, 'start', project.root, { name: 'killed' });

      const { worktrees } = await assertSound(project, [commit]);
      assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
      assert.equal(await readFile(join(project.root, 'loose.txt'), 'utf8'), 'precious\n');
      await started(project.root, { name: 'killed' });
      for (const { path, location } of worktrees) {
        if (location === 'main') continue;
        succeeded(await verb('drop', project.root, { worktree: path, delete_branch: true }));
      }
      await assertSound(project, [commit]);
      await assertWorks(project);
    });
  }
});

describe(`An update killed at each of ${updatePoints.length} points`, () => {
  afterEach(removeAll);

  for (const point of updatePoints) {
    it(`loses nothing at ${point}, and the next one finishes it`, async () => {
      const project = await make();
      const { path } = await started(project.root);
      const own = await project.commit({ 'own.txt': '' }, path);
      const trunk = await project.commit({ 'trunk.txt': '' });
      await project.write({ 'loose.txt': 'precious\n' }, path);
      await killedAt(point, 'update', path);

      await assertSound(project, [own, trunk]);
      assert.equal(await readFile(join(path, 'loose.txt'), 'utf8'), 'precious\n');
      assert.equal(await git(path, 'status', '--porcelain'), '?? loose.txt', 'no half of a merge');
      const { after } = succeeded(await verb('update', path));
      assert.equal(await git(path, 'rev-parse', 'HEAD'), after);
      assert.equal(await git(path, 'rev-parse', 'HEAD^1', 'HEAD^2'), `${own}\n${trunk}`);
      assert.equal(await git(path, 'ls-files', 'own.txt', 'trunk.txt'), 'own.txt\ntrunk.txt');
      refusedWith(await verb('accept', path), 'dirty_worktree', /loose\.txt/);
    });
  }

  it('leaves no ensure undone', async () => {
    const toml = `[project]\nname = "x"\n[worktree]\nroot = ".."\n[repository]\nensure = [${JSON.stringify(log('ensured'))}]\n`;
    const project = await make({ config: toml });
    const { path } = await started(project.root);
    await project.commit({ 'trunk.txt': '' });
    await killedAt('update.moved', 'update', path);
    assert.deepEqual(await logged(project), ['ensured']);
    succeeded(await verb('update', path));
    assert.deepEqual(await logged(project), ['ensured', 'ensured']);
  });
});
