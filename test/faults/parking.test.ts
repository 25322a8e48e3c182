import assert from 'node:assert/strict';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endElsewhere, listing, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, assertWorks, killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

async function scene(): Promise<{ project: Project; path: string; id: string; head: string }> {
  const project = await make({ files: { '.gitignore': 'out/\n' } });
  const { path, id } = await started(project.root);
  const head = await project.commit({ 'b.txt': 'b\n' }, path);
  await project.write({ 'b.txt': 'edited\n', 'staged.txt': 'staged\n', 'out/x': 'ignored\n' }, path);
  await git(path, 'add', 'staged.txt');
  return { project, path, id, head };
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** What comes next; each leads on from wherever the kill left it. */
const next = ['status', 'prune', 'park', 'unpark'] as const;

describe('A parking that was killed', () => {
  afterEach(() => {
    endElsewhere();
    return removeAll();
  });

  for (const [killed, point] of [
    ['park', 'park.recorded'],
    ['park', 'park.locked'],
    ['park', 'park.moved'],
    ['unpark', 'unpark.moved'],
    ['unpark', 'unpark.unlocked'],
  ] as const) {
    for (const then of next) {
      it(`at ${point} has lost nothing when ${then} comes next`, async () => {
        const { project, path, id, head } = await scene();
        const before = await listing(path);
        if (killed === 'unpark') succeeded(await verb('park', project.root, { worktree: id }));
        await killedAt(point, killed, project.root, { worktree: id });
        if (then === 'status') succeeded(await verb('status', project.root));
        else if (then === 'prune') succeeded(await verb('prune', project.root, { dry_run: false }));
        else {
          const { error } = await verb(then, project.root, { worktree: id });
          assert.ok(error === undefined || error === 'invalid_argument', error);
        }
        if (!(await isThere(path))) succeeded(await verb('unpark', project.root, { worktree: id }));
        assert.deepEqual(await listing(path), before);
        assert.equal(await git(path, 'status', '--porcelain'), ' M b.txt\nA  staged.txt');
        const { findings, worktrees } = await assertSound(project, [head]);
        assert.equal(findings, undefined);
        const shown = worktrees.find((one) => one.path === path);
        assert.deepEqual([shown?.locked, shown?.parked], [undefined, undefined]);
        assert.deepEqual(await readdir(join(project.root, '.git/discern-vscode/parked')), []);
        if (then === 'status') await assertWorks(project);
      });
    }
  }

  it('and whose directory a person deleted is forgotten by prune, which keeps what only git had of it', async () => {
    const { project, path, id, head } = await scene();
    succeeded(await verb('park', project.root, { worktree: id }));
    await killedAt('unpark.moved', 'unpark', project.root, { worktree: id });
    await rm(path, { recursive: true });
    const [told] = succeeded(await verb('status', project.root)).findings ?? [];
    assert.match(told?.what ?? '', /was parked, and its directory was deleted since/);
    succeeded(await verb('prune', project.root, { dry_run: false }));
    const { findings, worktrees } = await assertSound(project, [head]);
    assert.deepEqual([findings, worktrees.length], [undefined, 1]);
    const kept = await git(project.root, 'for-each-ref', '--format=%(refname)', 'refs/discern/recovered/');
    assert.equal(await git(project.root, 'show', `${kept}:staged.txt`), 'staged');
    assert.deepEqual(await readdir(join(project.root, '.git/discern-vscode/parked')), []);
  });

  for (const how of ['accept', 'drop', 'git worktree remove'] as const) {
    it(`at its very end, and that is then gone by ${how}, leaves nothing written down of it`, async () => {
      const { project, path, id, head } = await scene();
      succeeded(await verb('park', project.root, { worktree: id }));
      await killedAt('unpark.unlocked', 'unpark', project.root, { worktree: id });
      const commit = await project.commit({}, path);
      if (how === 'drop')
        succeeded(await verb('drop', path, { worktree: id, delete_branch: false, force: true }));
      else if (how === 'accept') succeeded(await verb('accept', path));
      else {
        await git(project.root, 'worktree', 'remove', '--force', path);
        const [told, ...more] = succeeded(await verb('status', project.root)).findings ?? [];
        assert.deepEqual(more, []);
        assert.match(told?.what ?? '', /was parked; .* and git has forgotten it\.$/);
        succeeded(await verb('prune', project.root, { dry_run: false }));
      }
      const { findings } = await assertSound(project, [head, commit]);
      assert.equal(findings, undefined);
      assert.deepEqual(await readdir(join(project.root, '.git/discern-vscode/parked')), []);
    });
  }
});
