import assert from 'node:assert/strict';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { gitSubmodule, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A project with a job for each of these lists of inputs, which are named j0, j1 and so on. */
const work = (lists: readonly string[][]) =>
  make({
    config: lists
      .map(
        (inputs, n) =>
          `[jobs.j${n}]\nstage = "check"\nrun = "echo j${n} >> ../ran"\ninputs = ${JSON.stringify(inputs)}\n`,
      )
      .join('\n'),
    files: {
      'top.txt': 't\n',
      'docs/c.md': 'c\n',
      'lib/b.txt': 'b\n',
      'lib/deep/d.txt': 'd\n',
      'discern-vscode.toml': '[receipts]\ncheck_every = 0\n',
      '.gitignore': '*.gen.txt\nown-link\n',
    },
  });

/** The jobs that `done` ran, in order. */
async function gated({ root, home }: Project): Promise<string> {
  await writeFile(join(home, 'ran'), '');
  const answer = await verb('done', root);
  assert.equal(succeeded(answer).proof?.state, 'valid', answer.message);
  return (await readFile(join(home, 'ran'), 'utf8')).split('\n').filter(Boolean).sort().join(' ');
}

/** Commits something that is no input beside these files, and answers which jobs `done` ran then. */
async function ran(project: Project, files: Record<string, string> = {}): Promise<string> {
  await project.commit({ 'docs/c.md': `${Math.random()}\n`, ...files });
  return gated(project);
}

const why = async ({ root }: Project, job = 'j0') => succeeded(await verb('explain', root, { job })).why;

describe('Inputs behind a link', () => {
  afterEach(removeAll);

  it('to a directory are seen by the name that the link gives them', async () => {
    const project = await work([
      ['src/**', 'lib/b.txt'],
      ['src/**/*.txt'],
      ['src/shared/deep'],
      ['*.txt', '!lib/'],
      ['src/a.txt'],
    ]);
    await symlink('../lib', join(project.root, 'src/shared'));
    assert.equal(await ran(project), 'j0 j1 j2 j3 j4');
    assert.equal(await ran(project), '', 'nothing they read has changed');
    assert.equal(await ran(project, { 'lib/deep/d.txt': 'other\n' }), 'j0 j1 j2 j3');
    assert.equal(await ran(project, { 'lib/b.txt': 'other\n' }), 'j0 j1 j3');
    await writeFile(join(project.root, 'lib/x.gen.txt'), 'one\n');
    assert.equal(await ran(project), 'j0 j1 j3', 'what git ignores there');
    assert.equal(await ran(project), '');
    await rm(join(project.root, 'src/shared'));
    await symlink('../docs', join(project.root, 'src/shared'));
    assert.equal(await ran(project, { 'docs/deep/e.txt': 'e\n' }), 'j0 j1 j2 j3', 'the link leads elsewhere');
  });

  it('to one file count with its content', async () => {
    const project = await work([['src/one.txt']]);
    await symlink('../lib/b.txt', join(project.root, 'src/one.txt'));
    assert.equal(await ran(project), 'j0');
    assert.equal(await ran(project, { 'lib/deep/d.txt': 'other\n' }), '');
    assert.equal(await ran(project, { 'lib/b.txt': 'other\n' }), 'j0');
  });

  it('that git ignores count too, with the files it leads to wherever they are', async () => {
    const project = await work([['src/**/*.txt'], ['src/**', '!src/own-link']]);
    const outside = join(project.home, 'outside');
    await project.write({ 'f.txt': 'f\n' }, outside);
    await ran(project);
    await symlink(outside, join(project.root, 'src/own-link'));
    assert.equal(await ran(project), 'j0');
    assert.equal(await ran(project), '');
    await project.write({ 'f.txt': 'other\n' }, outside);
    assert.equal(await ran(project), 'j0');
  });

  it('are never stood in for where a committed one leads out of the project, nowhere, or on to another', async () => {
    const project = await work([['src/**/*.txt'], ['lib/b.txt']]);
    await project.write({ 'f.txt': 'f\n' }, join(project.home, 'elsewhere'));
    for (const [to, said] of [
      ['../../elsewhere', /^src\/shared, a link among its inputs, leads out of the project$/],
      ['../nowhere', /^src\/shared, a link among its inputs, leads nowhere$/],
      ['..', /^src\/shared\/src\/shared of its inputs lies behind more than one link or submodule$/],
    ] as const) {
      await rm(join(project.root, 'src/shared'), { force: true });
      await symlink(to, join(project.root, 'src/shared'));
      await ran(project);
      assert.equal(await ran(project), 'j0', to);
      assert.match(await why(project), said);
    }
  });
});

describe('Inputs in a submodule', () => {
  afterEach(removeAll);

  it('are seen where it is as the commit has it, or is not checked out', async () => {
    const project = await work([['**/*.txt'], ['sub'], ['sub/*.txt', 'src/**'], ['**', '!docs/', '!sub/**']]);
    const inner = await make({ config: null, files: { 'in.txt': 'in\n', '.gitignore': '*.o\n' } });
    await gitSubmodule(project.root, 'add', inner.root, 'sub');
    const sub = join(project.root, 'sub');
    assert.equal(await ran(project), 'j0 j1 j2 j3');
    assert.equal(await ran(project), '', 'nothing they read has changed');
    await inner.commit({ 'in.txt': 'other\n' }, sub);
    assert.equal(await ran(project), 'j0 j1 j2', 'it is at another commit');
    assert.equal(await ran(project), '');
    const { files = [], differs = [] } = succeeded(await verb('explain', project.root, { job: 'j0' }));
    assert.deepEqual([...files, ...differs], ['its inputs in a submodule or behind a link']);
    await writeFile(join(sub, 'made.o'), 'o\n');
    assert.equal(await gated(project), 'j1', 'what git ignores in it');
    await rm(join(sub, 'made.o'));

    await gitSubmodule(project.root, 'deinit', '--force', 'sub');
    // The last has no file of a commit to name any more.
    assert.equal(await gated(project), 'j0 j1 j2', 'it is not checked out');
    await writeFile(join(sub, 'left.txt'), 'l\n');
    assert.match(await why(project), /^sub among its inputs is a submodule that is not checked out$/);
    await rm(join(sub, 'left.txt'));
    await gitSubmodule(project.root, 'update', '--init');
    assert.equal(await gated(project), '', 'it is as it was');

    await writeFile(join(sub, 'in.txt'), 'edited\n');
    assert.equal((await verb('done', project.root)).data?.proof?.state, 'none');
    assert.match(await why(project), /^the tree has uncommitted changes/);
  });
});
