import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Args } from '../../src/contract/verbs.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

async function refused(
  project: Project,
  directory: string,
  error: string,
  message?: RegExp,
  args: Args<'update'> = {},
): Promise<void> {
  const before = await everything(project);
  refusedWith(await verb('update', directory, args), error, message);
  assert.deepEqual(await everything(project), before, `after ${error}`);
}

/** A worktree that lacks one commit of the trunk and has one of its own. */
async function behind(project: Project): Promise<string> {
  const { path } = await started(project.root);
  await project.commit({ 'mine.txt': 'mine\n' }, path);
  await project.commit({ 'theirs.txt': 'theirs\n', 'src/a.txt': 'changed\n' });
  return path;
}

describe('update refuses, and changes nothing,', () => {
  afterEach(removeAll);

  it('where work lands', async () => {
    const project = await make();
    await refused(project, project.root, 'not_in_worktree', /call start first/);
  });

  it('uncommitted changes of tracked files, staged or not', async () => {
    const project = await make();
    const path = await behind(project);
    await project.write({ 'src/a.txt': 'edited\n' }, path);
    await refused(project, path, 'dirty_worktree', /src\/a\.txt/);
    await git(path, 'add', '--all');
    await refused(project, path, 'dirty_worktree', /src\/a\.txt/);
  });

  it('untracked files that the merge would overwrite, and names them', async () => {
    const project = await make();
    const path = await behind(project);
    await project.write({ 'theirs.txt': 'precious\n' }, path);
    await refused(project, path, 'dirty_worktree', /theirs\.txt/);
  });

  it('ignored files that the merge would overwrite', async () => {
    const project = await make({ files: { '.gitignore': 'theirs.txt\n' } });
    const { path } = await started(project.root);
    await project.write({ 'theirs.txt': 'precious\n' }, path);
    await project.write({ 'theirs.txt': 'theirs\n' });
    await git(project.root, 'add', '--force', 'theirs.txt');
    await git(project.root, 'commit', '--quiet', '-m', 'theirs');
    await refused(project, path, 'dirty_worktree', /theirs\.txt/);
  });

  it('in the middle of a merge, a rebase or a cherry-pick', async () => {
    const project = await make();
    const { path, branch } = await started(project.root);
    await project.commit({ 'src/a.txt': 'mine\n' }, path);
    const theirs = await project.commit({ 'src/a.txt': 'theirs\n' });
    for (const [command, remedy] of [
      [['merge', 'main'], 'merge --abort'],
      [['rebase', 'main'], 'rebase --abort'],
      [['cherry-pick', theirs], 'cherry-pick --abort'],
    ] as const) {
      await assert.rejects(git(path, ...command));
      await refused(project, path, 'dirty_worktree', new RegExp(`in the middle of .*git ${remedy}`));
      await git(path, ...remedy.split(' '));
    }
    assert.equal(await git(path, 'branch', '--show-current'), branch);
  });

  it('a source that does not exist, or may be two things', async () => {
    const project = await make();
    const path = await behind(project);
    await refused(project, path, 'unknown_ref', /"nowhere"/, { from: 'nowhere' });
    await refused(project, path, 'unknown_ref', undefined, { from: '--abort' });
    await git(project.root, 'branch', 'both');
    await git(project.root, 'tag', 'both', 'HEAD~1');
    await refused(project, path, 'ambiguous_ref', undefined, { from: 'both' });
  });

  it('a history that shares nothing with the branch', async () => {
    const project = await make();
    const path = await behind(project);
    await git(project.root, 'switch', '--quiet', '--orphan', 'island');
    await project.commit({ alone: '' });
    await git(project.root, 'switch', '--quiet', 'main');
    await refused(project, path, 'invalid_argument', /shares no history/, { from: 'island' });
  });
});

describe('What update does', () => {
  afterEach(removeAll);

  it('depends on no setting and no hook of the user', async () => {
    const project = await make();
    const { path, branch } = await started(project.root);
    const mine = await project.commit({ 'src/a.txt': 'mine\n', 'mine.txt': '' }, path);
    const hooks = join(project.home, 'hooks');
    await project.write(
      {
        'pre-merge-commit': '',
        'post-merge': '',
        'reference-transaction': '',
        'commit-msg': '',
        'post-checkout': '',
      },
      hooks,
    );
    for (const hook of [
      'pre-merge-commit',
      'post-merge',
      'reference-transaction',
      'commit-msg',
      'post-checkout',
    ]) {
      await writeFile(join(hooks, hook), `#!/bin/sh\ntouch ${join(project.home, 'hook-ran')}\nexit 1\n`, {
        mode: 0o755,
      });
    }
    const settings = {
      'merge.ff': 'only',
      'merge.verifySignatures': 'true',
      'merge.conflictStyle': 'zdiff3',
      'merge.autoStash': 'true',
      'core.hooksPath': hooks,
      'core.fsmonitor': '/nonexistent',
      'status.showUntrackedFiles': 'no',
      [`branch.${branch}.mergeOptions`]: '--squash --no-ff -s ours',
      'i18n.commitEncoding': 'ISO-8859-1',
    };
    const theirs = await project.commit({ 'theirs.txt': 'theirs\n' });
    for (const [name, value] of Object.entries(settings)) await git(project.root, 'config', name, value);
    succeeded(await verb('update', path));
    assert.equal(await git(path, 'rev-parse', 'HEAD^1', 'HEAD^2'), `${mine}\n${theirs}`);
    assert.ok(!(await everything(project)).files.some((name) => name.startsWith('hook-ran')));
    assert.ok(!(await git(path, 'cat-file', 'commit', 'HEAD')).includes('encoding'));

    const { path: other } = await started(project.root);
    const later = await git(project.root, 'commit-tree', '-m', 'later', '-p', 'main', 'main^{tree}');
    await git(project.root, '-c', 'core.hooksPath=/dev/null', 'update-ref', 'refs/heads/main', later);
    await git(
      other,
      'config',
      `branch.${await git(other, 'branch', '--show-current')}.mergeOptions`,
      '-s ours --no-ff',
    );
    assert.equal(succeeded(await verb('update', other)).after, later, 'a fast-forward stays one');
  });
});

describe('The merge commit of an update', () => {
  afterEach(removeAll);

  it('is signed where the user’s git signs, and is refused where it cannot be', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    await project.commit({ 'src/c.txt': 'c\n' });
    await git(path, 'config', 'commit.gpgSign', 'true');
    await git(path, 'config', 'gpg.program', join(project.home, 'gpg'));
    const before = await everything(project);
    refusedWith(await verb('update', path), 'unavailable', /commit\.gpgSign.*Nothing was changed/);
    assert.deepEqual(await git(path, 'rev-parse', 'HEAD'), await git(path, 'rev-parse', 'HEAD@{0}'));
    assert.deepEqual((await everything(project)).refs, before.refs);
    await writeFile(
      join(project.home, 'gpg'),
      '#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho "-----BEGIN PGP SIGNATURE-----"\necho\necho "-----END PGP SIGNATURE-----"\n',
      { mode: 0o755 },
    );
    succeeded(await verb('update', path));
    assert.match(await git(path, 'cat-file', 'commit', 'HEAD'), /^gpgsig -----BEGIN PGP SIGNATURE-----$/m);
  });
});
