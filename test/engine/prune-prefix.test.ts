import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** With the last, and the first, branches of the person's lie under the prefix of ours. */
const prefixes = ['', 'f', 'feature/'];

describe('prune, whatever the prefix of branches is', () => {
  afterEach(removeAll);

  for (const prefix of prefixes) {
    it(`("${prefix}") deletes no user's branch, and the one of a start whose worktree is gone`, async () => {
      const config = `[jobs]\ntest = "true"\n[repository]\nbranch_prefix = "${prefix}"\n`;
      const project = await make({ config });
      const { path, branch } = await started(project.root);
      await rm(path, { recursive: true });
      // All merged, each with a name that a start could have given.
      const theirs = ['fix-login-a1b2c3', `${prefix}dark-mode-0f9e8d`, 'release-2024ab', `${prefix}a-abcdef`];
      for (const name of theirs) await git(project.root, 'branch', name);
      await git(project.root, 'config', 'branch.fix-login-a1b2c3.remote', 'origin');
      // One that has no reflog says nothing of where it comes from.
      await rm(join(project.root, '.git/logs/refs/heads/release-2024ab'));
      await project.commit({ 'b.txt': '' });
      const branches = async () =>
        (await git(project.root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).split('\n');
      const before = await branches();
      succeeded(await verb('prune', project.root, { dry_run: false }));
      assert.deepEqual(
        await branches(),
        before.filter((name) => name !== branch),
      );
    });
  }
});
