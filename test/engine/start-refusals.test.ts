import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Args } from '../../src/contract/verbs.ts';
import { everything, refusedWith, started } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitSubmodule, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** Checks that a start is refused and leaves everything as it was; resolves with the message. */
async function refused(
  project: Project,
  args: Args<'start'>,
  error: string,
  directory = project.root,
): Promise<string> {
  const before = await everything(project);
  const message = refusedWith(await verb('start', directory, args), error);
  assert.deepEqual(await everything(project), before, `after ${error}`);
  return message;
}

describe('start refuses, and leaves everything as it was,', () => {
  afterEach(removeAll);

  it('inside a worktree, and names where to start from', async () => {
    const project = await make();
    const { path, branch } = await started(project.root);
    const message = await refused(project, {}, 'already_in_worktree', path);
    assert.ok(message.includes(project.root) && message.includes(branch ?? '?'), message);
  });

  it('in a submodule whose work tree its config names for every checkout, and what it says to do helps', async () => {
    const project = await make();
    const super_ = join(project.home, 'super');
    await git(project.home, 'init', '--quiet', super_);
    await gitSubmodule(super_, 'add', project.root, 'sub');
    const sub = join(super_, 'sub');
    await git(sub, 'config', 'extensions.worktreeConfig', 'true');
    const message = await refused({ ...project, root: sub }, {}, 'unavailable', sub);
    for (const [, command = ''] of message.matchAll(/"(git config [^"]+)"/g))
      execFileSync('sh', ['-c', command], { cwd: sub });
    const { path } = await started(sub);
    assert.equal(await git(path, 'rev-parse', '--show-toplevel'), path);
    assert.equal(await git(path, 'status', '--porcelain'), '');
    const commit = await project.commit({ 'b.txt': 'b\n' }, path);
    assert.equal((await verb('accept', path)).ok, true);
    assert.equal(await git(sub, 'rev-parse', 'HEAD'), commit);
  });

  it('in a linked checkout of a bare hub when none has the trunk', async () => {
    const project = await make();
    const hub = join(project.home, 'hub.git');
    await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
    const other = join(project.home, 'other');
    await git(hub, 'worktree', 'add', '--quiet', '-b', 'other', other);
    const message = refusedWith(await verb('start', other), 'already_in_worktree');
    assert.match(message, /git worktree add <directory> main/);
  });

  it('a base that does not exist', async () => {
    const project = await make();
    for (const from of ['nowhere', '', ' ', '--detach', '-b', 'main..main', 'v1^{/x', 'deadbeef']) {
      const message = await refused(project, { from }, 'unknown_ref');
      assert.ok(message.includes(`"${from}"`), message);
    }
  });

  it('a base that is not a commit', async () => {
    const project = await make();
    const blob = await git(project.root, 'rev-parse', 'HEAD:src/a.txt');
    await git(project.root, 'tag', 'blob', blob);
    await refused(project, { from: 'blob' }, 'unknown_ref');
  });

  it('a base that may be a branch or a tag', async () => {
    const project = await make();
    await git(project.root, 'branch', 'both');
    await project.commit({ b: '' });
    await git(project.root, 'tag', 'both');
    assert.match(await refused(project, { from: 'both' }, 'ambiguous_ref'), /refs\/heads\/both/);
    await started(project.root, { from: 'refs/heads/both' });
  });

  it('a base that is too short a commit id', async () => {
    const project = await make();
    const commits = Array.from(
      { length: 1500 },
      (_, n) => `commit refs/heads/many\ncommitter A <a@example.invalid> ${n} +0000\ndata 0\n\n`,
    );
    execFileSync('git', ['fast-import', '--quiet'], { cwd: project.root, input: commits.join('') });
    const ids = (await git(project.root, 'rev-list', 'many')).split('\n').map((id) => id.slice(0, 4));
    const short = ids.find((id, index) => ids.indexOf(id) !== index);
    assert.ok(short, 'of 1500 commits two begin alike');
    await refused(project, { from: short }, 'ambiguous_ref');
  });

  it('a branch in the way of the prefix', async () => {
    const project = await make();
    await git(project.root, 'branch', 'agent');
    const message = await refused(project, {}, 'branch_exists');
    assert.match(message, /branch_prefix/);
  });

  it('a file where the folder of worktrees goes', async () => {
    const project = await make();
    await writeFile(join(project.home, 'app.worktrees'), 'mine');
    assert.match(await refused(project, {}, 'path_exists'), /app\.worktrees/);
  });

  it('a file above where the folder of worktrees goes', async () => {
    const toml = '[project]\nname = "x"\n[worktree]\nroot = "../file/deep/trees"\n';
    const project = await make({ config: toml });
    await writeFile(join(project.home, 'file'), 'mine');
    await refused(project, {}, 'path_exists');
  });

  for (const prefix of ['a..b/', '/', 'agent//', 'x.lock/', 'sp ace/', '-x/', 'a~b/']) {
    it(`the prefix "${prefix}", which makes no branch name`, async () => {
      const project = await make({
        config: `[project]\nname = "x"\n[repository]\nbranch_prefix = "${prefix}"\n`,
      });
      assert.match(await refused(project, {}, 'config_error'), /branch_prefix/);
    });
  }

  it('a base that has no discern.toml', async () => {
    const project = await make();
    await git(project.root, 'switch', '--quiet', '--orphan', 'bare');
    await project.commit({ other: '' });
    await git(project.root, 'switch', '--quiet', 'main');
    assert.match(await refused(project, { from: 'bare' }, 'not_initialized'), /bare has no discern\.toml/);
  });

  it('a base whose discern.toml is wrong, since no worktree of it could be gated', async () => {
    const project = await make();
    await git(project.root, 'switch', '--quiet', '-c', 'broken');
    await project.commit({ 'discern.toml': '[project\n' });
    await git(project.root, 'switch', '--quiet', 'main');
    await refused(project, { from: 'broken' }, 'config_error');
  });

  it('a repository without a trunk, unless it is told what to start from', async () => {
    const project = await make({ branch: 'topic' });
    await refused(project, {}, 'unknown_ref');
    await started(project.root, { from: 'topic' });
  });

  it('a call that was cancelled before it began', async () => {
    const project = await make();
    const before = await everything(project);
    const signal = AbortSignal.abort();
    refusedWith(await verb('start', project.root, {}, { signal }), 'cancelled');
    assert.deepEqual(await everything(project), before);
  });

  it('but never takes back a folder that was there', async () => {
    const project = await make();
    await mkdir(join(project.home, 'app.worktrees/mine'), { recursive: true });
    await git(project.root, 'branch', 'agent');
    await refused(project, {}, 'branch_exists');
  });
});
