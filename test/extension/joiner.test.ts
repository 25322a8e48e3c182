import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { until } from '../support/processes.ts';
import { git, projects } from '../support/project.ts';
import { environment, serverFile } from '../support/server.ts';

const { make, removeAll } = projects();
const attachFile = join(dirname(serverFile), 'attach.js');

interface Window {
  address: string;
  server: ChildProcess;
}

describe('A joiner that an agent host starts without an address', () => {
  let state: string;
  const folders: string[] = [];
  const children: ChildProcess[] = [];
  const clients: Client[] = [];
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'discern state '));
    folders.push(state);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    for (const child of children.splice(0)) await end(child);
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    await removeAll();
  });

  async function end(child: ChildProcess) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  const records = () => join(state, 'windows');
  const recordOf = () => join(records(), readdirSync(records())[0] ?? '');

  /** A window's server, as the extension starts it. */
  const open = (...opened: string[]) => openWith([], ...opened);

  async function openWith(flags: string[], ...opened: string[]): Promise<Window> {
    const folder = mkdtempSync(join(tmpdir(), 'discern-s-'));
    folders.push(folder);
    const address = join(folder, 's');
    const known = existsSync(records()) ? readdirSync(records()).length : 0;
    const env = { DISCERN_STATE_DIR: state, WORKSPACE_FOLDER_PATHS: opened.join(delimiter) };
    const args = [serverFile, '--root', opened[0] ?? '', '--socket', address, ...flags];
    const server = spawn(process.execPath, args, { env: environment(env), cwd: '/' });
    children.push(server);
    await until(
      'the window is announced',
      () =>
        existsSync(records()) &&
        readdirSync(records()).filter((name) => name.endsWith('.json')).length > known,
    );
    return { address, server };
  }

  async function client(args: string[], cwd: string, env: Record<string, string> = {}) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [attachFile, ...args],
      env: environment({ DISCERN_STATE_DIR: state, ...env }),
      cwd,
      stderr: 'pipe',
    });
    let said = '';
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    const made = new Client({ name: 'host', version: '1' }, { capabilities: {} });
    await made.connect(transport);
    clients.push(made);
    return { client: made, said: () => said };
  }

  const data = async (one: Client, name: string, args = {}) =>
    ((await one.callTool({ name, arguments: args })).structuredContent as { data: Record<string, string> })
      .data;
  const rootOf = async (one: Client) => (await data(one, 'discern_status')).root;
  const rootIn = async (cwd: string, env = {}) => rootOf((await client([], cwd, env)).client);

  /** Moves a window's held root, by which a joined client is known from a server of its own. */
  async function moved({ address }: Window): Promise<string> {
    return (await data((await client([address], '/')).client, 'discern_start', { name: 'mark' })).path ?? '';
  }

  it('is the server where there is no window, or none for its directory', async () => {
    const [one, two] = [await make(), await make()];
    assert.equal(await rootIn(join(one.root, 'src')), one.root);
    const held = await moved(await open(two.root));
    assert.notEqual(held, two.root);
    assert.equal(await rootIn(one.root), one.root);
    const named = await client(['--root', one.root], two.root);
    assert.equal(await rootOf(named.client), one.root);
  });

  it('joins the window whose folders hold its directory, or a checkout of their repository', async () => {
    const project = await make();
    const held = await moved(await open(project.root));
    assert.equal(await rootIn(project.root), held);
    assert.equal(await rootIn(join(project.root, 'src')), held);
    const linked = join(project.home, 'linked');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'one', linked);
    assert.equal(await rootIn(linked), held);
    symlinkSync(project.root, join(project.home, 'link'));
    assert.equal(await rootIn(join(project.home, 'link')), held);
  });

  it('chooses among windows the folder that lies nearest', async () => {
    const [one, two] = [await make(), await make()];
    const [first, second] = [await open(one.root), await open(two.root)];
    const nested = await open(join(one.root, 'src'));
    const marks = [await moved(first), await moved(second), await moved(nested)];
    assert.equal(await rootIn(one.root), marks[0]);
    assert.equal(await rootIn(two.root), marks[1]);
    assert.equal(await rootIn(join(one.root, 'src')), marks[2]);
  });

  it('is about its own repository, whatever the window holds, and moves the window’s root as a conversation does', async () => {
    const [one, two] = [await make(), await make()];
    const window = await open(one.root, two.root);
    const held = await moved(window);
    const [a, b] = [(await client([], two.root)).client, (await client([], two.root)).client];
    assert.equal(await rootOf(a), two.root);
    assert.equal(await rootOf(b), two.root);
    const { path } = await data(a, 'discern_start', { name: 'mine' });
    assert.equal(await rootOf(a), path);
    assert.equal(await rootOf(b), two.root, 'another connection keeps its own');
    assert.equal(
      await rootOf((await client([window.address], '/')).client),
      path,
      'the window sees the move',
    );
    assert.notEqual(held, path);
  });

  it('tells the window’s server where its client stands, which follows it', async () => {
    const project = await make();
    await open(project.root);
    const linked = join(project.home, 'linked');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'one', linked);
    const home = join(project.home, 'home');
    const session = join(home, '.copilot/session-state/abc');
    mkdirSync(session, { recursive: true });
    const stands = (cwd: string) => writeFileSync(join(session, 'workspace.yaml'), `cwd: ${cwd}\n`);
    stands(project.root);
    const env = { HOME: home, COPILOT_AGENT_SESSION_ID: 'abc', COPILOT_HOME: '' };
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [attachFile],
      env: environment({ DISCERN_STATE_DIR: state, ...env }),
      cwd: project.root,
    });
    const one = new Client({ name: 'github-copilot-developer', version: '1' }, { capabilities: {} });
    await one.connect(transport);
    clients.push(one);
    assert.equal(await rootOf(one), project.root);
    stands(linked);
    const { structuredContent } = await one.callTool({ name: 'discern_prepare', arguments: {} });
    assert.equal(
      (structuredContent as { data: { root: string } }).data.root,
      linked,
      JSON.stringify(structuredContent),
    );
  });

  it('runs nothing in a window that nobody trusts, whatever it asks for', async () => {
    const mark = '[jobs.test]\nrun = "touch ran"\n[gate]\nblocking = ["test"]\n';
    const project = await make({ config: mark });
    await openWith(['--untrusted'], project.root);
    const one = (await client([], project.root)).client;
    assert.equal(await rootOf(one), project.root, 'looking is allowed');
    for (const [name, args] of [
      ['discern_test', {}],
      ['discern_done', {}],
      ['discern_done', { path: project.root }],
      ['discern_start', { name: 'mine' }],
    ] as const) {
      const { structuredContent } = await one.callTool({ name, arguments: args });
      assert.equal(
        (structuredContent as { error?: string }).error,
        'untrusted',
        JSON.stringify(structuredContent),
      );
    }
    // What only the person may say is no method of a joiner's.
    await assert.rejects(
      one.request({ method: 'discern/trust', params: { trusted: true } } as never, {} as never),
      /-32601/,
    );
    const { structuredContent } = await one.callTool({ name: 'discern_test', arguments: {} });
    assert.equal((structuredContent as { error?: string }).error, 'untrusted');
    assert.ok(!existsSync(join(project.root, 'ran')));
  });

  it('drops a window that was killed, and one whose number is another process’s', async () => {
    const project = await make();
    const window = await open(project.root);
    await moved(window);
    const kept = readFileSync(recordOf(), 'utf8');
    await end(window.server);
    assert.equal(readdirSync(records()).length, 1);
    assert.equal(await rootIn(project.root), project.root);
    assert.deepEqual(readdirSync(records()), []);
    // Its socket is there, and nobody listens.
    writeFileSync(
      join(records(), 'window-77-0123abcd.json'),
      JSON.stringify({ ...JSON.parse(kept), pid: process.pid }),
      { mode: 0o600 },
    );
    assert.equal(await rootIn(project.root), project.root);
    assert.deepEqual(readdirSync(records()), []);
  });

  it('takes its own record away when the window closes', async () => {
    const project = await make();
    const { server } = await open(project.root);
    const record = recordOf();
    server.stdin?.end();
    await once(server, 'exit');
    assert.ok(!existsSync(record));
  });

  it('believes no record that somebody else could have written, and leaves it where it is', async () => {
    if (process.platform === 'win32') return;
    const project = await make();
    const window = await open(project.root);
    await moved(window);
    const record = recordOf();
    const text = readFileSync(record, 'utf8');
    const good = JSON.parse(text);
    const alone = async (what: string) => {
      const names = readdirSync(records());
      assert.equal(await rootIn(project.root), project.root, what);
      assert.deepEqual(readdirSync(records()), names, what);
    };
    chmodSync(record, 0o666);
    await alone('others may write it');
    chmodSync(record, 0o600);
    for (const [what, value] of Object.entries({
      garbage: '{"version": 1,',
      'a list': '[]',
      'no socket': { ...good, socket: record },
      'a relative socket': { ...good, socket: 's' },
      'folders that are none': { ...good, folders: 'all' },
      'a pid that is none': { ...good, pid: -1 },
      'far too much': { ...good, folders: [`/${'x'.repeat(100_000)}`] },
    })) {
      writeFileSync(record, typeof value === 'string' ? value : JSON.stringify(value));
      await alone(what);
    }
    chmodSync(dirname(window.address), 0o777);
    writeFileSync(record, text);
    await alone('a socket in a folder of others');
    chmodSync(dirname(window.address), 0o700);
    const elsewhere = join(state, 'elsewhere');
    renameSync(record, elsewhere);
    symlinkSync(elsewhere, record);
    await alone('a link');
  });

  it('says in words that a window’s server is of another version', async () => {
    const project = await make();
    const held = await moved(await open(project.root));
    const record = recordOf();
    const good = JSON.parse(readFileSync(record, 'utf8'));
    writeFileSync(record, JSON.stringify({ ...good, server: '9.9.9', newer: true }));
    const joined = await client([], project.root);
    assert.equal(await rootOf(joined.client), held);
    assert.match(joined.said(), /this is discern \S+, and the window's server is 9\.9\.9: reload the window/);
    writeFileSync(record, JSON.stringify({ ...good, version: 2, server: '9.9.9' }));
    const alone = await client([], project.root);
    assert.equal(await rootOf(alone.client), project.root);
    assert.match(alone.said(), /a window's server \(9\.9\.9\) is of another kind/);
    assert.ok(existsSync(record));
  });

  it('is not needed for the server to bear what comes in its place', async () => {
    const project = await make();
    const window = await open(project.root);
    const hello = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}\n';
    for (const first of [
      '{"discern":',
      `{"discern":1,"id":"${'x'.repeat(100_000)}"}\n`,
      '{"discern":1,"id":"../../x","launch":"/etc","env":[]}\n',
      '{"discern":2}\n',
      '{"discern":1,\n',
      '',
      '\n\n',
    ]) {
      const socket = connect(window.address);
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      // In pieces, as a stream may come.
      for (const piece of [first.slice(0, 5), first.slice(5), hello]) socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.destroy();
    }
    assert.equal(await rootOf((await client([], project.root)).client), project.root);
    assert.equal(window.server.exitCode, null);
  });
});
