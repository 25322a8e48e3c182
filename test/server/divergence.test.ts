import assert from 'node:assert/strict';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cli } from '../support/cli.ts';
import { httpServers } from '../support/http.ts';
import { git, type Project, projects } from '../support/project.ts';
import { connections, type ToolAnswer } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const { serve, connect, stopAll } = httpServers();

const first = ({ text }: ToolAnswer) => text.split('\n')[0] ?? '';

describe('A gate that judged nothing of anyone’s', () => {
  afterEach(async () => {
    await Promise.all([closeAll(), stopAll()]);
    await removeAll();
  });

  for (const [what, work] of [
    [
      'commits',
      async (path: string) => void (await git(path, 'commit', '--quiet', '--allow-empty', '-m', 'x')),
    ],
    ['edits', (path: string) => writeFile(join(path, 'src/a.txt'), 'edited\n')],
    ['new files only', (path: string) => writeFile(join(path, 'src/new.txt'), 'new\n')],
  ] as const) {
    it(`says first where the work is: ${what} in a sibling of a clean trunk`, async () => {
      const project = await make();
      const sibling = join(project.home, 'sibling');
      await git(project.root, 'worktree', 'add', '--quiet', '-b', 'sibling', sibling);
      const server = await open({ args: ['--root', project.root] });
      const before = await server.call('discern_done');
      assert.equal(before.envelope.data.divergence, undefined, 'a sibling without work is no matter');
      await work(sibling);
      for (const verb of ['done', 'test', 'prepare', 'standards', 'status']) {
        const answer = await server.call(`discern_${verb}`);
        assert.ok(String(answer.envelope.data.divergence).includes(sibling), `${verb}: ${answer.text}`);
        assert.ok(first(answer).includes(sibling) && first(answer).includes(project.root), answer.text);
        assert.ok(
          answer.envelope.message?.startsWith(`This is about ${project.root}`),
          answer.envelope.message,
        );
      }
      const preview = await server.call('discern_done', { dry_run: true });
      assert.ok(first(preview).includes(sibling), preview.text);
      const there = await server.call('discern_done', { path: sibling });
      assert.equal(there.envelope.data.divergence, undefined);
      const terminal = await cli(['done'], { cwd: project.root });
      assert.ok(terminal.stdout.includes(sibling) || terminal.stderr.includes(sibling), terminal.stdout);
    });
  }

  it('takes a worktree that lies in another checkout for no change of that checkout', async () => {
    const project = await make();
    const inside = join(project.root, '.tool/worktrees/mine');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'mine', inside);
    const idle = await (await open({ args: ['--root', inside] })).call('discern_done');
    assert.equal(idle.envelope.data.divergence, undefined, idle.text);
    const server = await open({ args: ['--root', project.root] });
    assert.equal((await server.call('discern_test')).envelope.data.divergence, undefined);
    await project.commit({ 'src/b.txt': 'BROKEN\n' }, inside);
    for (const verb of ['done', 'test', 'status']) {
      const answer = await server.call(`discern_${verb}`);
      assert.equal(answer.envelope.ok, true, 'the gate is not about it');
      assert.ok(String(answer.envelope.data.divergence).includes(`${inside} (mine: 1 commit)`), answer.text);
      assert.ok(first(answer).includes(`This is about ${project.root}`), answer.text);
    }
    // A new file beside it is somebody’s work.
    await writeFile(join(project.root, '.tool/worktrees/note.txt'), 'mine\n');
    assert.equal((await server.call('discern_test')).envelope.data.divergence, undefined);
    await git(inside, 'reset', '--quiet', '--hard', 'main');
    const other = await (await open({ args: ['--root', inside] })).call('discern_test');
    assert.ok(
      String(other.envelope.data.divergence).includes(`${project.root} (main: uncommitted`),
      other.text,
    );
  });

  it('says so over HTTP too, of the checkout that a call names', async () => {
    const project = await make();
    const sibling = join(project.home, 'sibling');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'sibling', sibling);
    await writeFile(join(sibling, 'src/new.txt'), 'new\n');
    const server = await serve(['--root', project.root]);
    const connection = await connect(server.url, 'SDK 1.x');
    const done = await connection.call('discern_done', { path: project.root });
    assert.equal(done.envelope.ok, true, done.text);
    assert.ok(first(done).includes(sibling) && first(done).includes(project.root), done.text);
    assert.ok(String(done.envelope.data.divergence).includes(sibling), done.text);
  });

  it('says so when the edits after a start went to the trunk’s checkout', async () => {
    const project = await make();
    const server = await open({ args: ['--root', project.root] });
    const { envelope } = await server.call('discern_start', { name: 'work' });
    await writeFile(join(project.root, 'src/a.txt'), 'edited in the wrong place\n');
    const done = await server.call('discern_done');
    assert.equal(done.envelope.data.root, envelope.data.path);
    assert.ok(first(done).includes(`${project.root} (main: uncommitted changes)`), first(done));
    await project.commit({ 'src/b.txt': 'b\n' }, envelope.data.path as string);
    assert.equal((await server.call('discern_done')).envelope.data.divergence, undefined);
  });
});

describe('A root that was named and is not a project', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('is said in the first answer, once, and by doctor', async () => {
    const project = await make();
    const empty = join(project.home, 'empty');
    await mkdir(empty);
    for (const [options, said] of [
      [{ args: ['--root', empty] }, `--root names ${empty}, which is not a project`],
      [{ args: ['--root', '$' + '{workspaceFolder}'] }, 'holds a variable that the client did not fill in'],
      [{ env: { DISCERN_ROOT: empty } }, `DISCERN_ROOT names ${empty}`],
      [{ env: { CLAUDE_PROJECT_DIR: empty } }, `CLAUDE_PROJECT_DIR names ${empty}`],
    ] as const) {
      const server = await open({ ...options, cwd: project.root } as never);
      const status = await server.call('discern_status');
      assert.equal(status.envelope.data.root, project.root);
      assert.ok(first(status).includes(said), first(status));
      assert.ok(!first(await server.call('discern_status')).includes(said), 'once');
      const doctor = await server.call('discern_doctor');
      assert.ok(doctor.text.includes(said), doctor.text);
    }
  });

  it('is told apart where CLAUDE_PROJECT_DIR and the directory of the server are two projects', async () => {
    const [project, other] = [await make(), await make()];
    const server = await open({ env: { CLAUDE_PROJECT_DIR: project.root }, cwd: other.root });
    const status = await server.call('discern_status');
    assert.equal(status.envelope.data.root, project.root);
    assert.ok(first(status).includes(other.root), first(status));
  });
});

describe('Somebody else under the held root’s path', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('is not taken for it: a clone of another repository, or the worktree added again', async () => {
    const [project, other] = [await make(), await make()];
    const server = await open({ args: ['--root', project.root] });
    const { envelope } = await server.call('discern_start', { name: 'work' });
    const path = envelope.data.path as string;
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    const aside = `${path}.aside`;
    await rename(path, aside);
    await cp(other.root, path, { recursive: true });
    const cloned = await server.call('discern_done');
    assert.equal(cloned.envelope.error, 'root_missing', cloned.text);
    assert.ok(cloned.text.includes(project.root));
    await rm(path, { recursive: true });
    await rename(aside, path);
    assert.equal((await server.call('discern_done')).envelope.ok, true, 'it came back as it was');
    await git(project.root, 'worktree', 'remove', '--force', path);
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'another', path);
    const again = await server.call('discern_done');
    assert.equal(again.envelope.error, 'root_missing', again.text);
  });

  for (const [how, lose] of [
    [
      'git worktree remove',
      (project: Project, path: string) => git(project.root, 'worktree', 'remove', '--force', path),
    ],
    ['rm -rf', (_project: Project, path: string) => rm(path, { recursive: true })],
  ] as const)
    it(`is no reason to move when it was lost by ${how} and another worktree is accepted by path`, async () => {
      const project = await make();
      const server = await open({ args: ['--root', project.root] });
      const one = (await server.call('discern_start', { name: 'one' })).envelope.data.path as string;
      await project.commit({ 'src/b.txt': 'b\n' }, one);
      const two = (await server.call('discern_start', { name: 'two', path: project.root })).envelope.data
        .path as string;
      await lose(project, two);
      const accepted = await server.call('discern_accept', { path: one });
      assert.equal(accepted.envelope.ok, true, accepted.text);
      const { root } = (await server.resource('discern://root')) as { root: string };
      assert.equal(root, two, 'it was lost by another hand, and stays so');
      assert.equal((await server.call('discern_done')).envelope.error, 'root_missing');
    });

  it('leads to the main checkout after a restart from --state too', async () => {
    const project = await make();
    const state = join(project.home, 'state.json');
    const server = await open({ args: ['--root', project.root, '--state', state] });
    const { envelope } = await server.call('discern_start', { name: 'work' });
    const path = envelope.data.path as string;
    await server.close();
    await git(project.root, 'worktree', 'remove', '--force', path);
    const next = await open({ args: ['--state', state] });
    const done = await next.call('discern_done');
    assert.equal(done.envelope.error, 'root_missing', done.text);
    assert.ok(done.envelope.message?.includes(`"${project.root}"`), done.text);
  });
});
