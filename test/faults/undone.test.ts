import assert from 'node:assert/strict';
import { elsewhere, endElsewhere, pausedAt, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A proved worktree whose landing changes one file and adds another. */
async function proved(): Promise<{ project: Project; path: string; commit: string }> {
  const project = await make();
  const { path } = await started(project.root);
  const commit = await project.commit({ 'src/a.txt': 'landed\n', 'src/b.txt': 'b\n' }, path);
  succeeded(await verb('done', path));
  return { project, path, commit };
}

/** A person's commit in the landing checkout, whose files have not followed the trunk yet. */
const commitThere = ({ root }: Project) =>
  git(root, 'commit', '--quiet', '--allow-empty', '-m', 'a person commits meanwhile');

describe('A commit made in the landing checkout between the trunk’s move and its files’', () => {
  afterEach(() => {
    endElsewhere();
    return removeAll();
  });

  it('after a kill: what it took back is said with the way back, and the worktree stays', async () => {
    const { project, path, commit } = await proved();
    await elsewhere('accept', path, {}, 'accept.moved').ended;
    assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
    await commitThere(project);
    assert.equal(await git(project.root, 'show', 'main:src/a.txt'), 'a', 'it took the work back');
    const status = succeeded(await verb('status', project.root));
    assert.match(status.recovery?.detail ?? '', /src\/a\.txt.*as before the landing.*git checkout/);
    assert.ok(
      status.worktrees.some((one) => one.path === path),
      'the worktree stays',
    );
    assert.equal(await git(path, 'show', 'HEAD:src/a.txt'), 'landed');
    assert.equal((await verb('status', project.root)).ok, true);
  });

  it('while the landing lives: it is no success, and says the same', async () => {
    const { project, path } = await proved();
    const landing = await pausedAt(project, 'accept.moved', 'accept', path, {});
    await commitThere(project);
    const answer = await landing.resume();
    assert.equal(answer?.ok, false, JSON.stringify(answer));
    assert.equal(answer?.error, 'partial_acceptance');
    assert.ok(answer?.message?.includes('src/a.txt'), answer?.message);
    assert.equal(answer?.data?.landing?.worktree_removed, false);
    assert.equal(await git(path, 'show', 'HEAD:src/a.txt'), 'landed');
  });
});
