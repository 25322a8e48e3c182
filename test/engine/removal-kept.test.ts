import assert from 'node:assert/strict';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { recoveryRef, timeIn } from '../../src/engine/repository/recovered.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';
import { follow } from '../support/remedy.ts';

const { make, removeAll } = projects();

const DAY = 24 * 60 * 60 * 1000;
const recovered = async ({ root }: Project) =>
  (await git(root, 'for-each-ref', '--format=%(refname)', 'refs/discern/recovered/'))
    .split('\n')
    .filter(Boolean);
const forced = (worktree: string) => ({ worktree, delete_branch: true, force: true });
const prune = async ({ root }: Project) => succeeded(await verb('prune', root, { dry_run: false }));

describe('What a forced drop keeps', () => {
  afterEach(removeAll);

  it('is every byte as it lay there, whatever a filter would make of it', async () => {
    const project = await make({ files: { '.gitattributes': '*.txt filter=blank\n*.crlf text eol=lf\n' } });
    await git(project.root, 'config', 'filter.blank.clean', 'sed s/precious/nothing/');
    const { id, path } = await started(project.root);
    const name = 'odd "name"\n\\.txt';
    await project.write(
      { 'src/a.txt': 'precious edit\n', [name]: 'precious too\n', 'b.crlf': 'x\r\n' },
      path,
    );
    await writeFile(join(path, 'script.txt'), 'precious run\n', { mode: 0o755 });
    const { recovery_ref: ref } = succeeded(await verb('drop', project.root, forced(id)));
    const show = (file: string) => git(project.root, 'cat-file', 'blob', `${ref}:${file}`);
    assert.equal(await show('src/a.txt'), 'precious edit');
    assert.equal(await show(name), 'precious too');
    assert.equal(await show('b.crlf'), 'x\r');
    assert.match(await git(project.root, 'ls-tree', ref ?? '', 'script.txt'), /^100755 /);
  });

  it('is what git was in the middle of too, which an unforced one refuses', async () => {
    const project = await make({ files: { 'one.txt': '1\n', 'two.txt': '2\n' } });
    const { id, path, branch } = await started(project.root);
    await project.commit({ 'one.txt': 'ours\n' }, path);
    await git(project.root, 'switch', '--quiet', '-c', 'other');
    await project.commit({ 'one.txt': 'theirs\n' });
    await git(project.root, 'switch', '--quiet', 'main');
    await git(project.root, 'merge', '--quiet', '--ff-only', branch ?? '');
    await project.write({ 'two.txt': 'stashed precious\n' }, path);
    await git(path, 'merge', '--autostash', 'other').catch(() => '');
    const stash = await git(path, 'rev-parse', 'MERGE_AUTOSTASH');
    await project.write({ 'staged.txt': 'staged precious\n' }, path);
    await git(path, 'add', 'staged.txt');
    await project.write({ 'staged.txt': 'edited since\n' }, path);
    const before = await everything(project);
    const unforced = await verb('drop', project.root, { worktree: id, delete_branch: true });
    refusedWith(unforced, 'dirty_worktree', /a merge/);
    assert.deepEqual(await everything(project), before);
    const { recovery_ref: ref } = succeeded(await verb('drop', project.root, forced(id)));
    const reach = (await git(project.root, 'rev-list', '--objects', ...(await recovered(project)))).split(
      '\n',
    );
    const has = (object: string) => reach.some((line) => line.startsWith(object));
    assert.ok(has(stash), 'the autostash');
    const staged = await git(project.root, 'rev-list', '--parents', '-1', ref ?? '');
    const trees = await Promise.all(
      staged.split(' ').map((one) => git(project.root, 'ls-tree', '-r', '--name-only', one)),
    );
    assert.ok(
      trees.some((names) => names.includes('MERGE_HEAD')),
      'what was merged',
    );
    const blobs = await Promise.all(
      staged.split(' ').map((one) => git(project.root, 'show', `${one}:staged.txt`).catch(() => '')),
    );
    assert.ok(blobs.includes('staged precious') && blobs.includes('edited since'), blobs.join());
  });

  it('is not what git ignores, which is named, beforehand and afterwards, by accept too', async () => {
    const files = { '.gitignore': ['.env', 'build/', '*.log'].join('\n') };
    const project = await make({ files });
    for (const way of ['accept', 'drop'] as const) {
      const { id, path } = await started(project.root);
      await project.commit({ [`${way}.txt`]: '' }, path);
      await project.write({ '.env': 'SECRET=1\n', 'build/x/y': '' }, path);
      for (let n = 0; n < 9; n++) await project.write({ [`${n}.log`]: '' }, path);
      const call = (dry_run: boolean) =>
        way === 'accept'
          ? verb('accept', path, { dry_run })
          : verb('drop', project.root, { ...forced(id), dry_run });
      const { plan } = await call(true);
      const said = plan?.steps.find(({ action }) => action === 'delete ignored files')?.detail ?? '';
      assert.match(said, /^\.env, 0\.log, .* and 3 more$/);
      const { hints = [] } = await call(false);
      assert.ok(hints.includes(`Ignored files went with it: ${said}.`), hints.join('\n'));
    }
  });
});

describe('What removals have kept', () => {
  afterEach(removeAll);

  async function dropped(project: Project): Promise<string> {
    const { path, id } = await started(project.root);
    await project.write({ 'loose.txt': 'precious\n' }, path);
    const { recovery_ref: ref } = succeeded(await verb('drop', project.root, forced(id)));
    return ref ?? '';
  }

  it('is told by status and prune, with the commands that bring it back and let it go', async () => {
    const project = await make();
    assert.equal(succeeded(await verb('status', project.root)).kept, undefined);
    const ref = await dropped(project);
    const { kept } = succeeded(await verb('status', project.root));
    const { recovery_refs } = await prune(project);
    assert.deepEqual(kept, { total: 1, refs: recovery_refs });
    const [one] = recovery_refs;
    assert.equal(one?.ref, ref);
    assert.ok(Math.abs(Date.parse(one?.kept_at ?? '') - Date.now()) < DAY);
    await follow(project, one?.restore ?? '');
    const branch = await git(project.root, 'for-each-ref', '--format=%(refname)', 'refs/heads/recovered/');
    assert.equal(await git(project.root, 'show', `${branch}:loose.txt`), 'precious');
    await follow(project, one?.remove ?? '');
    assert.deepEqual(await recovered(project), []);
  });

  it('is told whole, the newest first', async () => {
    const project = await make();
    const head = await git(project.root, 'rev-parse', 'HEAD');
    for (let n = 10; n < 18; n++)
      await git(project.root, 'update-ref', recoveryRef('x', `0000${n}`, Date.now() - n * 1000), head);
    const { kept } = succeeded(await verb('status', project.root));
    assert.equal(kept?.total, 8);
    assert.deepEqual(
      kept?.refs.map((one) => one.ref.slice(-2)),
      ['10', '11', '12', '13', '14', '15', '16', '17'],
    );
  });

  it('goes with a prune when it is older than the owner wants, and no other', async () => {
    const project = await make();
    const head = await git(project.root, 'rev-parse', 'HEAD');
    const put = async (name: string, days: number) => {
      const ref = recoveryRef(name, '00ab12', Date.now() - days * DAY);
      await git(project.root, 'update-ref', ref, head);
      return ref;
    };
    const [old, young] = [await put('agent/old', 31), await put('young', 29)];
    // Nothing says since when: a commit's date is that of the work.
    await git(project.root, 'update-ref', 'refs/discern/recovered/by-hand', head);
    const preview = await verb('prune', project.root);
    assert.deepEqual(
      preview.plan?.steps.map(({ action }) => action),
      ['delete recovery ref'],
    );
    assert.ok((await recovered(project)).includes(old));
    const { pruned } = await prune(project);
    assert.match(pruned[0]?.detail ?? '', /agent\/old-.* kept for more than 30 days/);
    assert.deepEqual(await recovered(project), ['refs/discern/recovered/by-hand', young].sort());

    await writeFile(join(project.root, 'discern-vscode.toml'), '[worktree]\nkeep = 0\n');
    const ancient = await put('ancient', 4000);
    assert.deepEqual((await prune(project)).pruned, []);
    assert.ok((await recovered(project)).includes(ancient));
    await writeFile(join(project.root, 'discern-vscode.toml'), '[worktree]\nkeep = 7\n');
    assert.equal((await prune(project)).pruned.length, 2);
    assert.deepEqual(await recovered(project), ['refs/discern/recovered/by-hand']);
  });

  it('of an older version goes by the time of its reflog', async () => {
    const project = await make();
    const old = 'refs/discern/recovered/agent/old-abcdef-123456';
    const env = ['-c', 'user.name=x', '-c', 'user.email=x@localhost'];
    await git(project.root, ...env, 'update-ref', '--create-reflog', '-m', 'discern: kept', old, 'HEAD');
    const log = join(project.root, '.git/logs', old);
    const text = await readFile(log, 'utf8');
    assert.deepEqual((await prune(project)).pruned, []);
    await writeFile(log, text.replace(/> \d+ /, `> ${Math.floor((Date.now() - 40 * DAY) / 1000)} `));
    assert.deepEqual(
      (await prune(project)).pruned.map(({ action }) => action),
      ['delete recovery ref'],
    );
  });

  it('has the time in its name, whatever the name', () => {
    const name = fc.string({ unit: 'grapheme' });
    const at = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1000);
    fc.assert(
      fc.property(name, at, (text, time) => assert.equal(timeIn(recoveryRef(text, 'abc123', time)), time)),
    );
    fc.assert(fc.property(name, (text) => assert.ok((timeIn(text) ?? 0) >= 0)));
  });
});

describe('A worktree that was moved away by hand', () => {
  afterEach(removeAll);

  async function moved(to: (project: Project) => string) {
    const project = await make();
    const { path, branch } = await started(project.root);
    await git(path, 'switch', '--quiet', '--detach');
    const detached = await project.commit({ 'c.txt': '' }, path);
    await git(path, 'switch', '--quiet', branch ?? '');
    await project.write({ 'staged.txt': 'precious\n', 'loose.txt': 'precious\n' }, path);
    await git(path, 'add', 'staged.txt');
    await rename(path, to(project));
    return { project, path, branch, detached };
  }

  const far = ({ home }: Project) => join(home, '../', `${basename(home)}.elsewhere`);

  it('is not forgotten, however far it went, and the answer says how git finds it again', async () => {
    const { project, path, branch, detached } = await moved(far);
    const there = far(project);
    try {
      const before = await everything(project);
      const { findings = [] } = succeeded(await verb('status', project.root));
      assert.equal(findings.length, 1);
      assert.ok(findings[0]?.what.startsWith(`${path} was moved`), findings[0]?.what);
      assert.match(findings[0]?.remedy ?? '', /^git worktree repair /);
      const { pruned, kept } = await prune(project);
      assert.deepEqual([pruned, kept.length], [[], 1]);
      assert.deepEqual(await everything(project), before);
      await git(project.root, 'worktree', 'repair', there);
      assert.equal(await git(there, 'status', '--porcelain'), 'A  staged.txt\n?? loose.txt');
      assert.equal(await git(there, 'branch', '--show-current'), branch);
      assert.equal(await git(there, 'rev-parse', '--verify', 'HEAD@{1}'), detached);
      assert.equal(succeeded(await verb('status', project.root)).findings, undefined);
    } finally {
      await rm(there, { recursive: true });
    }
  });

  it('is found when it went not too far, and registered there', async () => {
    const { project, path } = await moved(({ home }) => join(home, 'put aside'));
    const [finding] = succeeded(await verb('status', project.root)).findings ?? [];
    assert.match(finding?.remedy ?? '', /^git worktree repair '.*put aside'$/);
    const { pruned } = await prune(project);
    assert.deepEqual(
      pruned.map(({ action }) => action),
      ['register at its new place'],
    );
    const there = join(project.home, 'put aside');
    assert.equal(await git(there, 'status', '--porcelain'), 'A  staged.txt\n?? loose.txt');
    assert.ok(!(await git(project.root, 'worktree', 'list')).includes(path));
  });

  it('keeps its branch and leaves its commits behind, where nothing tells whether it still is somewhere', async () => {
    const { project, path, branch, detached } = await moved(far);
    await rm(join(project.root, '.git/worktrees', basename(path), 'discern-vscode.link'));
    try {
      const { findings = [] } = succeeded(await verb('status', project.root));
      assert.match(findings[0]?.what ?? '', /If it was moved, run "git worktree repair/);
      const { pruned } = await prune(project);
      assert.deepEqual(
        pruned.map(({ action }) => action),
        ['forget worktree'],
      );
      assert.notEqual(await git(project.root, 'branch', '--list', branch ?? ''), '');
      const refs = await recovered(project);
      const contents = await git(project.root, 'rev-list', '--objects', ...refs);
      assert.ok(contents.includes(detached), 'what only its reflog reached');
      assert.ok(contents.includes(' staged.txt'), 'what was staged');
    } finally {
      await rm(far(project), { recursive: true });
    }
  });

  it('is not forgotten either when a landing that was cut off is gone on with', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'b.txt': '' }, path);
    await killedAt('accept.followed', 'accept', path);
    await project.write({ 'loose.txt': 'precious\n' }, path);
    const there = far(project);
    await rename(path, there);
    try {
      const { recovery } = succeeded(await verb('status', project.root));
      assert.match(recovery?.detail ?? '', /was moved meanwhile: run "git worktree repair/);
      await git(project.root, 'worktree', 'repair', there);
      assert.equal(await git(there, 'status', '--porcelain'), '?? loose.txt');
    } finally {
      await rm(there, { recursive: true });
    }
  });
});
