import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHook } from '../support/hook.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

describe('A worktree that a client asks a hook for', () => {
  let state: string;
  let env: Record<string, string>;
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'discern hook '));
    // No settings of whoever runs the tests.
    env = { DISCERN_STATE_DIR: state, CLAUDE_CONFIG_DIR: join(state, 'claude') };
  });
  afterEach(async () => {
    rmSync(state, { recursive: true });
    await removeAll();
  });

  const ask = (event: string, stdin: object | string) =>
    runHookRaw({ session_id: 's', ...(stdin as object) }, event);
  async function runHookRaw(stdin: object | string, event: string) {
    const script = { env, words: ['claude', event], stdin };
    // stdout is a path here, no JSON.
    return runHook({ ...script, raw: true });
  }
  const create = (cwd: string, name: string) => ask('WorktreeCreate', { cwd, name });
  const remove = (cwd: string, worktree_path: string) => ask('WorktreeRemove', { cwd, worktree_path });
  const failed = async (answer: ReturnType<typeof ask>, why: RegExp) => {
    const { code, stdout, stderr } = await answer;
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, why);
    assert.match(readFileSync(join(state, 'hook.log'), 'utf8'), why);
  };
  const made = async (answer: ReturnType<typeof ask>) => {
    const { code, stdout, stderr } = await answer;
    assert.equal(code, 0, stderr);
    const path = stdout.trim().split('\n').at(-1) ?? '';
    assert.ok(existsSync(join(path, 'src/a.txt')), stdout);
    return path;
  };
  const linked = async (root: string) =>
    (await git(root, 'worktree', 'list', '--porcelain'))
      .split('\n')
      .filter((line) => line.startsWith('worktree ')).length - 1;

  it('is not a worktree, and a failure, where the event says too little or what it names cannot be', async () => {
    const project = await make({ config: null });
    await failed(ask('WorktreeCreate', {}), /named no worktree/);
    await failed(ask('WorktreeRemove', { cwd: project.root }), /named no worktree/);
    await failed(create(project.home, 'mine'), /is in no git repository/);
    for (const name of [
      '../../x',
      'a/../b',
      '.',
      'a//b',
      '-f',
      '.git',
      'a/.GIT',
      'x'.repeat(65),
      'a b',
      'a\nb',
      '/etc',
    ]) {
      await failed(create(project.root, name), /is not a name for a worktree/);
    }
    await failed(runHookRaw('{"name":', 'WorktreeCreate'), /JSON/);
    assert.equal(await linked(project.root), 0);
    assert.ok(!existsSync(join(project.root, '.claude')));
  });

  it('never overwrites a branch with commits of its own, nor a directory that is there', async () => {
    const project = await make({ config: null });
    const path = await made(create(project.root, 'mine'));
    assert.equal(await made(create(project.root, 'mine')), path, 'it is come back to');
    await project.commit({ 'work.txt': 'x\n' }, path);
    const tip = await git(path, 'rev-parse', 'HEAD');
    await git(project.root, 'worktree', 'remove', path);
    await failed(
      create(project.root, 'mine'),
      /worktree-mine is there and has commits that no other branch has/,
    );
    assert.equal(await git(project.root, 'rev-parse', 'worktree-mine'), tip);
    const astray = join(project.root, '.claude/worktrees/other');
    mkdirSync(astray, { recursive: true });
    writeFileSync(join(astray, 'notes'), 'mine');
    await failed(create(project.root, 'other'), /is there and is not a worktree/);
    assert.equal(readFileSync(join(astray, 'notes'), 'utf8'), 'mine');
  });

  it('begins at the remote’s branch, at HEAD where the settings say so, and where there is no remote', async () => {
    const project = await make({ config: null });
    const first = await git(project.root, 'rev-parse', 'HEAD');
    await git(project.root, 'update-ref', 'refs/remotes/origin/main', first);
    await git(project.root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    const second = await project.commit({ 'b.txt': 'b\n' });
    const at = async (name: string) => git(await made(create(project.root, name)), 'rev-parse', 'HEAD');
    assert.equal(await at('one'), first);
    mkdirSync(join(state, 'claude'));
    writeFileSync(join(state, 'claude/settings.json'), '{"worktree":{"baseRef":"head"}}');
    assert.equal(await at('two'), second);
    rmSync(join(state, 'claude'), { recursive: true });
    await git(project.root, 'update-ref', '-d', 'refs/remotes/origin/main');
    await git(project.root, 'symbolic-ref', '--delete', 'refs/remotes/origin/HEAD');
    assert.equal(await at('three'), second);
  });

  it('takes nothing along through a link that leads out of it', async () => {
    const project = await make({ config: null });
    mkdirSync(join(project.home, 'outside'));
    symlinkSync(join(project.home, 'outside'), join(project.root, '.claude'));
    await project.commit({ '.gitignore': 'secret\n', '.worktreeinclude': 'secret\n' });
    rmSync(join(project.root, '.claude'));
    mkdirSync(join(project.root, '.claude'));
    writeFileSync(join(project.root, '.claude/settings.local.json'), '{}');
    await made(create(project.root, 'mine'));
    assert.ok(!existsSync(join(project.home, 'outside/settings.local.json')));
  });

  it('is removed with its branch, and kept where anything would be lost', async () => {
    const project = await make({ config: null, files: { '.gitignore': 'built\n' } });
    const path = await made(create(project.root, 'mine'));
    writeFileSync(join(path, 'new.txt'), 'x');
    await failed(remove(project.root, path), /would lose uncommitted changes \(new\.txt\)/);
    rmSync(join(path, 'new.txt'));
    await git(path, 'update-index', '--assume-unchanged', 'src/a.txt');
    writeFileSync(join(path, 'src/a.txt'), 'hidden\n');
    await failed(remove(project.root, path), /edits git was told to overlook \(src\/a\.txt\)/);
    writeFileSync(join(path, 'src/a.txt'), 'a\n');
    await git(path, 'update-index', '--no-assume-unchanged', 'src/a.txt');
    const tip = await project.commit({ 'work.txt': 'x\n' }, path);
    await failed(remove(project.root, path), /has commits that no other branch has/);
    await git(project.root, 'branch', 'kept', tip);
    writeFileSync(join(path, 'built'), 'ignored');
    assert.equal((await remove(project.root, path)).code, 0);
    assert.ok(!existsSync(path));
    assert.equal(await git(project.root, 'branch', '--list', 'worktree-mine'), '');
    assert.equal((await remove(project.root, path)).code, 0, 'it is gone already');
    await failed(remove(project.root, project.root), /is not a linked worktree/);
    await failed(remove(project.root, project.home), /is not a linked worktree/);
  });

  it('is in a project of ours made by start and removed by drop, from a worktree and a sub-directory too', async () => {
    const project = await make();
    const first = await made(create(join(project.root, 'src'), 'my/work'));
    assert.match(first, /app\.worktrees\/my-work-[0-9a-f]{6}$/);
    const second = await made(create(first, 'my-work'));
    assert.notEqual(second, first);
    assert.equal(await made(create(second, 'my/work')), first);
    await project.commit({ 'work.txt': 'x\n' }, first);
    await failed(remove(project.root, first), /would lose unlanded commits/);
    assert.ok(existsSync(join(first, 'work.txt')));
    assert.equal((await remove(second, second)).code, 0);
    assert.ok(!existsSync(second));
    await failed(remove(project.root, project.root), /never dropped/);
    assert.equal(await linked(project.root), 1);
  });

  it('is not where a planted record says it is', async () => {
    const project = await make();
    const first = await made(create(project.root, 'mine'));
    const gitDir = await git(first, 'rev-parse', '--absolute-git-dir');
    const planted = { client: 'claude', name: 'theirs', path: join(project.home, 'evil') };
    mkdirSync(planted.path);
    writeFileSync(join(gitDir, 'discern-client.json'), JSON.stringify(planted));
    assert.equal(await made(create(project.root, 'theirs')), first);
  });
});
