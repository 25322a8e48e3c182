import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runs, until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';
import { clients, connections } from '../support/server.ts';
import { hello, type RawServer, rawServers, toolCall } from '../support/stdio.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const { start, stopAll } = rawServers();

const gone = (...pids: number[]) => until(`${pids.join(', ')} are gone`, () => !pids.some(runs));

/** A project whose test job writes the pids of its shell and of a child of it beside the checkout, and stays. */
const longProject = (stay = 'sleep 1000 & echo $$ $! > ../pids; wait') =>
  make({
    config: `[project]\nname = "x"\n[jobs]\nformat = "true"\nlint = "true"\ntest = ${JSON.stringify(stay)}\n[jobs.types]\nstage = "check"\nrun = "true"\n`,
  });

async function pidsOf(project: Project): Promise<number[]> {
  const read = async () =>
    (await readFile(join(project.home, 'pids'), 'utf8').catch(() => '')).trim().split(' ');
  await until('the job wrote its pids', async () => (await read()).length === 2);
  return (await read()).map(Number);
}

/** A server in the middle of a gate run. */
async function gating(
  project: Project,
  flags: string[] = [],
): Promise<{ server: RawServer; pids: number[] }> {
  const server = start(['--root', project.root, ...flags]);
  server.send(...hello, toolCall(1, 'discern_test'));
  const pids = await pidsOf(project);
  for (const pid of [server.pid, ...pids]) assert.equal(runs(pid), true);
  return { server, pids };
}

/** Runs what ends a server, waits until it and the job are gone, and notes how long that took for people to read. */
async function measured(what: string, server: RawServer, pids: number[], end: () => void): Promise<void> {
  const began = performance.now();
  end();
  await gone(server.pid, ...pids);
  console.log(`      ${what}: server and job gone after ${Math.round(performance.now() - began)} ms`);
}

describe('A running gate', () => {
  afterEach(async () => {
    await closeAll();
    await stopAll();
    await removeAll();
  });

  for (const client of clients) {
    it(`reports progress that grows, and ends with all its processes when cancelled (${client})`, async () => {
      const project = await longProject();
      const connection = await open({ args: ['--root', project.root] }, client);
      const heard: { message: string; progress: number }[] = [];
      const onProgress = (message: string, progress: number) => heard.push({ message, progress });
      const prepared = await connection.call('discern_prepare', {}, { onProgress });
      assert.equal(prepared.envelope.ok, true, prepared.text);
      const said = heard.map(({ message }) => message.replace(/ after .*/, ''));
      const each = ['format', 'lint', 'types'].flatMap((job) => [`${job} (`, `${job} passed`]);
      const order = each.map((begins) => said.findIndex((message) => message.startsWith(begins)));
      assert.equal(said[0], `prepare in ${project.root}`);
      assert.ok(!order.includes(-1), JSON.stringify(said));
      for (const [index, { progress }] of heard.entries()) {
        assert.ok(progress > (heard[index - 1]?.progress ?? 0), JSON.stringify(heard));
      }
      assert.equal(heard.at(-1)?.progress, 3);

      const cancelling = new AbortController();
      const running = connection.call('discern_test', {}, { signal: cancelling.signal });
      const pids = await pidsOf(project);
      cancelling.abort();
      await assert.rejects(running);
      await gone(...pids);
      const again = await connection.call('discern_prepare');
      assert.equal(again.envelope.ok, true, `the server lives on: ${again.text}`);
    });
  }

  it('says nothing about progress to a caller that did not ask, nor to one that cancelled', async () => {
    const [project, other] = [await longProject(), await make()];
    const server = start(['--root', project.root]);
    server.send(
      ...hello,
      // Of two test jobs the second would wait for the first.
      toolCall(1, 'discern_prepare', { path: other.root }),
      toolCall(2, 'discern_test', {}, { progressToken: 'mine' }),
    );
    const pids = await pidsOf(project);
    await server.answer(1);
    await until('there is progress', () =>
      server.messages().some(({ method }) => method === 'notifications/progress'),
    );
    const before = server.messages().filter(({ method }) => method === 'notifications/progress');
    for (const { params } of before) {
      assert.equal(params?.progressToken, 'mine');
      assert.ok((params?.progress as number) <= (params?.total as number));
    }
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await gone(...pids);
    server.send(toolCall(3, 'discern_status'));
    await server.answer(3);
    const messages = server.messages();
    assert.equal(messages.filter(({ method }) => method === 'notifications/progress').length, before.length);
    assert.ok(!messages.some(({ id }) => id === 2), 'a cancelled call is not answered');
  });

  it('runs its jobs in the root, wherever the server itself stands', async () => {
    const project = await make({
      config: '[project]\nname = "x"\n[jobs]\ntest = "pwd; echo $DISCERN_ROOT"\n',
    });
    const other = await make();
    const connection = await open({ cwd: other.root, env: { DISCERN_ROOT: project.root } });
    const { envelope } = await connection.call('discern_start', { name: 'x' });
    for (const [path, args] of [
      [envelope.data.path as string, {}],
      [project.root, { path: join(project.root, 'src') }],
    ] as const) {
      const tested = await connection.call('discern_test', args);
      const output = await readFile(tested.envelope.steps?.[0]?.output_path ?? '', 'utf8');
      assert.equal(output, `${path}\n${path}\n`);
    }
  });
});

describe('The server’s end', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  it('comes when stdin ends, with everything it started', async () => {
    const project = await longProject();
    const { server, pids } = await gating(project);
    await measured('stdin ended', server, pids, server.endInput);
    assert.deepEqual(await server.ended, { code: 0, signal: null });
  });

  it('comes in time also when a job ignores being asked to end', async () => {
    const project = await longProject('trap "" TERM INT HUP; sleep 1000 & echo $$ $! > ../pids; wait; wait');
    const { server, pids } = await gating(project);
    await measured('stdin ended, job ignores SIGTERM', server, pids, server.endInput);
    assert.deepEqual(await server.ended, { code: 0, signal: null });
  });

  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    it(`comes on ${signal}, with everything it started`, async () => {
      const { server, pids } = await gating(await longProject());
      await measured(signal, server, pids, () => server.kill(signal));
      assert.deepEqual(await server.ended, { code: 0, signal: null });
    });
  }

  it('by SIGKILL leaves none of its jobs behind', async () => {
    const { server, pids } = await gating(await longProject());
    await measured('SIGKILL', server, pids, () => server.kill('SIGKILL'));
    assert.equal((await server.ended).signal, 'SIGKILL');
  });

  for (const window of [false, true]) {
    it(`comes when nobody reads its answers any more${window ? ', for a window’s server too' : ''}`, async () => {
      const project = await longProject();
      const flags = window ? ['--socket', join(project.home, 'socket')] : [];
      const { server, pids } = await gating(project, flags);
      server.closeOutput();
      server.send(toolCall(2, 'discern_status'));
      await gone(server.pid, ...pids);
      assert.deepEqual(await server.ended, { code: 0, signal: null });
    });
  }

  it('in the middle of a start takes back the worktree and its branch', async () => {
    const project = await make({
      config:
        '[project]\nname = "x"\n[worktree.setup]\nsteps = ["sleep 1000 & echo $$ $! > ../../pids; wait"]\n',
    });
    const server = start(['--root', project.root]);
    server.send(...hello, toolCall(1, 'discern_start'));
    const pids = await pidsOf(project);
    await measured('stdin ended in a start', server, pids, server.endInput);
    const there = await access(join(project.home, 'app.worktrees')).then(
      () => true,
      () => false,
    );
    assert.equal(there, false);
    assert.equal(await git(project.root, 'branch', '--list', 'agent/*'), '');
  });
});
