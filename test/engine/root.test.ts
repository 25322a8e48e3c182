import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRoot, Refusal } from '../../src/engine/index.ts';
import { git, makeProject, projects } from '../support/project.ts';

const { make, removeAll } = projects();

async function refusal(from: string): Promise<Refusal> {
  try {
    const root = await findRoot(from);
    assert.fail(`${from} was found to be in ${root}`);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

describe('The project root of a directory', () => {
  afterEach(removeAll);

  it('is the nearest ancestor that has discern.toml, itself included', async () => {
    const project = await make({ files: { 'a/b/c.txt': '', 'a/discern.toml': '' } });
    assert.equal(await findRoot(project.root), project.root);
    assert.equal(await findRoot(join(project.root, 'src')), project.root);
    assert.equal(await findRoot(join(project.root, 'a')), join(project.root, 'a'));
    assert.equal(await findRoot(join(project.root, 'a/b')), join(project.root, 'a'));
  });

  it('is never looked for above the git top', async () => {
    const project = await make();
    const inner = join(project.root, 'vendor/inner');
    await mkdir(join(inner, 'deep'), { recursive: true });
    await git(inner, 'init', '--quiet');
    const refused = await refusal(join(inner, 'deep'));
    assert.equal(refused.slug, 'not_initialized');
    assert.match(refused.message, /vendor\/inner\/deep/, 'it names the directory it looked from');
    assert.deepEqual(refused.detail.data, { root: join(inner, 'deep') });
  });

  it('is free of symlinks', async () => {
    const project = await make();
    const link = join(project.home, 'link');
    await symlink(join(project.root, 'src'), link);
    assert.equal(await findRoot(link), project.root);
    assert.equal(await findRoot(`${project.root}/src/..//src/`), project.root);
  });

  it('is found in a linked worktree, whose .git is a file', async () => {
    const project = await make();
    const linked = join(project.home, 'linked');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'other', linked);
    assert.equal(await findRoot(join(linked, 'src')), linked);
  });

  it('is that of a submodule for a directory inside it', async () => {
    const inner = await makeProject({ name: 'inner' });
    const outer = await make();
    try {
      const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub'];
      await git(outer.root, ...add);
      assert.equal(await findRoot(join(outer.root, 'sub/src')), join(outer.root, 'sub'));
    } finally {
      await inner.remove();
    }
  });

  it('may lie below the git top, as a package of a monorepo does', async () => {
    const project = await make({ files: { 'packages/web/discern.toml': '', 'packages/web/src/x': '' } });
    await git(project.root, 'rm', '--quiet', 'discern.toml');
    assert.equal(await findRoot(join(project.root, 'packages/web/src')), join(project.root, 'packages/web'));
    assert.equal((await refusal(join(project.root, 'packages'))).slug, 'not_initialized');
  });

  it('is not looked for from a file, and the refusal says which directory to name', async () => {
    const project = await make();
    const refused = await refusal(join(project.root, 'discern.toml'));
    assert.equal(refused.slug, 'invalid_argument');
    assert.match(refused.message, /is a file/);
  });

  it('is not looked for from where nothing is', async () => {
    const project = await make();
    for (const missing of ['nowhere', 'discern.toml/below', 'x'.repeat(300), 'nul\0']) {
      assert.equal((await refusal(`${project.root}/${missing}`)).slug, 'path_not_found', missing);
    }
    const loop = join(project.home, 'loop');
    await symlink(loop, loop);
    assert.equal((await refusal(loop)).slug, 'path_not_found');
  });

  it('is not looked for from a relative path, since a server stands nowhere', async () => {
    for (const relative of ['src', '.', '', '~/x']) {
      assert.equal((await refusal(relative)).slug, 'invalid_argument', relative);
    }
  });

  it('is none outside any repository', async () => {
    const project = await make();
    const outside = join(project.home, 'outside');
    await mkdir(outside);
    const without = await refusal(outside);
    assert.equal(without.slug, 'not_initialized');
    await writeFile(join(outside, 'discern.toml'), '');
    const withConfig = await refusal(outside);
    assert.equal(withConfig.slug, 'not_a_git_repository');
    assert.match(withConfig.message, /git init/);
  });

  it('is not made by a discern.toml that is a dangling link', async () => {
    const project = await make();
    await mkdir(join(project.root, 'sub'));
    await symlink('nowhere', join(project.root, 'sub/discern.toml'));
    assert.equal(await findRoot(join(project.root, 'sub')), project.root);
  });
});
