import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Envelope } from '../../src/contract/envelope.ts';
import type { Verb } from '../../src/contract/verbs.ts';
import { exists } from '../../src/engine/files/files.ts';
import { Session } from '../../src/server/session.ts';
import { logged } from '../support/jobs.ts';
import { until } from '../support/processes.ts';
import { git, plainConfig, projects } from '../support/project.ts';
import { resource, withTables } from '../support/resources.ts';

const { make, removeAll } = projects();

/** One call as a connection makes it. */
function call(
  session: Session,
  verb: Verb,
  args?: Record<string, unknown>,
  askRoots?: () => Promise<string[]>,
  conversation?: string,
): Promise<{ envelope: Envelope }> {
  const { signal } = new AbortController();
  return session.call({
    verb,
    args,
    signal,
    emit: () => undefined,
    client: 'unknown',
    askRoots,
    conversation,
  });
}

describe('A session', () => {
  afterEach(async () => {
    delete process.env.DISCERN_FAULT_POINT;
    await removeAll();
  });

  it('holds a named spawn root from its start: one that vanishes before the first call is missing', async () => {
    const [project, other] = [await make(), await make()];
    const session = new Session({ root: project.root, env: {}, cwd: other.root });
    await session.begin();
    await rm(project.root, { recursive: true });
    const { envelope } = await call(session, 'done');
    assert.equal(envelope.error, 'root_missing');
    assert.equal((await session.held()).root, project.root);
  });

  it('runs no command of a project that is not trusted, not even to destroy what a worktree has', async () => {
    const project = await make({ config: withTables(resource('db'), resource('cache')) });
    const trusting = new Session({ root: project.root, env: {}, cwd: '/' });
    const [kept, lost] = [
      await call(trusting, 'start'),
      await call(trusting, 'start', { path: project.root }),
    ];
    const { path, id } = kept.envelope.data as { path: string; id: string };
    await rm((lost.envelope.data as { path: string }).path, { recursive: true });
    const before = await logged(project);

    const session = new Session({ root: project.root, env: {}, cwd: '/', trusted: false });
    const drop = { worktree: id, delete_branch: true, force: true };
    for (const [verb, args] of [
      ['drop', drop],
      ['start', {}],
      ['update', { path }],
      ['accept', { path }],
      ['prune', { dry_run: false }],
    ] as const) {
      assert.equal((await call(session, verb, args)).envelope.error, 'untrusted', verb);
    }
    assert.equal((await call(session, 'prune')).envelope.dry_run, true);
    const status = await call(session, 'status');
    assert.equal(status.envelope.ok, true, status.envelope.message);
    assert.match(JSON.stringify(status.envelope.data), /what it had is still there/);
    assert.deepEqual(await logged(project), before);

    session.trust(true);
    assert.equal((await call(session, 'drop', drop)).envelope.ok, true);
    assert.deepEqual((await logged(project)).slice(before.length), ['destroy-cache', 'destroy-db']);
  });

  it('re-aims in the order of the calls, not in the order they end', async () => {
    const slow = await make({
      config:
        '[project]\nname = "slow"\n[worktree.setup]\nsteps = ["while ! test -f ../../go; do sleep 0.1; done"]\n',
    });
    const quick = await make();
    const session = new Session({ root: slow.root, env: {}, cwd: '/' });
    const first = call(session, 'start');
    const second = call(session, 'start', { path: quick.root });
    const third = call(session, 'test');
    let ended = false;
    first.then(() => (ended = true)).catch(() => undefined);
    // The second start makes its worktree at once; only its re-aim waits.
    await until('the second start has made its worktree', () => hasWorktree(quick.home));
    assert.equal(ended, false);
    await slow.write({ '../go': '' });
    const [, other, tested] = await Promise.all([first, second, third]);
    assert.equal((await session.held()).root, other.envelope.data?.path);
    assert.equal(tested.envelope.data?.root, other.envelope.data?.path);
  });

  it('is not led astray by an accept elsewhere while an accept of its own root is in flight', async () => {
    const [one, two] = [await make(), await make()];
    const session = new Session({ root: one.root, env: {}, cwd: '/' });
    const elsewhere = (await call(session, 'start', { path: two.root })).envelope.data?.path as string;
    await two.commit({ 'src/b.txt': 'b\n' }, elsewhere);
    const own = (await call(session, 'start', { path: one.root })).envelope.data?.path as string;
    await one.commit({ 'src/b.txt': 'b\n' }, own);
    // The accept of the held root stops when its worktree is gone, until the other one has landed.
    const go = join(one.home, 'go');
    process.env.DISCERN_FAULT_POINT = `accept.removed@${go}`;
    const first = call(session, 'accept');
    await until('the held root is removed', () => exists(`${go}.reached`));
    delete process.env.DISCERN_FAULT_POINT;
    const second = call(session, 'accept', { path: elsewhere });
    await until(
      'the other has landed',
      async () => (await git(two.root, 'branch', '--list', 'agent/*')) === '',
    );
    await writeFile(go, '');
    for (const { envelope } of await Promise.all([first, second])) {
      assert.equal(envelope.ok, true, envelope.message);
    }
    assert.equal((await session.held()).root, one.root);
  });

  it('shows in the window the last re-aim of any conversation, and leaves the other conversations where they are', async () => {
    const project = await make();
    const session = new Session({ root: project.root, env: {}, cwd: '/' });
    const by = (conversation: string, verb: Verb, args?: Record<string, unknown>) =>
      call(session, verb, args, undefined, conversation);
    const window = async () => (await session.held()).root;
    const startedBy = async (conversation: string) =>
      ((await by(conversation, 'start')).envelope.data as { path: string }).path;
    await by('two', 'status');
    const one = await startedBy('one');
    const two = await startedBy('two');
    assert.equal(await window(), two);
    await project.commit({ 'src/b.txt': 'fine\n' }, one);
    assert.equal((await by('one', 'accept')).envelope.ok, true);
    assert.equal(await window(), project.root, 'a conversation’s own re-aim moves the window');
    const { envelope } = await by('two', 'status');
    assert.equal((envelope.data as { held: { root: string } }).held.root, two);

    // The window holds what an accept by path removes, and the conversation that asks for it holds another worktree.
    const path = await startedBy('one');
    assert.equal(await window(), path);
    await project.commit({ 'src/c.txt': 'fine\n' }, path);
    assert.equal((await by('two', 'accept', { path })).envelope.ok, true);
    assert.equal(await window(), project.root);
    const after = await by('two', 'status');
    assert.equal((after.envelope.data as { held: { root: string } }).held.root, two);
  });

  it('judges nothing, and falls back to nothing, where the worktree its caller stands in goes between the look and the call', async () => {
    for (const verb of ['done', 'accept', 'update', 'test', 'commit'] as const) {
      const project = await make();
      const own = join(project.home, 'own');
      await git(project.root, 'worktree', 'add', '--quiet', '-b', 'own', own);
      await project.commit({ 'src/b.txt': 'b\n' }, own);
      const session = new Session({ root: project.root, env: {}, cwd: '/' });
      const before = await git(project.root, 'for-each-ref');
      const go = join(project.home, 'go');
      process.env.DISCERN_FAULT_POINT = `call.looked@${go}`;
      const asked = call(session, verb, verb === 'commit' ? { message: 'x' } : {}, async () => [own]);
      await until('the call has looked', () => exists(`${go}.reached`));
      await rm(own, { recursive: true });
      await writeFile(go, '');
      const { envelope } = await asked;
      assert.equal(envelope.error, 'root_missing', `${verb}: ${JSON.stringify(envelope)}`);
      assert.ok(envelope.message?.includes(own) && envelope.message.includes(`"${project.root}"`));
      assert.equal(await git(project.root, 'for-each-ref'), before);
      assert.equal(await exists(join(project.root, '.git/discern-vscode/proofs')), false);
      delete process.env.DISCERN_FAULT_POINT;
      // By path it goes on, as the refusal says.
      assert.equal((await call(session, 'done', { path: project.root })).envelope.ok, true);
    }
  });

  it('does not take its own landing that is under way for one that was cut off', async () => {
    const project = await make();
    const session = new Session({ root: project.root, env: {}, cwd: '/' });
    const path = (await call(session, 'start')).envelope.data?.path as string;
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    const go = join(project.home, 'go');
    process.env.DISCERN_FAULT_POINT = `accept.moved@${go}`;
    const landing = call(session, 'accept');
    await until('the trunk has moved', () => exists(`${go}.reached`));
    delete process.env.DISCERN_FAULT_POINT;
    const { envelope } = await call(session, 'status', { path: project.root });
    assert.equal(envelope.ok, true, envelope.message);
    assert.equal(envelope.data?.findings, undefined);
    assert.equal(envelope.data?.recovery, undefined);
    assert.match(envelope.hints?.join() ?? '', /A landing is under way/);
    await writeFile(go, '');
    assert.equal((await landing).envelope.ok, true);
  });

  it('gives a conversation that began without a root the window’s, once there is one', async () => {
    const project = await make();
    const empty = join(project.home, 'empty');
    await mkdir(empty);
    const session = new Session({ env: {}, cwd: empty });
    const talk = (conversation: string) => call(session, 'status', {}, undefined, conversation);
    assert.equal((await talk('one')).envelope.error, 'not_initialized');
    await git(project.home, 'init', '--quiet', '--initial-branch', 'main', empty);
    await project.commit({ 'discern.toml': plainConfig }, empty);
    assert.equal((await talk('one')).envelope.data?.root, empty);
    assert.equal((await talk('two')).envelope.data?.root, empty);
  });

  it('asks a client for its roots once for calls that come together', async () => {
    const project = await make();
    const empty = join(project.home, 'empty');
    await mkdir(empty);
    const session = new Session({ env: {}, cwd: empty });
    let asked = 0;
    const askRoots = async () => {
      asked++;
      await sleep(20);
      return [project.root];
    };
    const answers = await Promise.all([1, 2, 3].map(() => call(session, 'status', {}, askRoots)));
    for (const { envelope } of answers) assert.equal(envelope.data?.root, project.root);
    // Once to find the spawn root, and once to see where the caller stands.
    assert.equal(asked, 2);
  });
});

async function hasWorktree(home: string): Promise<boolean> {
  const made = await readdir(join(home, 'app.worktrees')).catch(() => []);
  return made.length > 0;
}
