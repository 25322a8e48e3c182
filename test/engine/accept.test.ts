import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { everything, listing, nothingLanded, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { config, log, logged } from '../support/jobs.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** Jobs run two levels below the project's folder in a worktree, so the log lies in the folder of worktrees. */
const counting = config({ test: JSON.stringify(log('ran')) }, '[worktree]\nroot = ".."');
const done = { recovery_performed: false, trunk_landed: true, worktree_removed: true, branch_deleted: true };

async function work(project: Project): Promise<{ path: string; branch: string; commit: string }> {
  const { path, branch } = await started(project.root, { name: 'work' });
  const commit = await project.commit({ 'src/b.txt': 'b\n', 'src/a.txt': 'changed\n' }, path);
  return { path, branch: branch ?? '', commit };
}

describe('accept', () => {
  afterEach(removeAll);

  it('lands the commit, and leaves neither worktree nor branch nor their settings', async () => {
    const project = await make({ config: counting });
    const { path, branch, commit } = await work(project);
    await git(project.root, 'config', `branch.${branch}.description`, 'mine');
    const answer = await verb('accept', path);
    const data = succeeded(answer);
    assert.deepEqual(data.landing, done);
    assert.deepEqual([data.root, data.branch, data.trunk], [project.root, 'main', 'main']);
    assert.deepEqual([data.commit, data.landed_commit, data.worktree], [commit, commit, path]);
    assert.equal(data.kept, undefined);

    assert.equal(await git(project.root, 'rev-parse', 'main', 'HEAD'), `${commit}\n${commit}`);
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
    assert.equal(await readFile(join(project.root, 'src/a.txt'), 'utf8'), 'changed\n');
    const reason = `discern: accept ${branch}`;
    assert.equal(await git(project.root, 'log', '-1', '--walk-reflogs', '--format=%gs', 'main'), reason);
    assert.equal(await git(project.root, 'log', '-1', '--walk-reflogs', '--format=%gs', 'HEAD'), reason);
    const refs = await git(project.root, 'for-each-ref', '--format=%(refname)');
    assert.equal(refs, 'refs/heads/main\nrefs/notes/discern', 'and the note of what was proved');
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
    assert.ok(!(await readFile(join(project.root, '.git/config'), 'utf8')).includes(branch));
    assert.ok(!(await listing(project.home)).some((name) => name.includes('work-')), 'nothing lies about');
    const journal = join(project.root, '.git/discern-vscode/landing.json');
    await assert.rejects(readFile(journal), { code: 'ENOENT' }, 'the journal is closed');
  });

  it('takes the folder of worktrees away with the last of them', async () => {
    const project = await make();
    const [one, two] = [await work(project), await started(project.root)];
    succeeded(await verb('accept', one.path));
    assert.deepEqual(
      (await listing(project.home)).filter((name) => /^app\.worktrees\/[^/]*\/?$/.test(name)),
      ['app.worktrees/', `app.worktrees/${two.id}/`],
    );
    await verb('update', two.path);
    await project.commit({ c: '' }, two.path);
    succeeded(await verb('accept', two.path));
    assert.ok(!(await listing(project.home)).some((name) => name.startsWith('app.worktrees')));
  });

  it('uses a valid proof: the gate does not run again', async () => {
    const project = await make({ config: counting });
    const { path } = await work(project);
    succeeded(await verb('done', path));
    const answer = await verb('accept', path);
    succeeded(answer);
    assert.deepEqual(await logged(project), ['ran']);
    assert.equal(answer.steps, undefined);
  });

  it('runs the gate when the proof is of another commit', async () => {
    const project = await make({ config: counting });
    const { path } = await work(project);
    succeeded(await verb('done', path));
    const commit = await project.commit({ c: '' }, path);
    const answer = await verb('accept', path);
    assert.equal(succeeded(answer).landed_commit, commit);
    assert.deepEqual(await logged(project), ['ran', 'ran']);
    assert.equal(answer.steps?.length, 1);
    assert.equal(answer.data?.jobs?.passed, 1);
  });

  it('lands nothing when the gate is red, and shows what failed', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'src/b.txt': 'BROKEN\n' }, path);
    const before = await everything(project);
    const answer = await verb('accept', path);
    refusedWith(answer, 'gate_failed', /Nothing was landed/);
    assert.deepEqual(answer.data?.landing, nothingLanded);
    assert.equal(answer.steps?.find(({ name }) => name === 'lint')?.outcome, 'failed');
    assert.ok((answer.diagnostics?.length ?? 0) > 0);
    assert.deepEqual(await everything(project), before);
  });

  it('lands nothing when it is cancelled in the gate', async () => {
    const project = await make({ config: config({ test: '"sleep 300"' }) });
    const { path } = await work(project);
    const controller = new AbortController();
    const events = Object.assign([], {
      push: (event: { type: string }) => {
        if (event.type === 'job_started') controller.abort();
        return 0;
      },
    });
    const before = await everything(project);
    const answer = await verb('accept', path, {}, { signal: controller.signal, events });
    refusedWith(answer, 'cancelled');
    assert.deepEqual(answer.data?.landing, nothingLanded);
    assert.deepEqual(await everything(project), before);
  });

  it('says with dry_run what it would land, and runs nothing', async () => {
    const project = await make({ config: counting });
    const { path, branch } = await work(project);
    const before = await everything(project);
    const answer = await verb('accept', path, { dry_run: true });
    assert.equal(answer.ok, true);
    const said = answer.plan?.steps.map(({ action, detail }) => `${action} ${detail}`).join('\n') ?? '';
    assert.match(said, /run the gate/);
    assert.match(said, /land [0-9a-f]+ a commit/);
    assert.match(said, /files 2: src\/a\.txt, src\/b\.txt/);
    assert.ok(said.includes(`delete branch ${branch}`));
    assert.deepEqual(answer.data?.landing, nothingLanded);
    assert.deepEqual(await everything(project), before);
    assert.deepEqual(await logged(project), []);
    succeeded(await verb('done', path));
    const proved = await verb('accept', path, { dry_run: true });
    assert.ok(!proved.plan?.steps.some(({ action }) => action === 'run the gate'));
  });

  it('lands what update merged', async () => {
    const project = await make();
    const { path } = await work(project);
    await project.commit({ 'src/c.txt': 'c\n' });
    const { after } = succeeded(await verb('update', path));
    assert.equal(succeeded(await verb('accept', path)).landed_commit, after);
    assert.equal(await git(project.root, 'rev-parse', 'HEAD'), after);
  });

  it('retires a worktree whose work was landed by hand', async () => {
    const project = await make();
    const { path, branch, commit } = await work(project);
    await git(project.root, 'merge', '--quiet', '--ff-only', branch);
    const data = succeeded(await verb('accept', path));
    assert.deepEqual(data.landing, done);
    assert.equal(data.landed_commit, commit);
  });

  it('leaves the other worktrees alone', async () => {
    const project = await make();
    const other = await started(project.root, { name: 'other' });
    await project.write({ 'draft.txt': 'draft\n' }, other.path);
    const before = await listing(other.path);
    succeeded(await verb('accept', (await work(project)).path));
    assert.deepEqual(await listing(other.path), before);
    succeeded(await verb('status', other.path));
  });
});
