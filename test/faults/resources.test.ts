import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, assertWorks, killedAt } from '../support/invariants.ts';
import { logged } from '../support/jobs.ts';
import { git, type Project, projects } from '../support/project.ts';
import { resource, there, withTables, writtenDown } from '../support/resources.ts';

const { make, removeAll } = projects();

const config = withTables(resource('db'), resource('cache'));

/** Nothing is left of any worktree, nothing is written down, and new work goes through. */
async function assertClear(project: Project): Promise<void> {
  assert.deepEqual([await there(project), await writtenDown(project)], [[], {}]);
  const status = await assertSound(project, []);
  assert.deepEqual([status.findings, status.recovery], [undefined, undefined]);
  await assertWorks(project);
  assert.deepEqual(await there(project), []);
}

/** The worktree a killed start left, as status lists it. */
async function leftBy(project: Project): Promise<{ path: string; id: string }> {
  const { worktrees } = succeeded(await verb('status', project.root));
  const left = worktrees.find(({ location }) => location === 'worktree');
  assert.ok(left?.id !== undefined);
  return { path: left.path, id: left.id };
}

describe('A start killed while it makes a resource', () => {
  afterEach(removeAll);

  for (const point of ['resource.recorded', 'resource.created']) {
    it(`has it written down at ${point}, so that drop destroys it`, async () => {
      const project = await make({ config });
      await killedAt(point, 'start', project.root, { name: 'killed' });
      const { id } = await leftBy(project);
      assert.deepEqual(await writtenDown(project), { [id]: ['db'] });
      succeeded(await verb('drop', project.root, { worktree: id, delete_branch: true }));
      assert.equal((await logged(project)).at(-1), 'destroy-db');
      await assertClear(project);
    });

    it(`leaves at ${point} what update clears away and makes anew`, async () => {
      const project = await make({ config });
      await killedAt(point, 'start', project.root, { name: 'killed' });
      const { id, path } = await leftBy(project);
      await rm(join(project.home, 'log'), { force: true });
      succeeded(await verb('update', path));
      assert.deepEqual(await logged(project), ['destroy-db', 'create-db', 'create-cache']);
      succeeded(await verb('drop', project.root, { worktree: id, delete_branch: true }));
      await assertClear(project);
    });
  }

  it('leaves what the next start destroys when a hand removed the worktree', async () => {
    const project = await make({ config });
    await killedAt('resource.recorded', 'start', project.root, { name: 'killed' });
    const { path } = await leftBy(project);
    await rm(path, { recursive: true });
    await git(project.root, 'worktree', 'prune');
    const { id } = await started(project.root);
    assert.deepEqual(Object.keys(await writtenDown(project)), [id]);
    succeeded(await verb('drop', project.root, { worktree: id, delete_branch: true }));
    succeeded(await verb('prune', project.root, { dry_run: false }));
    await assertClear(project);
  });
});

describe('A worktree with resources', () => {
  afterEach(removeAll);

  async function work(): Promise<{ project: Project; path: string; id: string; commit: string }> {
    const project = await make({ config });
    const { path, id } = await started(project.root, { name: 'work' });
    const commit = await project.commit({ 'own.txt': '' }, path);
    await rm(join(project.home, 'log'));
    return { project, path, id, commit };
  }

  for (const point of ['accept.followed', 'resource.destroyed', 'resource.cleared']) {
    it(`whose accept was killed at ${point} is landed and cleared in the end; status runs nothing`, async () => {
      const { project, path, commit } = await work();
      await killedAt(point, 'accept', path);
      const before = await logged(project);
      const { worktrees, recovery } = await assertSound(project, [commit]);
      assert.deepEqual(await logged(project), before);
      if (worktrees.length > 1) {
        if (recovery && before.length < 2)
          assert.match(recovery.detail, /resources of .* are still to be destroyed/);
        const again = succeeded(await verb('accept', path));
        assert.deepEqual([again.landing.trunk_landed, again.landing.worktree_removed], [true, true]);
      }
      assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
      await assertClear(project);
    });
  }

  it('is cleared by the accept that comes next, which goes on with the killed one', async () => {
    const { project, path, commit } = await work();
    await killedAt('resource.destroyed', 'accept', path);
    const { landing } = succeeded(await verb('accept', path));
    assert.deepEqual(landing, {
      recovery_performed: true,
      trunk_landed: true,
      worktree_removed: true,
      branch_deleted: true,
    });
    assert.deepEqual(await logged(project), ['destroy-cache', 'destroy-cache', 'destroy-db']);
    assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
    await assertClear(project);
  });

  it('whose drop was killed between two of them can be dropped again', async () => {
    const { project, id } = await work();
    const args = { worktree: id, delete_branch: true, force: true };
    await killedAt('resource.destroyed', 'drop', project.root, args);
    assert.deepEqual(await writtenDown(project), { [id]: ['db', 'cache'] });
    succeeded(await verb('drop', project.root, args));
    await assertClear(project);
  });
});
