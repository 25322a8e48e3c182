import assert from 'node:assert/strict';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A worktree that also reaches commits of no branch: made on a detached HEAD and left, and under refs of its own. */
async function withLeft(): Promise<{ project: Project; path: string; detached: string; own: string }> {
  const project = await make();
  const { path, worktree } = await started(project.root);
  const branch = await git(path, 'branch', '--show-current');
  await git(path, 'switch', '--quiet', '--detach');
  await project.commit({ 'src/x.txt': 'one\n' }, path);
  const detached = await project.commit({ 'src/x.txt': 'two\n' }, path);
  await git(path, 'switch', '--quiet', branch);
  const own = await git(path, 'commit-tree', '-p', 'HEAD', '-m', 'own', 'HEAD^{tree}');
  await git(path, 'update-ref', 'refs/worktree/own', own);
  assert.equal(worktree, path);
  return { project, path, detached, own };
}

const recovered = async ({ root }: Project) =>
  (await git(root, 'for-each-ref', '--format=%(objectname)', 'refs/discern/recovered/'))
    .split('\n')
    .filter(Boolean);

describe('Commits that only a worktree reaches', () => {
  afterEach(removeAll);

  it('are kept and named when accept removes it', async () => {
    const { project, path, detached, own } = await withLeft();
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    const answer = await verb('accept', path);
    succeeded(answer);
    assert.deepEqual((await recovered(project)).sort(), [detached, own].sort());
    const hints = (answer.hints ?? []).join('\n');
    for (const id of [detached, own]) assert.ok(hints.includes(id.slice(0, 10)), hints);
    assert.equal(await git(project.root, 'show', `${detached}:src/x.txt`), 'two');
  });

  it('are kept and named when drop removes it, and an amended commit too', async () => {
    const { project, path, detached, own } = await withLeft();
    const amended = await project.commit({ 'src/b.txt': 'first\n' }, path);
    await project.write({ 'src/b.txt': 'second\n' }, path);
    await git(path, 'commit', '--quiet', '--all', '--amend', '-m', 'again');
    await git(path, 'reset', '--quiet', '--hard', 'main');
    const answer = await verb('drop', project.root, { worktree: path, delete_branch: true });
    succeeded(answer);
    const kept = await recovered(project);
    for (const id of [detached, own, amended]) assert.ok(kept.includes(id), `${id} of ${kept.join(' ')}`);
  });

  it('are none of a worktree whose work has landed: then nothing is kept', async () => {
    const project = await make();
    const { path } = await started(project.root);
    for (const file of ['a', 'b', 'c']) await project.commit({ [file]: file }, path);
    const answer = await verb('accept', path);
    succeeded(answer);
    assert.deepEqual(await recovered(project), []);
    assert.ok(!(answer.hints ?? []).some((hint) => hint.includes('recovered')));
  });
});
