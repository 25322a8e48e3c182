import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A worktree with two commits on an unmoved trunk. */
async function twoCommits(project: Project, lines = ['one\n', 'one\ntwo\n']) {
  const before = await git(project.root, 'rev-parse', 'main');
  const { path, branch, id } = await started(project.root, { name: 'work' });
  await project.commit({ 'src/b.txt': lines[0] ?? '' }, path, 'First\n\nWith a body.');
  const commit = await project.commit({ 'src/b.txt': lines[1] ?? '' }, path, 'Second');
  return { path, branch: branch ?? '', id, commit, before };
}

const parents = async (root: string, commit: string) =>
  (await git(root, 'rev-list', '--parents', '--max-count=1', commit)).split(' ').slice(1);

const tree = (root: string, commit: string) => git(root, 'rev-parse', `${commit}^{tree}`);

async function assertProved(project: Project, commit: string): Promise<void> {
  const folder = join(project.root, '.git/discern-vscode/proofs');
  const [name = ''] = (await readdir(folder)).filter((one) => one.startsWith(commit));
  const proof = JSON.parse(await readFile(join(folder, name), 'utf8'));
  assert.deepEqual([proof.commit, proof.tree], [commit, await tree(project.root, commit)]);
}

/** A checkout of the host's own, which accept keeps: so what is known of its branch afterwards can be asked. */
async function hosted(project: Project) {
  const path = join(project.home, 'hosted');
  await git(project.root, 'worktree', 'add', '--quiet', '-b', 'hosted', path);
  await project.commit({ 'src/b.txt': 'one\n' }, path, 'First');
  const commit = await project.commit({ 'src/b.txt': 'one\ntwo\n' }, path, 'Second');
  return { path, commit };
}

describe('How work lands', () => {
  afterEach(removeAll);

  it('merge: by a merge commit of the trunk and the branch, with the proved tree', async () => {
    const project = await make();
    const { path, commit, before, branch } = await twoCommits(project);
    const { landed_commit: landed = '', landing } = succeeded(await verb('accept', path, { how: 'merge' }));
    assert.deepEqual(landing, {
      recovery_performed: false,
      trunk_landed: true,
      worktree_removed: true,
      branch_deleted: true,
    });
    assert.equal(await git(project.root, 'rev-parse', 'main', 'HEAD'), `${landed}\n${landed}`);
    assert.deepEqual(await parents(project.root, landed), [before, commit]);
    assert.equal(await tree(project.root, landed), await tree(project.root, commit));
    assert.equal(await git(project.root, 'log', '-1', '--format=%s'), `Merge branch '${branch}'`);
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
    await assertProved(project, landed);
  });

  it('squash: as one commit that names all of them, and the branch’s own commits are kept', async () => {
    const project = await make();
    const { path, commit, before, branch } = await twoCommits(project);
    const answer = await verb('accept', path, { how: 'squash' });
    const { landed_commit: landed = '' } = succeeded(answer);
    assert.match(answer.message ?? '', /Landed on main as one commit/);
    assert.deepEqual(await parents(project.root, landed), [before]);
    assert.equal(await tree(project.root, landed), await tree(project.root, commit));
    const message = await git(project.root, 'log', '-1', '--format=%B');
    assert.match(message, /\* First\n\* Second/);
    assert.ok(message.startsWith(`Land ${branch}`));
    assert.equal(await git(project.root, 'branch', '--list', branch), '');
    assert.notEqual(await git(project.root, 'for-each-ref', `--contains=${commit}`), '', 'nothing is lost');
    await assertProved(project, landed);
    const status = succeeded(await verb('status', project.root));
    assert.deepEqual([status.findings, status.proof.state, status.clean], [undefined, 'valid', true]);
  });

  it('squash and rebase: leave a single commit on the trunk as it is', async () => {
    for (const how of ['squash', 'rebase'] as const) {
      const project = await make();
      const { path } = await started(project.root);
      const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
      assert.equal(succeeded(await verb('accept', path, { how })).landed_commit, commit);
    }
  });

  it('rebase: takes merges out, and keeps who wrote each commit, when, and what they said', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const author = ['-c', 'user.name=Other', '-c', 'user.email=other@example.invalid'];
    await project.write({ 'src/b.txt': 'b\n' }, path);
    await git(path, 'add', '--all');
    await git(
      path,
      ...author,
      'commit',
      '--quiet',
      '--author=Other <o@example.invalid>',
      '--date=1234567890 +0200',
      '-m',
      'Theirs\n\nBody\n\n- a list',
    );
    const trunk = await project.commit({ 'src/c.txt': 'c\n' });
    succeeded(await verb('update', path));
    const head = await project.commit({ 'src/d.txt': 'd\n' }, path, 'Mine');
    const { landed_commit: landed = '' } = succeeded(await verb('accept', path, { how: 'rebase' }));
    assert.equal(await git(project.root, 'log', '--format=%s', `${trunk}..main`), 'Mine\nTheirs');
    assert.equal(await git(project.root, 'rev-list', '--merges', `${trunk}..main`), '');
    assert.equal(
      await git(project.root, 'log', '-1', '--date=raw', '--format=%an %ae %ad%n%B', 'main~1'),
      'Other o@example.invalid 1234567890 +0200\nTheirs\n\nBody\n\n- a list\n',
    );
    assert.equal(await tree(project.root, landed), await tree(project.root, head));
    await assertProved(project, landed);
  });

  it('rebase: keeps a date of long ago, and an author whose name git would not write', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    const raw = await git(path, 'cat-file', 'commit', 'HEAD');
    const file = join(project.home, 'object');
    await writeFile(file, `${raw.replace(/^author .*$/m, 'author ... <o@example.invalid> 86400 +0200')}\n`);
    await git(path, 'reset', '--hard', await git(path, 'hash-object', '-t', 'commit', '-w', file));
    await project.commit({ 'src/c.txt': 'c\n' });
    succeeded(await verb('accept', path, { how: 'rebase' }));
    assert.equal(
      await git(project.root, 'log', '-1', '--date=raw', '--format=%an %ae %ad', 'main'),
      'o@example.invalid o@example.invalid 86400 +0200',
    );
  });

  it('refuses, and lands nothing, where the environment’s author or date is none git can write', async () => {
    const project = await make();
    const { path, before, branch } = await twoCommits(project);
    await project.commit({ 'src/c.txt': 'c\n' });
    const refs = await git(project.root, 'for-each-ref');
    const meant = { GIT_AUTHOR_DATE: 'garbage', GIT_COMMITTER_DATE: 'garbage', GIT_AUTHOR_NAME: '<>' };
    for (const [name, value] of Object.entries(meant)) {
      const old = process.env[name];
      process.env[name] = value;
      try {
        refusedWith(
          await verb('accept', path, { how: 'merge' }),
          'unavailable',
          /correct or unset GIT_AUTHOR_NAME/,
        );
      } finally {
        if (old === undefined) delete process.env[name];
        else process.env[name] = old;
      }
    }
    assert.equal(await git(project.root, 'for-each-ref'), refs);
    process.env.GIT_AUTHOR_DATE = 'garbage';
    try {
      succeeded(await verb('accept', path, { how: 'squash' }));
    } finally {
      delete process.env.GIT_AUTHOR_DATE;
    }
    assert.notEqual(await git(project.root, 'rev-parse', 'main'), before, branch);
  });

  it('rebase: refuses where a merge on the branch resolved a conflict, and squash lands that', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'src/a.txt': 'mine\n' }, path);
    const trunk = await project.commit({ 'src/a.txt': 'theirs\n' });
    await git(path, 'merge', '--quiet', 'main').catch(() => '');
    await project.write({ 'src/a.txt': 'both\n' }, path);
    await git(path, 'commit', '--quiet', '--all', '-m', 'resolved');
    const answer = await verb('accept', path, { how: 'rebase' });
    refusedWith(answer, 'merge_conflict', /conflicts with the trunk in src\/a\.txt.*squash/);
    assert.equal(await git(project.root, 'rev-parse', 'main'), trunk);
    succeeded(await verb('accept', path, { how: 'squash' }));
    assert.equal(await readFile(join(project.root, 'src/a.txt'), 'utf8'), 'both\n');
  });

  it('is what the landing checkout’s settings say, which no branch changes, unless the call does', async () => {
    const project = await make({ files: { 'discern-vscode.toml': '[landing]\nhow = "merge"\n' } });
    const { path, before, commit } = await twoCommits(project);
    await project.commit({ 'discern-vscode.toml': '[landing]\nhow = "ff"\n' }, path);
    const first = succeeded(await verb('accept', path)).landed_commit ?? '';
    assert.equal((await parents(project.root, first))[0], before);
    assert.notEqual((await parents(project.root, first))[1], commit);
    const other = await twoCommits(project, ['x\n', 'y\n']);
    assert.equal(succeeded(await verb('accept', other.path)).landed_commit, other.commit, 'now it says ff');
    const third = await twoCommits(project, ['z\n', 'zz\n']);
    const squashed = succeeded(await verb('accept', third.path, { how: 'squash' })).landed_commit ?? '';
    assert.deepEqual(await parents(project.root, squashed), [other.commit]);
  });

  it('refuses a way there is none of, in the file with its place', async () => {
    const project = await make();
    const { path, before } = await twoCommits(project);
    await project.write({ 'discern-vscode.toml': '[landing]\nhow = "octopus"\n' });
    refusedWith(await verb('accept', path), 'config_error', /discern-vscode\.toml:2:7.*octopus/s);
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
  });
});

describe('A branch whose work is on the trunk in other commits', () => {
  afterEach(removeAll);

  it('is known to have landed by status, drop and update, and accept does not land it twice', async () => {
    const project = await make();
    const { path } = await hosted(project);
    const { landed_commit: landed = '' } = succeeded(await verb('accept', path, { how: 'squash' }));
    const status = succeeded(await verb('status', path));
    assert.equal(status.worktrees.find((one) => one.path === path)?.landed, landed);
    refusedWith(await verb('accept', path), 'invalid_argument', /nothing to land/);
    assert.equal(await git(project.root, 'rev-parse', 'main'), landed);
    const told = await verb('update', path);
    succeeded(told);
    assert.ok(
      told.hints?.some((hint) => hint.includes(landed.slice(0, 10))),
      told.hints?.join('\n'),
    );
    succeeded(await verb('drop', project.root, { worktree: path, delete_branch: true }));
  });

  it('is dropped without force; with a commit since, only that one is unlanded', async () => {
    const project = await make();
    const { path } = await hosted(project);
    succeeded(await verb('accept', path, { how: 'squash' }));
    await project.commit({ 'src/later.txt': 'x\n' }, path, 'Later');
    const answer = await verb('drop', project.root, { worktree: path, delete_branch: true });
    const message = refusedWith(answer, 'dirty_worktree', /Later/);
    assert.doesNotMatch(message, /First|Second/);
    await git(path, 'reset', '--quiet', '--hard', 'HEAD~1');
    succeeded(await verb('drop', project.root, { worktree: path, delete_branch: true }));
  });

  it('goes on: what is built on it lands, though it changes the very lines that were squashed', async () => {
    for (const how of ['squash', 'rebase', 'merge', 'ff'] as const) {
      const project = await make();
      const { path } = await hosted(project);
      succeeded(await verb('accept', path, { how: 'squash' }));
      await project.commit({ 'src/b.txt': 'one\nTWO\n' }, path, 'Changed since');
      const { merged } = succeeded(await verb('update', path));
      assert.equal(merged, true);
      succeeded(await verb('accept', path, { how }));
      assert.equal(await readFile(join(project.root, 'src/b.txt'), 'utf8'), 'one\nTWO\n');
    }
  });

  it('is deleted by prune once its worktree is gone, which keeps its commits', async () => {
    const project = await make();
    const { path, branch, commit } = await twoCommits(project);
    succeeded(await verb('done', path));
    await killedAt('accept.moved', 'accept', path, { how: 'squash' });
    await rm(path, { recursive: true });
    await git(project.root, 'worktree', 'prune');
    await rm(join(project.root, '.git/discern-vscode/landing.json'));
    await git(project.root, 'reset', '--quiet', '--hard');
    assert.notEqual(await git(project.root, 'branch', '--list', branch), '');
    succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.equal(await git(project.root, 'branch', '--list', branch), '');
    assert.notEqual(await git(project.root, 'for-each-ref', `--contains=${commit}`), '');
  });

  it('is unlanded again when the trunk is rewound', async () => {
    const project = await make();
    const { path } = await hosted(project);
    succeeded(await verb('accept', path, { how: 'squash' }));
    await git(project.root, 'reset', '--quiet', '--hard', 'HEAD~1');
    refusedWith(
      await verb('drop', project.root, { worktree: path, delete_branch: true }),
      'dirty_worktree',
      /unlanded commits/,
    );
  });

  it('is not made landed by a ref that says so of other work', async () => {
    const project = await make();
    const { path, commit } = await hosted(project);
    const before = await git(project.root, 'rev-parse', 'main');
    const other = await project.commit({ 'src/c.txt': 'c\n' });
    await git(project.root, 'update-ref', `refs/discern/landed/${before}-${other}`, commit);
    await git(project.root, 'update-ref', `refs/discern/landed/${other}-${other}`, commit);
    await git(project.root, 'update-ref', `refs/discern/landed/${before}-${'1'.repeat(40)}`, commit);
    await git(project.root, 'update-ref', 'refs/discern/landed/nonsense', commit);
    refusedWith(
      await verb('drop', project.root, { worktree: path, delete_branch: true }),
      'dirty_worktree',
      /unlanded commits.*First/s,
    );
    assert.equal(succeeded(await verb('status', path)).worktrees.at(-1)?.landed, undefined);
  });

  it('is let go by prune when nothing needs it and it is old', async () => {
    const project = await make({ files: { 'discern-vscode.toml': '[worktree]\nkeep = 1\n' } });
    const { path, commit } = await twoCommits(project);
    succeeded(await verb('accept', path, { how: 'squash' }));
    const [ref = ''] = (
      await git(project.root, 'for-each-ref', '--format=%(refname)', 'refs/discern/landed')
    ).split('\n');
    succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.equal(await git(project.root, 'rev-parse', ref), commit, 'it is young');
    await git(project.root, 'update-ref', '-d', ref);
    await rm(join(project.root, '.git/logs', ref), { force: true });
    const dated = { ...process.env, GIT_COMMITTER_DATE: '1234567890 +0000' };
    const again = ['update-ref', '--create-reflog', '-m', 'long ago', ref, commit];
    execFileSync('git', again, { cwd: project.root, env: dated });
    await git(project.root, 'branch', 'needs-it', commit);
    succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.equal(await git(project.root, 'rev-parse', ref), commit, 'a branch needs it');
    await git(project.root, 'branch', '--quiet', '-D', 'needs-it');
    const { pruned } = succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.ok(pruned.some(({ detail }) => detail.includes(ref)));
    assert.equal(await git(project.root, 'for-each-ref', ref), '');
  });
});

describe('A landing in another commit that was killed', () => {
  afterEach(removeAll);

  for (const how of ['squash', 'merge'] as const) {
    for (const point of [
      'accept.journaled',
      'accept.moved',
      'accept.followed',
      'retire.judged',
      'accept.removed',
    ]) {
      it(`${how}, at ${point}, is finished: once on the trunk, and nothing is lost`, async () => {
        const project = await make();
        const { path, branch, commit, before } = await twoCommits(project);
        await killedAt(point, 'accept', path, { how });
        const { worktrees } = succeeded(await verb('status', project.root));
        if (point === 'accept.journaled') succeeded(await verb('accept', path, { how }));
        else assert.equal(worktrees.length, 1);
        assert.equal(
          await git(project.root, 'rev-list', '--first-parent', '--count', `${before}..main`),
          '1',
        );
        assert.equal(await tree(project.root, 'main'), await tree(project.root, commit));
        assert.equal(await git(project.root, 'branch', '--list', branch), '');
        assert.notEqual(await git(project.root, 'for-each-ref', `--contains=${commit}`), '');
        assert.equal(await git(project.root, 'status', '--porcelain'), '');
      });
    }
  }
});
