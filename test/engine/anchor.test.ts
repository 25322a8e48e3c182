import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { homeOf } from '../../src/engine/index.ts';
import { type Anchor, anchorOf } from '../../src/engine/repository/anchor.ts';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

async function anchored(root: string): Promise<Anchor> {
  const anchor = await anchorOf(root);
  assert.ok(anchor, `${root} has an anchor`);
  return anchor;
}

describe('What is remembered of a root', () => {
  afterEach(removeAll);

  it('leads to the landing checkout when the root is gone', async () => {
    const project = await make({ files: { 'packages/web/discern.toml': '' } });
    const { path } = await started(project.root);
    const anchor = await anchored(path);
    const below = await anchored(join(path, 'packages/web'));
    await rm(path, { recursive: true });
    assert.equal(await homeOf(anchor), project.root);
    assert.equal(await homeOf(below), join(project.root, 'packages/web'));
  });

  it('leads to the checkout of the trunk that discern.toml names', async () => {
    const project = await make({ config: '[project]\nname = "x"\n[repository]\ntrunk = "develop"\n' });
    await git(project.root, 'branch', 'develop');
    const landing = join(project.home, 'landing');
    await git(project.root, 'worktree', 'add', '--quiet', landing, 'develop');
    const { path } = await started(landing);
    const anchor = await anchored(path);
    await rm(path, { recursive: true });
    assert.equal(await homeOf(anchor), landing);
  });

  it('leads to the linked landing checkout of a bare hub, and to the main one when none has the trunk', async () => {
    const project = await make();
    const hub = join(project.home, 'hub');
    await mkdir(hub);
    await git(project.home, 'clone', '--quiet', '--bare', project.root, join(hub, '.bare'));
    await git(join(hub, '.bare'), 'worktree', 'add', '--quiet', '-b', 'side', join(hub, 'side'));
    await git(join(hub, '.bare'), 'worktree', 'add', '--quiet', join(hub, 'main'), 'main');
    assert.equal(await homeOf(await anchored(join(hub, 'side'))), join(hub, 'main'));
    await git(project.root, 'switch', '--quiet', '-c', 'away');
    assert.equal(await homeOf(await anchored(project.root)), project.root);
  });

  it('leads there also for users who forbid git to run in bare repositories', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const anchor = await anchored(path);
    await rm(path, { recursive: true });
    const settings = join(project.home, 'gitconfig');
    await writeFile(settings, '[safe]\n\tbareRepository = explicit\n');
    const before = process.env.GIT_CONFIG_GLOBAL;
    process.env.GIT_CONFIG_GLOBAL = settings;
    try {
      assert.equal(await homeOf(anchor), project.root);
    } finally {
      process.env.GIT_CONFIG_GLOBAL = before;
    }
  });

  it('leads nowhere when the repository is gone too, or where there never was one', async () => {
    const project = await make();
    const anchor = await anchored(project.root);
    await rm(project.root, { recursive: true });
    assert.equal(await homeOf(anchor), undefined);
    assert.equal(await anchorOf(project.home), undefined);
  });
});

describe('A worktree whose .git file has a relative path, as newer gits write it,', () => {
  afterEach(removeAll);

  it('is known, gated, landed and removed like any other', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    const named = (await readFile(join(path, '.git'), 'utf8')).trim().replace('gitdir: ', '');
    await writeFile(join(path, '.git'), `gitdir: ${relative(path, named)}\n`);
    const { commonDir, prefix, top } = await anchored(path);
    assert.deepEqual(
      { commonDir, prefix, top },
      { commonDir: dirname(dirname(named)), prefix: '', top: path },
    );
    const { worktrees } = succeeded(await verb('status', path));
    assert.equal(worktrees.find((one) => one.path === path)?.id, id);
    await project.commit({ b: '' }, path);
    succeeded(await verb('done', path));
    assert.equal(succeeded(await verb('accept', path)).landing.worktree_removed, true);
  });
});
