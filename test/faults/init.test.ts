import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, assertWorks, faultPoints, killedAt } from '../support/invariants.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();
const points = faultPoints().filter((point) => point.startsWith('init.'));

describe(`An init killed at each of ${points.length} points`, () => {
  afterEach(removeAll);

  for (const point of points) {
    it(`leaves the whole file and, after the next status, nothing else at ${point}`, async () => {
      const project = await make({ config: null, files: { Makefile: 'test:\n\ttest -f src/a.txt\n' } });
      const commit = await git(project.root, 'rev-parse', 'HEAD');
      await killedAt(point, 'init', project.root);

      const { worktrees, recovery } = await assertSound(project, [commit]);
      assert.equal(recovery?.performed, point === 'init.written' ? undefined : true);
      assert.equal(worktrees.length, 1);
      assert.deepEqual(await readdir(project.home), ['app']);
      assert.match(await readFile(join(project.root, 'discern.toml'), 'utf8'), /^test = "make test"/m);
      refusedWith(await verb('init', project.root), 'path_exists');
      await git(project.root, 'add', 'discern.toml');
      await git(project.root, 'commit', '--quiet', '-m', 'project');
      await assertWorks(project);
    });
  }

  it('is cleared up by the next init of another package too', async () => {
    const files = { 'a/go.mod': 'module a\n', 'b/Makefile': 'test:\n\ttrue\n' };
    const project = await make({ config: null, files });
    await killedAt('init.added', 'init', join(project.root, 'a'));
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 2);
    succeeded(await verb('init', join(project.root, 'b')));
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
    assert.deepEqual(await readdir(project.home), ['app']);
  });

  it('never takes away a directory that a journal of another make names', async () => {
    const project = await make();
    const state = join(project.root, '.git/discern-vscode');
    succeeded(await verb('status', project.root));
    await project.write({ '../precious/a.txt': 'x' });
    await verb('done', project.root);
    const journal = { version: 1, path: join(project.home, 'precious'), directories: [] };
    await writeFile(join(state, 'init-proof.json'), JSON.stringify(journal));
    succeeded(await verb('status', project.root));
    assert.deepEqual(await readdir(join(project.home, 'precious')), ['a.txt']);
  });
});
