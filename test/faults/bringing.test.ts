import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listing, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

describe('A start that is killed while it brings ignored files along', () => {
  afterEach(removeAll);

  for (const point of ['start.bringing', 'start.brought']) {
    it(`leaves each thing whole or not there at ${point}, and all of it goes with the worktree`, async () => {
      const project = await make({
        files: { '.gitignore': 'node_modules/\n*.local\n', '.worktreeinclude': 'node_modules/\n*.local\n' },
      });
      await project.write({
        'a.local': 'mine\n',
        'node_modules/x/index.js': 'x\n',
        'node_modules/x/deep/y.js': 'y\n',
      });
      const before = await listing(project.root);
      await killedAt(point, 'start', project.root, {});
      const folder = `${project.root}.worktrees`;
      const [name = ''] = await readdir(folder);
      const found = await listing(join(folder, name));
      const whole = ['node_modules/x/deep/y.js', 'node_modules/x/index.js'];
      const there = whole.filter((file) => found.some((one) => one.startsWith(`${file} `)));
      assert.ok(there.length === 0 || there.length === whole.length, found.join('\n'));
      assert.deepEqual(
        found.filter((one) => one.includes('bringing')),
        [],
      );
      if (point === 'start.brought') assert.equal(there.length, 2);
      assert.deepEqual(await listing(project.root), before, 'the checkout they come from is as it was');

      const gitDir = await git(join(folder, name), 'rev-parse', '--absolute-git-dir');
      succeeded(
        await verb('drop', join(folder, name), { worktree: join(folder, name), delete_branch: true }),
      );
      await assert.rejects(readdir(gitDir), 'what was copied aside is gone too');
      const again = await started(project.root);
      assert.equal(await readFile(join(again.path, 'node_modules/x/deep/y.js'), 'utf8'), 'y\n');
      assert.equal(await readFile(join(again.path, 'a.local'), 'utf8'), 'mine\n');
    });
  }
});
