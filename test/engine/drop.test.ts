import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Args } from '../../src/contract/verbs.ts';
import { everything, listing, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

async function refused(
  project: Project,
  args: Args<'drop'>,
  error: string,
  message?: RegExp,
  directory = project.root,
): Promise<Record<string, unknown>> {
  const before = await everything(project);
  const answer = await verb('drop', directory, args);
  refusedWith(answer, error, message);
  assert.deepEqual(await everything(project), before, `after ${error}`);
  return answer.data ?? {};
}

describe('drop', () => {
  afterEach(removeAll);

  for (const by of ['id', 'branch', 'path'] as const) {
    it(`removes a worktree that goes by its ${by}, and its branch when told to`, async () => {
      const project = await make();
      const data = await started(project.root);
      const before = await everything(project);
      const answer = await verb('drop', project.root, { worktree: data[by] ?? '', delete_branch: true });
      const dropped = succeeded(answer);
      assert.deepEqual(
        [dropped.worktree, dropped.worktree_removed, dropped.branch_deleted],
        [data.path, true, true],
      );
      assert.equal(dropped.recovery_ref, undefined);
      const after = await everything(project);
      assert.deepEqual(
        after.refs,
        before.refs.filter((ref) => !ref.includes('agent/')),
      );
      assert.ok(!after.files.some((file) => file.startsWith('app.worktrees')));
      assert.equal(after.worktrees.join('\n').includes(data.path), false);
    });
  }

  it('keeps the branch when told to', async () => {
    const project = await make();
    const { id, branch } = await started(project.root);
    const data = succeeded(await verb('drop', project.root, { worktree: id, delete_branch: false }));
    assert.equal(data.branch_deleted, false);
    assert.equal(
      await git(project.root, 'rev-parse', branch ?? ''),
      await git(project.root, 'rev-parse', 'main'),
    );
  });

  it('knows a package’s worktree by the project root in it', async () => {
    const project = await make({ files: { 'packages/web/discern.toml': '[project]\nname = "x"\n' } });
    const { path, worktree } = await started(join(project.root, 'packages/web'));
    const data = succeeded(
      await verb('drop', join(project.root, 'packages/web'), { worktree: path, delete_branch: true }),
    );
    assert.equal(data.worktree, worktree);
  });

  it('removes a checkout that discern did not make, detached ones too', async () => {
    const project = await make();
    const hosted = join(project.home, 'hosted');
    await git(project.root, 'worktree', 'add', '--quiet', '--detach', hosted);
    const data = succeeded(await verb('drop', project.root, { worktree: hosted, delete_branch: true }));
    assert.deepEqual([data.worktree_removed, data.branch_deleted], [true, false]);
  });

  it('goes by the name git has for a checkout that discern did not make, and by a path behind a link', async () => {
    const project = await make();
    const [one, other] = [join(project.home, 'one'), join(project.home, 'other')];
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'some-branch', one);
    await git(project.root, 'worktree', 'add', '--quiet', '--detach', other);
    await symlink(project.home, join(project.home, 'link'));
    const named = join(project.home, 'link', 'other');
    for (const [worktree, path] of [
      ['one', one],
      [named, other],
    ] as const) {
      const data = succeeded(await verb('drop', project.root, { worktree, delete_branch: false }));
      assert.deepEqual([data.worktree, data.worktree_removed], [path, true]);
    }
  });

  it('removes the checkout it is called from, and then speaks of the one where work lands', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    const data = succeeded(await verb('drop', path, { worktree: id, delete_branch: true }));
    assert.deepEqual([data.root, data.branch], [project.root, 'main']);
    assert.equal(data.commit, await git(project.root, 'rev-parse', 'main'));
  });

  it('removes the only checkout of a bare hub', async () => {
    const project = await make();
    const hub = join(project.home, 'hub.git');
    await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
    const only = join(project.home, 'only');
    await git(hub, 'worktree', 'add', '--quiet', '-b', 'only', only);
    const data = succeeded(await verb('drop', only, { worktree: only, delete_branch: true }));
    assert.deepEqual([data.worktree_removed, data.branch_deleted], [true, true]);
    assert.equal(await git(hub, 'for-each-ref', '--format=%(refname)'), 'refs/heads/main');
  });

  it('says with dry_run what it would remove and keep, and changes nothing', async () => {
    const project = await make();
    const { id, branch, path } = await started(project.root);
    await project.commit({ b: '' }, path);
    const before = await everything(project);
    const answer = await verb('drop', project.root, {
      worktree: id,
      delete_branch: true,
      force: true,
      dry_run: true,
    });
    assert.equal(answer.ok, true);
    const said = answer.plan?.steps.map(({ action, detail }) => `${action} ${detail}`).join('\n') ?? '';
    assert.match(said, /keep under a recovery ref unlanded commits/);
    assert.ok(said.includes(`delete branch ${branch}`));
    assert.deepEqual(await everything(project), before);
  });
});

describe('drop refuses, and changes nothing,', () => {
  afterEach(removeAll);

  it('uncommitted, staged, untracked and unlanded work, and lists it', async () => {
    const project = await make({ files: { 'one.txt': '1\n', 'two.txt': '2\n' } });
    const { id, path } = await started(project.root);
    await project.commit({ 'b.txt': 'b\n' }, path, 'precious work');
    await project.write({ 'one.txt': 'x', 'two.txt': 'y', 'three.txt': 'z' }, path);
    await git(path, 'add', 'two.txt');
    for (const force of [undefined, false]) {
      const args = { worktree: id, delete_branch: false, ...(force !== undefined && { force }) };
      const data = await refused(project, args, 'dirty_worktree', /force/);
      const lost = (data.lost as string[]).join('\n');
      for (const what of ['one.txt', 'two.txt', 'three.txt', 'precious work'])
        assert.ok(lost.includes(what), what);
    }
  });

  it('a locked worktree, forced or not', async () => {
    const project = await make();
    const { id, path } = await started(project.root);
    await git(project.root, 'worktree', 'lock', '--reason', 'demo', path);
    await refused(project, { worktree: id, delete_branch: true, force: true }, 'locked_worktree', /demo/);
  });

  it('the main and the landing checkout, whatever they are called by', async () => {
    const project = await make();
    for (const worktree of ['main', project.root]) {
      await refused(project, { worktree, delete_branch: true, force: true }, 'not_in_worktree');
    }
    await git(project.root, 'switch', '--quiet', '-c', 'mine');
    const landing = join(project.home, 'landing');
    await git(project.root, 'worktree', 'add', '--quiet', landing, 'main');
    for (const worktree of ['main', landing, 'mine', project.root]) {
      await refused(project, { worktree, delete_branch: true, force: true }, 'not_in_worktree');
    }
  });

  it('a name nobody has, and lists those there are', async () => {
    const project = await make();
    await refused(project, { worktree: 'x', delete_branch: true }, 'path_not_found', /there are: none/);
    const { branch } = await started(project.root);
    const pattern = new RegExp(`there is: ${branch}\\.`);
    for (const worktree of ['nobody', '', project.home, `${project.root}.worktrees`]) {
      await refused(project, { worktree, delete_branch: true, force: true }, 'path_not_found', pattern);
    }
  });

  it('a name that two worktrees have', async () => {
    const project = await make();
    const { id } = await started(project.root);
    const other = join(project.home, 'other');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', id, other);
    await refused(
      project,
      { worktree: id, delete_branch: true, force: true },
      'ambiguous_ref',
      /by its path/,
    );
    succeeded(await verb('drop', project.root, { worktree: other, delete_branch: true }));
  });

  it('a worktree whose directory someone deleted, and says what git needs', async () => {
    const project = await make();
    const { branch, path } = await started(project.root);
    await rm(path, { recursive: true });
    await refused(
      project,
      { worktree: branch ?? '', delete_branch: true },
      'path_not_found',
      /discern prune/,
    );
  });

  it('a directory that is not a checkout any more, even inside another one', async () => {
    const project = await make({
      config: '[project]\nname = "x"\n[worktree]\nroot = ".trees"\n',
      files: { '.gitignore': '.trees\n' },
    });
    const { branch, path } = await started(project.root);
    await rm(join(path, '.git'));
    await writeFile(join(path, 'precious.txt'), '');
    await refused(project, { worktree: branch ?? '', delete_branch: true, force: true }, 'path_not_found');
  });

  it('a worktree that another checkout lies in', async () => {
    const project = await make({ files: { '.gitignore': '/.nested/\n' } });
    const { id, path } = await started(project.root);
    await git(path, 'worktree', 'add', '--quiet', '-b', 'inner', join(path, '.nested/inner'));
    await refused(
      project,
      { worktree: id, delete_branch: true, force: true },
      'busy',
      /lies inside.*Nothing was removed/,
    );
  });

  it('a worktree in which a gate runs', async () => {
    const project = await make({
      config:
        '[project]\nname = "x"\n[jobs]\ntest = "touch ../running; sleep 300"\n[worktree]\nroot = ".."\n',
    });
    const { id, path } = await started(project.root);
    const controller = new AbortController();
    let runs: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      runs = resolve;
    });
    const events = Object.assign([], {
      push: (event: { type: string }) => {
        if (event.type === 'job_started') runs();
        return 0;
      },
    });
    const gate = verb('test', path, {}, { signal: controller.signal, events });
    await running;
    const answer = await verb('drop', project.root, { worktree: id, delete_branch: true, force: true });
    refusedWith(answer, 'busy', /a run of "test"/);
    controller.abort();
    await gate;
    assert.ok((await listing(path)).length > 0);
    succeeded(await verb('drop', project.root, { worktree: id, delete_branch: true }));
  });
});
