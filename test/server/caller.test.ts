import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionsIn } from '../support/callers.ts';
import { git, gitSubmodule, type Project, projects } from '../support/project.ts';
import { type Connection, connections, type ToolAnswer } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

const first = ({ text }: ToolAnswer) => text.split('\n')[0] ?? '';
const held = async (connection: Connection) =>
  (await connection.resource('discern://root')) as { root: string; moved_by?: string; evidence?: string };

/** A checkout made by the client's own means, with a commit that breaks the gate. */
async function ownWorktree(project: Project, name = 'mine', broken = true): Promise<string> {
  const path = join(project.home, `app.worktrees/${name}`);
  await git(project.root, 'worktree', 'add', '--quiet', '-b', name, path);
  await project.commit({ 'src/b.txt': broken ? 'BROKEN\n' : 'fine\n' }, path);
  return path;
}

describe('Where the caller stands', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('is where the gate runs, when Claude Code entered a worktree of its own', async () => {
    const project = await make();
    const { claude } = sessionsIn(project.home);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    await claude.process(project.root);
    assert.equal((await server.call('discern_status')).envelope.data.caller, undefined);
    const own = await ownWorktree(project);
    await claude.process(own);

    const looked = await server.call('discern_status');
    assert.equal(looked.envelope.data.root, project.root, 'status shows it and moves nothing');
    assert.deepEqual(looked.envelope.data.caller, {
      cwd: own,
      root: own,
      evidence: 'Claude Code’s session record',
      state: 'work',
    });
    assert.ok(first(looked).includes(own) && first(looked).includes(project.root), first(looked));

    const done = await server.call('discern_done');
    assert.equal(done.envelope.error, 'gate_failed', done.text);
    assert.equal(done.envelope.data.root, own);
    assert.match(first(done), /followed you there/);
    assert.ok(done.envelope.message?.includes('Claude Code’s session record'));
    const now = await held(server);
    assert.deepEqual([now.root, now.moved_by, now.evidence], [own, 'caller', 'Claude Code’s session record']);

    await project.commit({ 'src/b.txt': 'fine\n' }, own);
    const green = await server.call('discern_done');
    assert.equal(green.envelope.ok, true, green.text);
    assert.ok(!first(green).includes('followed'), 'it is said once');
    const accepted = await server.call('discern_accept');
    assert.equal(accepted.envelope.ok, true, accepted.text);
    assert.equal(await git(project.root, 'show', 'main:src/b.txt'), 'fine');
  });

  it('is where the gate runs, when Copilot CLI moved by /worktree', async () => {
    const project = await make();
    const { copilot } = sessionsIn(project.home);
    const server = await open({ name: 'copilot-cli', env: copilot.env, cwd: project.root });
    await copilot.state(`id: x\ncwd: ${project.root}\ngit_root: ${project.root}\nbranch: main\n`);
    assert.equal((await server.call('discern_test')).envelope.data.root, project.root);
    const own = await ownWorktree(project);
    await copilot.state(`id: x\ncwd: ${own}\ngit_root: ${own}\nbranch: mine\n`);
    const done = await server.call('discern_done');
    assert.equal(done.envelope.error, 'gate_failed', done.text);
    assert.equal(done.envelope.data.root, own);
  });

  it('is the shell’s directory where the client declared no move, and the declared one where it did', async () => {
    const project = await make();
    const { claude, session } = sessionsIn(project.home);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    const own = await ownWorktree(project);
    await claude.transcript([
      { type: 'user', cwd: project.root, sessionId: session },
      { type: 'assistant', cwd: join(own, 'src'), sessionId: session },
    ]);
    const done = await server.call('discern_done');
    assert.equal(done.envelope.data.root, own, done.text);

    const other = await ownWorktree(project, 'other');
    await claude.transcript([
      {
        type: 'worktree-state',
        worktreeSession: { originalCwd: project.root, worktreePath: other },
        sessionId: session,
      },
      { type: 'assistant', cwd: own, sessionId: session },
    ]);
    const declared = await server.call('discern_test');
    assert.equal(declared.envelope.data.root, other, declared.text);
  });

  it('never takes the held root from work back to the trunk’s checkout: that is told', async () => {
    const project = await make();
    const { claude } = sessionsIn(project.home);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    await claude.process(project.root);
    const started = await server.call('discern_start', { name: 'work' });
    const worktree = started.envelope.data.path as string;
    await project.commit({ 'src/b.txt': 'b\n' }, worktree);
    await claude.transcript([{ type: 'user', cwd: project.root, sessionId: sessionsIn('').session }]);
    const done = await server.call('discern_done');
    assert.equal(done.envelope.ok, true, done.text);
    assert.equal(done.envelope.data.root, worktree);
    assert.match(first(done), /You are in .*app .*trunk’s checkout/);
    assert.equal((await held(server)).moved_by, 'start');
  });

  it('is told when only its session record says that it went back to where it was launched', async () => {
    const project = await make();
    const { claude } = sessionsIn(project.home);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    const own = await ownWorktree(project, 'mine', false);
    await claude.process(project.root);
    assert.equal(
      (await server.call('discern_test')).envelope.data.caller,
      undefined,
      'it stands where it is held',
    );
    await claude.process(own);
    assert.equal((await server.call('discern_test')).envelope.data.root, own);
    await claude.process(project.root);
    for (const verb of ['done', 'status']) {
      const back = await server.call(`discern_${verb}`);
      assert.equal(back.envelope.data.root, own, 'only work is followed');
      assert.equal((back.envelope.data.caller as { state: string }).state, 'trunk', back.text);
      assert.ok(
        first(back).includes(`You are in ${project.root} (Claude Code’s session record)`),
        first(back),
      );
    }
    assert.equal((await held(server)).root, own);
    // The transcript is written later: it still has the way in, and nothing of the way back.
    const { session } = sessionsIn('');
    await claude.transcript([
      { type: 'worktree-state', worktreeSession: { worktreePath: own }, sessionId: session },
      { type: 'user', cwd: join(own, 'src'), sessionId: session },
    ]);
    const late = await server.call('discern_test');
    assert.equal((late.envelope.data.caller as { state: string })?.state, 'trunk', late.text);
    await claude.transcript([
      { type: 'user', cwd: own, sessionId: session },
      { type: 'worktree-state', worktreeSession: null, sessionId: session },
    ]);
    const left = await server.call('discern_test');
    assert.equal((left.envelope.data.caller as { state: string })?.state, 'trunk', left.text);
    // What its shell did since then is known better.
    const other = await ownWorktree(project, 'other', false);
    await claude.transcript([{ type: 'user', cwd: other, sessionId: session }]);
    assert.equal((await server.call('discern_test')).envelope.data.root, other);
  });

  it('follows only a move: where the caller stood before a start or a person’s word stays where it is', async () => {
    const project = await make();
    const { claude } = sessionsIn(project.home);
    const own = await ownWorktree(project);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    await claude.process(own);
    const started = await server.call('discern_start', { name: 'work' });
    const worktree = started.envelope.data.path as string;
    assert.ok(worktree, started.text);
    const test = await server.call('discern_test');
    assert.equal(test.envelope.data.root, worktree, 'the start was later than the move');
    assert.ok(first(test).includes(own), first(test));
    const other = await ownWorktree(project, 'other');
    await claude.process(other);
    assert.equal((await server.call('discern_test')).envelope.data.root, other);
  });

  it('counts for nothing beside an explicit path, and a preview moves nothing', async () => {
    const project = await make();
    const { claude } = sessionsIn(project.home);
    const own = await ownWorktree(project);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    await claude.process(own);
    const named = await server.call('discern_done', { path: project.root });
    assert.equal(named.envelope.data.root, project.root);
    assert.equal(named.envelope.data.caller, undefined);
    const preview = await server.call('discern_done', { dry_run: true });
    assert.equal(preview.envelope.data.root, own, preview.text);
    assert.ok(first(preview).includes(own));
    assert.equal((await held(server)).root, project.root);
  });

  it('is refused or only told where the project’s own settings say so', async () => {
    const project = await make({ files: { 'discern-vscode.toml': '[callers]\nfollow = "refuse"\n' } });
    const { claude } = sessionsIn(project.home);
    const own = await ownWorktree(project);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    await claude.process(own);
    for (const verb of ['prepare', 'test', 'done', 'update', 'accept', 'standards']) {
      const { envelope, text } = await server.call(`discern_${verb}`);
      assert.equal(envelope.error, 'caller_elsewhere', text);
      assert.ok(envelope.message?.includes(own) && envelope.message.includes(project.root), text);
      assert.equal(envelope.steps, undefined, 'nothing ran');
    }
    assert.equal((await held(server)).root, project.root);
    assert.equal((await server.call('discern_status')).envelope.ok, true);

    await project.write({ 'discern-vscode.toml': '[callers]\nfollow = "tell"\n' });
    const told = await server.call('discern_test');
    assert.equal(told.envelope.data.root, project.root);
    assert.ok(first(told).includes(own), first(told));
    await project.write({ 'discern-vscode.toml': '[callers]\nfolow = "tell"\n' });
    assert.equal((await server.call('discern_test')).envelope.error, 'config_error');
  });

  it('is told when it is another repository, or nowhere, and then nothing moves', async () => {
    const [project, stranger] = [await make(), await make()];
    const { claude } = sessionsIn(project.home);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    await claude.process(stranger.root);
    const foreign = await server.call('discern_test');
    assert.equal(foreign.envelope.data.root, project.root);
    assert.equal((foreign.envelope.data.caller as { state: string }).state, 'foreign');
    const gone = await ownWorktree(project);
    await claude.process(gone);
    await rm(gone, { recursive: true });
    const nowhere = await server.call('discern_test');
    assert.equal(nowhere.envelope.data.root, project.root);
    assert.equal((nowhere.envelope.data.caller as { state: string }).state, 'gone');
    assert.match(first(nowhere), /no longer exists.*ExitWorktree/);
  });

  it('is the checkout around it, where it is in a submodule or in a repository that lies in one', async () => {
    const [project, lib] = [await make(), await make({ config: null })];
    await gitSubmodule(project.root, 'add', lib.root, 'lib');
    await project.commit({ 'src/a.txt': 'with a submodule\n' });
    const own = await ownWorktree(project);
    await gitSubmodule(own, 'update', '--init');
    const nested = join(own, 'src/nested');
    await git(project.home, 'clone', '--quiet', lib.root, nested);
    const { claude } = sessionsIn(project.home);
    const env = claude.env(project.root);
    for (const within of [join(own, 'lib/src'), nested]) {
      const server = await open({ name: 'claude-code', env, cwd: project.root });
      await claude.process(within);
      const done = await server.call('discern_done');
      assert.equal(done.envelope.data.root, own, done.text);
      assert.match(first(done), /followed you there/);
      await claude.process(join(project.root, 'lib'));
      const back = await server.call('discern_done');
      assert.equal(back.envelope.data.root, own);
      assert.equal((back.envelope.data.caller as { state: string }).state, 'trunk', back.text);
    }
  });

  it('is told as what it is, where a checkout of the repository has no project, or the root is lost', async () => {
    const project = await make();
    const before = await git(
      project.root,
      'commit-tree',
      '-m',
      'before',
      await git(project.root, 'rev-parse', 'HEAD:src'),
    );
    const old = join(project.home, 'old');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'old', old, before);
    const { claude } = sessionsIn(project.home);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    await claude.process(old);
    const done = await server.call('discern_done');
    assert.equal(done.envelope.data.root, project.root);
    assert.match(first(done), /You are in .*old .*, a checkout of this repository without discern\.toml;/);
    assert.doesNotMatch(first(done), /outside/);
    const own = await ownWorktree(project);
    const other = await ownWorktree(project, 'other');
    await claude.process(own);
    assert.equal((await server.call('discern_test')).envelope.data.root, own);
    await git(project.root, 'worktree', 'remove', '--force', own);
    await claude.process(other);
    const after = await server.call('discern_done');
    assert.equal(after.envelope.data.root, other, 'it goes on where its caller is');
    assert.match(first(after), /followed you there/);
  });

  it('is the trunk’s checkout where that is a linked one beside a bare repository: told, never followed', async () => {
    const project = await make();
    const hub = join(project.home, 'hub.git');
    await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
    const [landing, work] = [join(project.home, 'landing'), join(project.home, 'work')];
    await git(hub, 'worktree', 'add', '--quiet', landing, 'main');
    await git(hub, 'worktree', 'add', '--quiet', '-b', 'work', work);
    await project.commit({ 'src/b.txt': 'BROKEN\n' }, work);
    const { claude } = sessionsIn(project.home);
    const server = await open({ name: 'claude-code', env: claude.env(landing), cwd: landing });
    await claude.process(work);
    const done = await server.call('discern_done');
    assert.deepEqual([done.envelope.data.root, done.envelope.error], [work, 'gate_failed'], done.text);
    await claude.process(landing);
    const back = await server.call('discern_done');
    assert.equal(back.envelope.data.root, work);
    assert.equal((back.envelope.data.caller as { state: string }).state, 'trunk', back.text);
  });

  it('is found by Codex’s rollout, from the session the call names', async () => {
    const project = await make();
    const { codex } = sessionsIn(project.home);
    const own = await ownWorktree(project);
    await codex.rollout([
      { type: 'session_meta', payload: { cwd: project.root } },
      { type: 'turn_context', payload: { cwd: project.root } },
      {
        type: 'event_msg',
        payload: {
          type: 'item_completed',
          item: { type: 'CommandExecution', cwd: `file://${encodeURI(own)}` },
        },
      },
    ]);
    const server = await open({ name: 'codex-mcp-client', env: codex.env, cwd: project.root });
    const done = await server.call('discern_done', {}, { meta: codex.meta });
    assert.equal(done.envelope.data.root, own, done.text);
    assert.equal(done.envelope.error, 'gate_failed');
  });

  it('is a client’s one root, where it declares roots and nothing better is known', async () => {
    const project = await make();
    const own = await ownWorktree(project);
    const server = await open({ args: ['--root', project.root], roots: [own] });
    const done = await server.call('discern_done');
    assert.equal(done.envelope.data.root, own, done.text);
    const several = await open({ args: ['--root', project.root], roots: [own, project.root] });
    assert.equal((await several.call('discern_test')).envelope.data.root, project.root);
  });
});
