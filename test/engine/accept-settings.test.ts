import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const hooks = [
  'reference-transaction',
  'pre-receive',
  'update',
  'post-merge',
  'post-checkout',
  'post-index-change',
];

/** Everything a user may have set that could stand in the way of, or be run by, a landing. */
async function burden(project: Project): Promise<void> {
  const fails = join(project.home, 'fails.sh');
  await writeFile(fails, `#!/bin/sh\ntouch "${join(project.home, 'was-run')}"\nexit 1\n`, { mode: 0o755 });
  for (const hook of hooks) {
    await writeFile(join(project.root, '.git/hooks', hook), `#!/bin/sh\nexec "${fails}"\n`, { mode: 0o755 });
  }
  const settings: Record<string, string> = {
    'core.hooksPath': join(project.root, '.git/hooks'),
    'core.fsmonitor': fails,
    'core.pager': fails,
    'core.safecrlf': 'true',
    'core.quotePath': 'true',
    'core.logAllRefUpdates': 'false',
    'diff.external': fails,
    'diff.noprefix': 'true',
    'diff.relative': 'true',
    'diff.ignoreSubmodules': 'all',
    'diff.renames': 'copies',
    'status.showUntrackedFiles': 'no',
    'status.relativePaths': 'false',
    'status.branch': 'false',
    'merge.ff': 'no',
    'merge.verifySignatures': 'true',
    'commit.gpgSign': 'true',
    'gpg.program': fails,
    'log.showSignature': 'true',
    'log.decorate': 'full',
    'format.pretty': 'raw',
    'color.ui': 'always',
    'advice.detachedHead': 'true',
    'submodule.recurse': 'true',
    'rerere.enabled': 'true',
    'worktree.guessRemote': 'true',
    'push.default': 'nothing',
    'receive.denyUpdates': 'true',
    'alias.status': `!${fails}`,
    'alias.merge': `!${fails}`,
  };
  for (const [name, value] of Object.entries(settings)) await git(project.root, 'config', name, value);
}

const plainly = (checkout: string, ...args: string[]) =>
  git(
    checkout,
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'core.fsmonitor=false',
    '-c',
    'color.ui=false',
    ...args,
  );

describe('What accept decides', () => {
  afterEach(removeAll);

  it('depends on no setting and no hook of the user, and runs none', async () => {
    const project = await make();
    await burden(project);
    const { path } = await started(project.root, { name: 'x' });
    await project.write({ 'src/b.txt': 'b\r\n', 'src/a.txt': 'changed\n' }, path);
    await plainly(path, 'add', '--all');
    await plainly(path, '-c', 'commit.gpgSign=false', 'commit', '--quiet', '-m', 'work');
    const commit = await plainly(path, 'rev-parse', 'HEAD');
    succeeded(await verb('done', path));
    const preview = await verb('accept', path, { dry_run: true });
    assert.ok(preview.plan?.steps.some(({ detail }) => /^[0-9a-f]+ work$/.test(detail ?? '')));
    const data = succeeded(await verb('accept', path));
    assert.deepEqual(data.landing, {
      recovery_performed: false,
      trunk_landed: true,
      worktree_removed: true,
      branch_deleted: true,
    });
    assert.equal(await plainly(project.root, 'rev-parse', 'main'), commit);
    assert.equal(await plainly(project.root, 'status', '--porcelain', '-unormal'), '');
    assert.equal(
      await plainly(project.root, 'log', '-1', '-g', '--format=%gs', 'main'),
      'discern: accept agent/'.concat(data.worktree.split('/').at(-1) ?? ''),
    );
    assert.ok(!(await everything(project)).files.some((name) => name.startsWith('was-run')));
  });

  it('sees untracked files and changes in the way, whatever git is told to hide', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    await burden(project);
    await project.write({ 'src/b.txt': 'mine\n' });
    const answer = await verb('accept', path);
    refusedWith(answer, 'dirty_landing_checkout', /src\/b\.txt/);
    await project.write({ 'loose.txt': '' }, path);
    refusedWith(await verb('accept', path), 'dirty_worktree', /loose\.txt/);
  });

  it('holds for a drop too', async () => {
    const project = await make();
    await burden(project);
    const { path, id } = await started(project.root);
    await project.write({ 'crlf.txt': 'one\r\ntwo\n' }, path);
    const data = succeeded(
      await verb('drop', project.root, { worktree: id, delete_branch: true, force: true }),
    );
    assert.equal(await plainly(project.root, 'show', `${data.recovery_ref}:crlf.txt`), 'one\r\ntwo');
    assert.ok(!(await everything(project)).files.some((name) => name.startsWith('was-run')));
  });
});
