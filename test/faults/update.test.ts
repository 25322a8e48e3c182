import assert from 'node:assert/strict';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { pointsOf } from '../support/fault-points.ts';
import { killedAt } from '../support/invariants.ts';
import { log, logged } from '../support/jobs.ts';
import { projects } from '../support/project.ts';

const { make, removeAll } = projects();

describe('An update that was killed', () => {
  afterEach(removeAll);

  for (const point of pointsOf.update) {
    it(`at ${point}, of a branch with nothing of its own, leaves it a branch with nothing to land`, async () => {
      const project = await make();
      const { path } = await started(project.root);
      await project.commit({ 'trunk.txt': '' });
      await killedAt(point, 'update', path);
      succeeded(await verb('update', path));
      refusedWith(await verb('accept', path), 'invalid_argument', /nothing to land/);
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
