import assert from 'node:assert/strict';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/processes.ts';
import { type Project, plainConfig, projects } from '../support/project.ts';
import { hello, type Message, rawServers, toolCall } from '../support/stdio.ts';

const { make, removeAll } = projects();
const { start, stopAll } = rawServers();

const data = ({ result, error }: Message) => {
  assert.ok(result?.structuredContent, JSON.stringify(error));
  return result.structuredContent.data;
};
const envelope = (message: Message) => {
  assert.ok(message.result?.structuredContent, JSON.stringify(message.error));
  return message.result.structuredContent;
};
const cancel = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

/** A project whose setup goes on until the file `go` stands beside it, and then ends with `exit`. */
const slowToSetUp = (exit = 0) =>
  make({
    config: `${plainConfig}\n[worktree.setup]\nsteps = ["while ! test -f ../../go; do sleep 0.05; done; exit ${exit}"]\n`,
  });

const worktreeBegun = (project: Project) =>
  until('a worktree is begun', async () => {
    const made = await readdir(join(project.home, 'app.worktrees')).catch(() => []);
    return made.length > 0;
  });

describe('Calls sent together', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  it('gate the worktree the start before them made', async () => {
    const project = await make();
    const server = start(['--root', project.root]);
    server.send(...hello, toolCall(1, 'discern_start', { name: 'x' }), toolCall(2, 'discern_done'));
    const [started, done] = [await server.answer(1), await server.answer(2)];
    assert.equal(data(done).root, data(started).path);
    assert.notEqual(data(done).root, project.root);
  });

  it('see what the accept before them left, be it refused or done', async () => {
    const project = await make();
    const server = start(['--root', project.root]);
    server.send(
      ...hello,
      toolCall(1, 'discern_start', { name: 'x' }),
      toolCall(2, 'discern_done'),
      toolCall(3, 'discern_accept'),
      toolCall(4, 'discern_status'),
    );
    const worktree = data(await server.answer(1)).path as string;
    assert.equal(data(await server.answer(2)).root, worktree);
    const refused = envelope(await server.answer(3));
    assert.equal(refused.ok, false, 'there is no commit to land yet');
    assert.equal(refused.data.root, worktree);
    assert.equal(data(await server.answer(4)).root, worktree);

    await project.commit({ 'src/b.txt': 'b\n' }, worktree);
    server.send(toolCall(5, 'discern_accept'), toolCall(6, 'discern_status'), toolCall(7, 'discern_start'));
    assert.equal(envelope(await server.answer(5)).ok, true);
    assert.equal(data(await server.answer(6)).root, project.root);
    assert.equal(envelope(await server.answer(7)).ok, true, 'not already_in_worktree');
  });

  it('gate the worktree also when they open the connection, in either era', async () => {
    const project = await make();
    const era = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    for (const meta of [undefined, era]) {
      const server = start(['--root', project.root]);
      server.send(toolCall(1, 'discern_start', { name: 'x' }, meta), toolCall(2, 'discern_done', {}, meta));
      assert.equal(data(await server.answer(2)).root, data(await server.answer(1)).path);
    }
  });

  it('with a path do not wait', async () => {
    const project = await slowToSetUp();
    const server = start(['--root', project.root]);
    server.send(
      ...hello,
      toolCall(1, 'discern_start', { name: 'x' }),
      toolCall(2, 'discern_test', { path: project.root }),
      toolCall(3, 'discern_test'),
    );
    assert.equal(data(await server.answer(2)).root, project.root);
    const answered = server.messages().map((message) => message.id);
    assert.ok(!answered.includes(1) && !answered.includes(3), 'the start is still under way');
    await project.write({ '../go': '' });
    assert.equal(data(await server.answer(3)).root, data(await server.answer(1)).path);
  });

  it('run on the old root when the start before them failed', async () => {
    const project = await slowToSetUp(3);
    const server = start(['--root', project.root]);
    server.send(...hello, toolCall(1, 'discern_start'), toolCall(2, 'discern_test'));
    await worktreeBegun(project);
    await project.write({ '../go': '' });
    assert.equal(envelope(await server.answer(1)).error, 'gate_failed');
    const tested = envelope(await server.answer(2));
    assert.equal(tested.ok, true);
    assert.equal(tested.data.root, project.root);
  });

  it('run on the old root when the start before them was cancelled', async () => {
    const project = await slowToSetUp();
    const server = start(['--root', project.root]);
    server.send(...hello, toolCall(1, 'discern_start'), toolCall(2, 'discern_test'));
    await worktreeBegun(project);
    server.send(cancel(1));
    assert.equal(data(await server.answer(2)).root, project.root);
    assert.equal(await exists(join(project.home, 'app.worktrees')), false, 'it took back what it made');
    assert.ok(!server.messages().some((message) => message.id === 1), 'a cancelled call is not answered');
  });

  it('answer nothing and break nothing when cancelled while they wait', async () => {
    const project = await slowToSetUp();
    const ran = join(project.home, 'ran');
    await project.commit({
      'discern.toml': `[project]\nname = "x"\n[jobs]\ntest = "pwd >> ${ran}"\n[worktree.setup]\nsteps = ["while ! test -f ../../go; do sleep 0.05; done"]\n`,
    });
    const server = start(['--root', project.root]);
    server.send(
      ...hello,
      toolCall(1, 'discern_start'),
      toolCall(2, 'discern_test'),
      toolCall(3, 'discern_accept'),
      toolCall(4, 'discern_status'),
    );
    await worktreeBegun(project);
    server.send(cancel(2), cancel(3));
    await project.write({ '../go': '' });
    const worktree = data(await server.answer(1)).path;
    assert.equal(data(await server.answer(4)).root, worktree);
    server.send(toolCall(5, 'discern_scopes'));
    assert.equal(data(await server.answer(5)).root, worktree);
    const answered = server.messages().map((message) => message.id);
    assert.ok(!answered.includes(2) && !answered.includes(3), JSON.stringify(answered));
    assert.equal(await exists(ran), false, 'the cancelled test never ran');
  });
});
