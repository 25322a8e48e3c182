import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/processes.ts';
import { git, type Project, plainConfig, projects } from '../support/project.ts';
import { type Connection, connections, type ToolAnswer } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

/** Where the server stands, by its own account; nothing a test does here moves it. */
async function held(connection: Connection): Promise<{ root: string; moved_by?: string; missing: boolean }> {
  return (await connection.resource('discern://root')) as { root: string; missing: boolean };
}

const rootOf = async (connection: Connection) => (await held(connection)).root;

const path = ({ envelope }: ToolAnswer) => envelope.data.path as string;

/** A worktree with one commit of its own, made through a connection of its own kind: the held root follows. */
async function startWithWork(connection: Connection, project: Project, file = 'src/b.txt'): Promise<string> {
  const started = await connection.call('discern_start', { name: 'some work', path: project.root });
  assert.equal(started.envelope.ok, true, started.text);
  await project.commit({ [file]: 'b\n' }, path(started));
  return path(started);
}

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

const landing = ({ envelope }: ToolAnswer) => envelope.data.landing as Record<string, boolean>;

describe('The held root', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('follows a start, and a start for another project by its path', async () => {
    const [one, other] = [await make(), await make({ files: { 'lib/deep/x.txt': 'x\n' } })];
    const connection = await open({ args: ['--root', one.root] });
    assert.equal(await rootOf(connection), one.root);

    const first = await connection.call('discern_start', { name: 'one' });
    assert.equal(await rootOf(connection), path(first));

    const second = await connection.call('discern_start', { path: join(other.root, 'lib/deep') });
    assert.equal(second.envelope.ok, true, second.text);
    assert.match(path(second), new RegExp(`^${other.home}/`));
    assert.deepEqual((await held(connection)).moved_by, 'start');
    assert.equal(await rootOf(connection), path(second));
    const status = await connection.call('discern_status');
    assert.equal(status.envelope.data.root, path(second));
  });

  it('stays where it is on a preview, a refusal, a failed start, and every verb that is neither start nor accept', async () => {
    const project = await make();
    const other = await make({
      config: `${plainConfig}\n[worktree.setup]\nsteps = ["exit 3"]\n`,
    });
    const connection = await open({ args: ['--root', project.root] });
    const stays = async (root: string, tool: string, args: Record<string, unknown>, ok: boolean) => {
      const answer = await connection.call(tool, args);
      const label = `${tool} ${JSON.stringify(args)}: ${answer.text}`;
      assert.equal(answer.envelope.ok, ok, label);
      assert.equal(await rootOf(connection), root, label);
      return answer;
    };

    await stays(project.root, 'discern_start', { dry_run: true }, true);
    await stays(project.root, 'discern_start', { from: 'no-such-branch' }, false);
    await stays(project.root, 'discern_start', { path: join(project.home, 'nowhere') }, false);
    const failed = await stays(project.root, 'discern_start', { path: other.root }, false);
    assert.equal(failed.envelope.error, 'gate_failed');
    for (const tool of ['status', 'scopes', 'test', 'prepare', 'done', 'drop']) {
      const args = tool === 'drop' ? { worktree: 'nothing', delete_branch: false } : {};
      await stays(project.root, `discern_${tool}`, { ...args, path: other.root }, tool !== 'drop');
    }

    const worktree = await startWithWork(connection, project);
    await stays(worktree, 'discern_start', { name: 'again' }, false); // already_in_worktree
    await stays(worktree, 'discern_start', { dry_run: true, path: project.root }, true);
    await stays(worktree, 'discern_accept', { dry_run: true }, true);
    await stays(worktree, 'discern_accept', { path: project.root }, false);
    await stays(worktree, 'discern_done', { path: project.root }, true);
    await project.commit({ 'src/c.txt': 'c\n' });
    await stays(worktree, 'discern_done', {}, false); // behind_trunk
    await stays(worktree, 'discern_update', {}, true);
    await stays(worktree, 'discern_done', {}, true);
    await writeFile(join(worktree, 'src/b.txt'), 'edited\n');
    await stays(worktree, 'discern_accept', {}, false); // dirty_worktree
    assert.equal((await held(connection)).moved_by, 'start');
  });

  it('goes to the landing checkout when an accept removed it', async () => {
    const project = await make();
    const connection = await open({ args: ['--root', project.root] });
    await startWithWork(connection, project);
    const accepted = await connection.call('discern_accept');
    assert.equal(accepted.envelope.ok, true, accepted.text);
    assert.deepEqual(await held(connection), {
      ...(await held(connection)),
      root: project.root,
      moved_by: 'accept',
      missing: false,
    });
  });

  it('stays while another worktree is accepted by path, and follows when its own is', async () => {
    const project = await make();
    const connection = await open({ args: ['--root', project.root] });
    const first = await startWithWork(connection, project, 'src/first.txt');
    const second = await startWithWork(connection, project, 'src/second.txt');

    const other = await connection.call('discern_accept', { path: first });
    assert.equal(other.envelope.ok, true, other.text);
    assert.equal(landing(other).worktree_removed, true);
    assert.equal(await rootOf(connection), second);

    await connection.call('discern_update');
    const own = await connection.call('discern_accept', { path: join(second, 'src') });
    assert.equal(own.envelope.ok, true, own.text);
    assert.equal(await rootOf(connection), project.root);
  });

  it('follows an accept by path of the directory the server was spawned in', async () => {
    const project = await make();
    const maker = await open({ args: ['--root', project.root] });
    const worktree = await startWithWork(maker, project);
    const pinned = await open({ cwd: worktree });
    assert.equal(await rootOf(pinned), worktree);

    const accepted = await pinned.call('discern_accept', { path: worktree });
    assert.equal(accepted.envelope.ok, true, accepted.text);
    const status = await pinned.call('discern_status');
    assert.equal(status.envelope.ok, true, status.text);
    assert.equal(status.envelope.data.root, project.root);
    const { held: where } = status.envelope.data as { held: { spawn_root: string; moved_by: string } };
    assert.equal(where.spawn_root, worktree, 'where it was spawned stays on record');
    assert.equal(where.moved_by, 'accept');
    assert.equal((await held(maker)).missing, true, 'the other server lost its root to someone else');
  });

  it('follows a partial acceptance that removed it and could not delete the branch', async () => {
    const project = await make();
    const goOn = join(project.home, 'go-on');
    const env = { DISCERN_FAULT_POINT: `accept.moved@${goOn}` };
    const connection = await open({ args: ['--root', project.root], env });
    const worktree = await startWithWork(connection, project);
    const branch = await git(worktree, 'branch', '--show-current');

    const accepting = connection.call('discern_accept');
    await until('the trunk has moved', () => existsSync(`${goOn}.reached`));
    await git(project.root, 'worktree', 'add', '--quiet', '-f', join(project.home, 'holder'), branch);
    await writeFile(goOn, '');
    const accepted = await accepting;
    assert.equal(accepted.envelope.error, 'partial_acceptance', accepted.text);
    assert.equal(accepted.isError, true);
    assert.equal(landing(accepted).worktree_removed, true);
    assert.equal(landing(accepted).branch_deleted, false);
    assert.equal(await rootOf(connection), project.root);
    assert.notEqual(await git(project.root, 'branch', '--list', branch), '');
  });

  it('stays in a checkout discern did not make, which accept keeps', async () => {
    const project = await make();
    const hosts = join(project.home, 'hosts');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'theirs', hosts);
    await project.commit({ 'src/b.txt': 'b\n' }, hosts);
    const connection = await open({ args: ['--root', hosts] });

    const accepted = await connection.call('discern_accept');
    assert.equal(accepted.envelope.ok, true, accepted.text);
    assert.equal(landing(accepted).trunk_landed, true);
    assert.equal(landing(accepted).worktree_removed, false);
    assert.equal(await rootOf(connection), hosts);
    assert.equal(await exists(hosts), true);
  });

  it('is not moved by a drop, not even of itself: its calls then say it is missing', async () => {
    const project = await make();
    const connection = await open({ args: ['--root', project.root] });
    const worktree = await startWithWork(connection, project);
    const dropped = await connection.call('discern_drop', {
      worktree,
      delete_branch: true,
      force: true,
    });
    assert.equal(dropped.envelope.ok, true, dropped.text);
    assert.equal(dropped.envelope.data.root, project.root);
    assert.deepEqual(
      { ...(await held(connection)), candidates: [] },
      {
        root: worktree,
        spawn_root: project.root,
        mechanism: '--root',
        moved_by: 'start',
        missing: true,
        candidates: [],
      },
    );
    const next = await connection.call('discern_done');
    assert.equal(next.envelope.error, 'root_missing');
  });
});
