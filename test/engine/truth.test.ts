import assert from 'node:assert/strict';
import { chmod, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GateData } from '../../src/contract/data.ts';
import type { Envelope } from '../../src/contract/envelope.ts';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitSubmodule, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A worktree with a commit of its own, which a gate would prove as it stands. */
async function work(config?: string): Promise<{ project: Project; path: string }> {
  const project = await make({ files: { 'src/run.sh': '#!/bin/sh\n' }, ...(config && { config }) });
  const { path } = await started(project.root);
  await project.commit({ 'src/b.txt': 'bbbb\n' }, path);
  return { project, path };
}

/** An edit of equal size and modification time, with a git that is told to look at little else; resolves with its file. */
async function hiddenEdit(path: string): Promise<string> {
  await git(path, 'config', 'core.checkStat', 'minimal');
  await git(path, 'config', 'core.trustctime', 'false');
  const file = join(path, 'src/b.txt');
  const old = new Date(Date.now() - 60_000);
  await utimes(file, old, old);
  await git(path, 'update-index', '--refresh');
  const { atime, mtime } = await stat(file);
  await writeFile(file, 'cccc\n');
  await utimes(file, atime, mtime);
  return file;
}

/** The gate is green about the tree, but the tree is not the commit: no proof, and a reason that names the file. */
function noProof(envelope: Envelope<GateData>, file: string): void {
  assert.equal(envelope.ok, true, envelope.message);
  assert.equal(envelope.data?.proof?.state, 'none', JSON.stringify(envelope.data?.proof));
  assert.ok(envelope.data?.proof?.reason?.includes(file), envelope.data?.proof?.reason);
}

describe('A proof is of exactly one commit, whatever git was told', () => {
  afterEach(removeAll);

  for (const flag of ['--assume-unchanged', '--skip-worktree']) {
    it(`not of a tree from which a file flagged ${flag} was removed or edited`, async () => {
      const { path } = await work();
      await git(path, 'update-index', flag, 'src/b.txt');
      succeeded(await verb('done', path));
      await rm(join(path, 'src/b.txt'));
      noProof(await verb('done', path), 'src/b.txt');
      await writeFile(join(path, 'src/b.txt'), 'other\n');
      noProof(await verb('done', path), 'src/b.txt');
    });

    it(`not when a job flags ${flag} and removes`, async () => {
      const job = `git update-index ${flag} src/b.txt && rm src/b.txt`;
      const { path } = await work(`[jobs]\ntest = "test ! -f src/b.txt || { ${job}; }"\n`);
      const done = await verb('done', path);
      assert.notEqual(done.data?.proof?.state, 'valid', JSON.stringify(done.data));
    });
  }

  for (const [kind, args] of [
    ['cone', ['set', '--cone', 'other']],
    ['pattern', ['set', '--no-cone', '/*', '!/src/b.txt']],
    ['cone with a sparse index', ['set', '--cone', '--sparse-index', 'other']],
  ] as const) {
    it(`not of a sparse checkout (${kind}): what it leaves out was not judged`, async () => {
      const { project, path } = await work('[jobs]\ntest = "true"\n');
      await project.commit({ 'other/x.txt': 'x\n' }, path);
      await git(path, 'sparse-checkout', ...args);
      noProof(await verb('done', path), 'src/b.txt');
      await git(path, 'sparse-checkout', 'disable');
      assert.equal(succeeded(await verb('done', path)).proof?.state, 'valid');
    });
  }

  it('not of a mode the commit lacks, with core.fileMode off', async () => {
    const { path } = await work('[jobs]\ntest = "test -x src/run.sh || true"\n');
    await git(path, 'config', 'core.fileMode', 'false');
    await chmod(join(path, 'src/run.sh'), 0o755);
    noProof(await verb('done', path), 'src/run.sh');
  });

  it('not of an edit of equal size and time, however little core.checkStat and trustctime look at', async () => {
    const { path } = await work();
    const file = await hiddenEdit(path);
    assert.equal(await git(path, 'status', '--porcelain'), '', 'git itself does not see it');
    noProof(await verb('done', path), 'src/b.txt');
    const accepted = await verb('accept', path);
    assert.equal(accepted.error, 'dirty_worktree', accepted.message);
    assert.equal(await readFile(file, 'utf8'), 'cccc\n');
  });

  it('also where one file is flagged or there is a submodule, and no removal takes such an edit along', async () => {
    const { project, path } = await work();
    const other = await make();
    await gitSubmodule(path, 'add', other.root, 'sub');
    await git(path, 'commit', '--quiet', '-m', 'submodule');
    await git(path, 'update-index', '--assume-unchanged', 'src/a.txt');
    const file = await hiddenEdit(path);
    noProof(await verb('done', path), 'src/b.txt');
    const args = { worktree: path, delete_branch: true };
    const dropped = await verb('drop', project.root, args);
    assert.equal(dropped.error, 'dirty_worktree', dropped.message);
    assert.ok(dropped.message?.includes('src/b.txt'), dropped.message);
    assert.equal(await readFile(file, 'utf8'), 'cccc\n');
  });

  it('not with a file whose name differs by case alone, with core.ignoreCase on', async () => {
    const { path } = await work();
    await git(path, 'config', 'core.ignoreCase', 'true');
    await writeFile(join(path, 'src/B.txt'), 'a file of its own\n');
    // On a file system that knows no case it is the tracked file that was written.
    const apart = (await readFile(join(path, 'src/b.txt'), 'utf8')) === 'bbbb\n';
    noProof(await verb('done', path), apart ? 'src/B.txt' : 'src/b.txt');
    const accepted = await verb('accept', path);
    assert.equal(accepted.error, 'dirty_worktree', accepted.message);
    assert.equal(await readFile(join(path, 'src/B.txt'), 'utf8'), 'a file of its own\n');
  });

  it('not of a symlink that became a file, with core.symlinks off', async () => {
    const { project, path } = await work();
    await symlink('b.txt', join(path, 'src/link'));
    await project.commit({}, path);
    await git(path, 'config', 'core.symlinks', 'false');
    await rm(join(path, 'src/link'));
    await writeFile(join(path, 'src/link'), 'b.txt');
    noProof(await verb('done', path), 'src/link');
  });

  it('and history is what the objects say: a replaced commit or a graft changes nothing', async () => {
    const { project, path } = await work();
    await project.commit({ 'src/c.txt': 'c\n' });
    assert.equal((await verb('done', path)).error, 'behind_trunk');
    const [trunk, own] = [await git(project.root, 'rev-parse', 'main'), await git(path, 'rev-parse', 'HEAD')];
    await git(path, 'replace', '--graft', own, trunk);
    assert.equal((await verb('done', path)).error, 'behind_trunk', 'a replacement is no ancestry');
    await git(path, 'replace', '-d', own);
    await writeFile(join(project.root, '.git/info/grafts'), `${own} ${trunk}\n`);
    assert.equal((await verb('done', path)).error, 'behind_trunk', 'nor is a graft');
  });

  it('and so nothing is counted, merged or landed by a replacement or a graft', async () => {
    const grafts = (root: string) => join(root, '.git/info/grafts');
    const tellings: ((at: {
      path: string;
      root: string;
      own: string;
      trunk: string;
      base: string;
    }) => Promise<unknown>)[] = [
      ({ path, own, trunk }) => git(path, 'replace', '--graft', own, trunk),
      ({ root, own, trunk }) => writeFile(grafts(root), `${own} ${trunk}\n`),
      // The other way round: the trunk's commit is told to be the one the branch began at.
      ({ path, trunk, base }) => git(path, 'replace', trunk, base),
    ];
    for (const tell of tellings) {
      const { project, path } = await work();
      const { root } = project;
      const base = await git(path, 'rev-parse', 'main');
      const trunk = await project.commit({ 'src/c.txt': 'c\n' });
      const own = await git(path, 'rev-parse', 'HEAD');
      await tell({ path, root, own, trunk, base });
      const status = succeeded(await verb('status', path));
      assert.deepEqual([status.ahead, status.behind], [1, 1]);
      assert.equal((await verb('done', path)).error, 'behind_trunk');
      // Both are truly in what lands.
      succeeded(await verb('accept', path));
      await rm(grafts(root), { force: true });
      const real = (...args: string[]) => git(root, '--no-replace-objects', ...args);
      assert.deepEqual(
        (await real('log', '-1', '--format=%P', 'main')).split(' ').sort(),
        [own, trunk].sort(),
      );
      assert.equal(await real('show', 'main:src/c.txt'), 'c');
      assert.equal(
        await real('diff', '--name-only', trunk, 'main'),
        await real('diff', '--name-only', base, own),
      );
    }
    const { project, path } = await work();
    const trunk = await project.commit({ 'src/c.txt': 'c\n' });
    await git(path, 'replace', '--graft', 'HEAD', trunk);
    assert.equal(succeeded(await verb('update', path)).merged, true);
    assert.equal(await git(path, '--no-replace-objects', 'show', 'HEAD:src/c.txt'), 'c');
  });

  it('and a replaced blob is not taken for the file', async () => {
    const { path } = await work();
    const [there, other] = [
      await git(path, 'rev-parse', 'HEAD:src/b.txt'),
      await git(path, 'hash-object', '-w', 'src/a.txt'),
    ];
    await git(path, 'replace', there, other);
    await writeFile(join(path, 'src/b.txt'), 'a\n');
    noProof(await verb('done', path), 'src/b.txt');
  });
});
