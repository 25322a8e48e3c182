import assert from 'node:assert/strict';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endElsewhere, pausedAt, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function work(): Promise<{
  project: Project;
  path: string;
  id: string;
  branch: string;
  commit: string;
}> {
  const project = await make();
  const { path, id, branch } = await started(project.root, { name: 'killed' });
  const commit = await project.commit({ 'own.txt': 'own\n' }, path);
  await project.write({ 'staged.txt': 'staged\n' }, path);
  await git(path, 'add', 'staged.txt');
  await project.write({ 'staged.txt': 'unstaged\n', 'loose.txt': 'loose\n' }, path);
  return { project, path, id, branch: branch ?? '', commit };
}

describe('A forced drop that was killed', () => {
  afterEach(removeAll);

  it('can be called again at once: it finds what it had moved away', async () => {
    const { project, path, id, branch } = await work();
    await killedAt('retire.renamed', 'drop', project.root, {
      worktree: id,
      delete_branch: true,
      force: true,
    });
    assert.equal(await isThere(path), false);
    const data = succeeded(
      await verb('drop', project.root, { worktree: branch, delete_branch: true, force: true }),
    );
    assert.equal(await git(project.root, 'show', `${data.recovery_ref}:loose.txt`), 'loose');
    await assertSound(project, []);
  });

  it('keeps what someone wrote into the directory when git was made to forget it', async () => {
    const { project, path, id, commit } = await work();
    await killedAt('retire.renamed', 'drop', project.root, {
      worktree: id,
      delete_branch: true,
      force: true,
    });
    await git(project.root, 'worktree', 'prune');
    const { findings } = await assertSound(project, [commit]);
    const [name = ''] = await readdir(`${project.root}.worktrees`);
    const left = join(`${project.root}.worktrees`, name);
    assert.ok(findings?.some(({ what }) => what.includes(left) && what.includes(path)));
    assert.equal(await readFile(join(left, 'loose.txt'), 'utf8'), 'loose\n');
  });
});

describe('A removal that is still going', () => {
  afterEach(() => {
    endElsewhere();
    return removeAll();
  });

  for (const [name, point] of [
    ['drop', 'retire.renamed'],
    ['accept', 'retire.renamed'],
    ['accept', 'retire.judged'],
  ] as const) {
    it(`is not touched by a status (${name} at ${point})`, async () => {
      const project = await make();
      const { path, id } = await started(project.root, { name: 'going' });
      await project.commit({ b: '' }, path);
      const args = name === 'drop' ? { worktree: id, delete_branch: true, force: true } : {};
      const root = name === 'drop' ? project.root : path;
      const { resume } = await pausedAt(project, point, name, root, args as never);
      const before = await readdir(`${project.root}.worktrees`);
      const answered = await verb('status', project.root);
      const status = succeeded(answered);
      if (name === 'accept') assert.match(answered.hints?.join() ?? '', /A landing is under way/);
      assert.equal(status.recovery, undefined);
      assert.deepEqual(await readdir(`${project.root}.worktrees`), before);
      assert.equal(status.findings, undefined, 'what is still going is not left over');
      const answer = await resume();
      assert.equal(answer?.ok, true, answer?.message);
      assert.equal(await isThere(path), false);
      await assertSound(project, []);
    });
  }
});
