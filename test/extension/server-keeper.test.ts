import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Pace, ServerKeeper, type ServerState } from '../../src/extension/server-keeper.ts';
import { runs, until } from '../support/processes.ts';
import { type Project, projects } from '../support/project.ts';
import { environment, serverFile } from '../support/server.ts';

const { make, removeAll } = projects();

/** Restarts without the waits a person would want. */
const brisk: Partial<Pace> = { firstDelay: 10, lastDelay: 20, quick: 400, leaving: 400 };

interface Kept {
  keeper: ServerKeeper;
  states: ServerState[];
  told: string[];
  logged: string[];
}

const kept: Kept[] = [];

/** A keeper of whatever `args` makes node run. */
function keep(
  args: () => string[],
  pace: Partial<Pace> = brisk,
  command = process.execPath,
  env: Record<string, string> = {},
): Kept {
  const states: ServerState[] = [];
  const told: string[] = [];
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const keeper = new ServerKeeper({
    launch: () => ({ command, args: args(), env: environment(env), cwd: '/' }),
    version: '0.0.0',
    log: { info: log, warn: log, error: log },
    onConnected: async (client) => void (await client.held()),
    onEvent: () => undefined,
    onState: (state) => states.push(state),
    tell: (message) => told.push(message),
    pace,
  });
  const one = { keeper, states, told, logged };
  kept.push(one);
  return one;
}

/** The arguments of a window's server. */
const serving = ({ root, home }: Project) => [serverFile, '--root', root, '--socket', join(home, 's')];

const deaths = (logged: string[]) => logged.filter((line) => line.includes('ended by itself')).length;

/** A script that notes its pid in a file, one a line, and then does what `body` says. */
async function script(body: string): Promise<{ args: () => string[]; pids: () => number[] }> {
  const { home } = await make();
  const file = join(home, 'script.cjs');
  const log = join(home, 'pids');
  writeFileSync(log, '');
  writeFileSync(
    file,
    `require('node:fs').appendFileSync(${JSON.stringify(log)}, process.pid + '\\n');\n${body}\n`,
  );
  return {
    args: () => [file],
    pids: () => readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number),
  };
}

describe('The window’s server, as the extension keeps it', () => {
  afterEach(async () => {
    await Promise.all(kept.splice(0).map(({ keeper }) => keeper.stop()));
    await removeAll();
  });

  it('is started again after it was killed, holds the same root, and the person is told', async () => {
    const project = await make();
    const state = join(project.home, 'held.json');
    const { keeper, told } = keep(() => [...serving(project), '--state', state], {});
    const client = await keeper.client();
    const started = await client.call('start', { name: 'outlives a crash' });
    const { path } = started.data as { path: string };
    const { pid } = keeper;
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
    await until('another runs', () => keeper.state === 'running' && keeper.pid !== pid);
    assert.equal((await (await keeper.client()).held()).root, path);
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /started again, and holds the same root/);
    await (await keeper.client()).call('drop', { worktree: path, delete_branch: true, path: project.root });
  });

  it('is given up after five deaths in a row, until the person restarts it', async () => {
    const crashing = await script('process.exit(3);');
    const { keeper, states, told, logged } = keep(crashing.args);
    await assert.rejects(keeper.client());
    await until('it is given up', () => keeper.state === 'failed');
    assert.equal(deaths(logged), 5);
    assert.deepEqual(states, ['starting', 'failed']);
    assert.match(told.at(-1) ?? '', /ended 5 times in a row/);
    await assert.rejects(keeper.restart());
    await until('it is given up again', () => deaths(logged) === 10 && keeper.state === 'failed');
  });

  it('is started again when it answers nothing, and never twice at once', async () => {
    const hanging = await script('setInterval(() => undefined, 1000);');
    const { keeper, logged } = keep(hanging.args);
    await assert.rejects(keeper.client(), /timed out/i);
    await until('it is given up', () => keeper.state === 'failed');
    assert.equal(deaths(logged), 5);
    assert.ok(!hanging.pids().some(runs), 'none of them is left');
  });

  it('is started again when it answers garbage, which is logged', async () => {
    const babbling = await script(
      "process.stdin.on('data', () => process.stdout.write('What?\\n{\"jsonrpc\":3}\\n'));process.stdin.on('end', () => process.exit());",
    );
    const { keeper, logged } = keep(babbling.args);
    await assert.rejects(keeper.client(), /timed out/i);
    await until('it is given up', () => keeper.state === 'failed');
    assert.ok(logged.some((line) => line.includes('not valid JSON')));
    assert.ok(!babbling.pids().some(runs));
  });

  it('survives garbage without an end', async () => {
    const flooding = await script(
      "const chunk = 'x'.repeat(1024 * 1024); const go = () => process.stdout.write(chunk, go); go();",
    );
    const { keeper, logged } = keep(flooding.args, { ...brisk, quick: 20_000, mostDeaths: 1 });
    await assert.rejects(keeper.client());
    await until('it is given up', () => keeper.state === 'failed');
    assert.ok(
      logged.some((line) => line.includes('exceeded maximum size')),
      logged.join('\n'),
    );
  });

  it('is ended and started again when it stops answering in the middle', async () => {
    const project = await make();
    const { keeper, logged } = keep(() => serving(project), { ...brisk, quick: 6_000 });
    const client = await keeper.client();
    const { pid } = keeper;
    assert.ok(pid);
    process.kill(pid, 'SIGSTOP');
    await assert.rejects(client.held(), /timed out/i);
    await until('another runs', () => keeper.state === 'running' && keeper.pid !== pid);
    assert.equal((await (await keeper.client()).held()).root, project.root);
    assert.ok(logged.some((line) => line.includes('does not answer any more')));
    assert.equal(runs(pid), false);
  });

  it('fails in words when its program is gone, as after an update that took it away', async () => {
    const { home } = await make();
    const { keeper, logged } = keep(() => [], brisk, join(home, 'no-such-node'));
    await assert.rejects(keeper.client());
    await until('it is given up', () => keeper.state === 'failed');
    assert.ok(logged.some((line) => line.includes('ENOENT')));
  });

  it('runs and says so where there is no git', async () => {
    const project = await make();
    const { keeper } = keep(() => serving(project), {}, process.execPath, { PATH: project.home });
    const client = await keeper.client();
    assert.equal((await client.held()).root, project.root);
    const { ok, message } = await client.call('status', {});
    assert.equal(ok, false);
    assert.match(message ?? '', /git .*(not found|PATH)/i);
    assert.equal(keeper.state, 'running');
  });

  it('waits for the old server to be gone before a restart starts the next', async () => {
    const project = await make();
    const { keeper } = keep(() => serving(project), {});
    await keeper.client();
    const { pid } = keeper;
    const [one, two] = await Promise.all([keeper.restart(), keeper.client()]);
    assert.equal(one, two);
    assert.ok(pid !== undefined && !runs(pid));
    assert.ok(keeper.pid !== undefined && runs(keeper.pid));
    // The old server removes the socket as it leaves; it must not be the new one's.
    assert.ok(readdirSync(project.home).includes('s'));
  });

  it('does not come back once it was stopped', async () => {
    const project = await make();
    const { keeper } = keep(() => serving(project), {});
    await keeper.client();
    const { pid } = keeper;
    await keeper.stop();
    assert.ok(pid !== undefined && !runs(pid));
    assert.equal(keeper.state, 'stopped');
    await assert.rejects(keeper.client(), /closing/);
    await assert.rejects(keeper.restart(), /closing/);
  });
});
