import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, gitSubmodule, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A worktree whose removal was cut off before it was judged, and that git was made to forget then. */
async function forgotten(prepare: (path: string) => Promise<void> = async () => {}) {
  const project = await make({ files: { 'same.txt': 'same\n' } });
  const { path } = await started(project.root, { name: 'killed' });
  await project.commit({ 'src/a.txt': 'landed\n' }, path);
  await prepare(path);
  await killedAt('retire.looked', 'accept', path);
  await git(project.root, 'worktree', 'prune');
  const folder = `${project.root}.worktrees`;
  const [name = ''] = (await readdir(folder)).filter((one) => one.includes('.removing-'));
  assert.notEqual(name, '');
  return { project, path, left: join(folder, name) };
}

describe('A worktree that git forgot while its removal was cut off', () => {
  afterEach(removeAll);

  it('is not put in the place of another one that is registered under its name since', async () => {
    const { project, path, left } = await forgotten();
    succeeded(await verb('status', project.root));
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'other', path);
    await rm(path, { recursive: true });
    const status = succeeded(await verb('status', project.root));
    assert.deepEqual((await readdir(`${project.root}.worktrees`)).length, 1);
    assert.equal(await readFile(join(left, 'src/a.txt'), 'utf8'), 'landed\n');
    assert.ok(
      status.findings?.some(({ what }) => what.includes(left)),
      JSON.stringify(status.findings),
    );
  });

  it('comes back as one that can be worked in, a submodule of it included', async () => {
    const library = await make({ files: { 'inner.txt': 'inner\n' } });
    const { project, path } = await forgotten(async (at) => {
      await gitSubmodule(at, 'add', library.root, 'sub');
      await git(at, 'commit', '--quiet', '--message', 'sub');
    });
    const said = await verb('prune', project.root, { dry_run: false });
    succeeded(said);
    assert.match(JSON.stringify(said), /deleted the repository of sub with it/);
    assert.equal(await readFile(join(path, 'sub/src/a.txt'), 'utf8'), 'a\n');
    await project.commit({ 'later.txt': 'later\n' }, path);
  });
});

describe('A worktree whose submodule has lost its repository', () => {
  afterEach(removeAll);

  it('is told as that, with the one thing to do, and works after it', async () => {
    const library = await make();
    const project = await make();
    const { path } = await started(project.root, { name: 'lost' });
    await gitSubmodule(path, 'add', library.root, 'sub');
    await git(path, 'commit', '--quiet', '--message', 'sub');
    await rm(await git(join(path, 'sub'), 'rev-parse', '--absolute-git-dir'), { recursive: true });
    for (const name of ['status', 'done', 'update', 'accept'] as const) {
      const answer = await verb(name, path);
      assert.equal(answer.error, 'unavailable', `${name}: ${answer.message}`);
      assert.match(answer.message ?? '', /remove the "\.git" file in the submodule's directory/);
    }
    await rm(join(path, 'sub/.git'));
    succeeded(await verb('status', path));
  });
});
