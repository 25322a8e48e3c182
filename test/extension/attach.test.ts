import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { runs, until } from '../support/processes.ts';
import { projects } from '../support/project.ts';
import { environment, serverFile } from '../support/server.ts';

const { make, removeAll } = projects();
const attachFile = join(dirname(serverFile), 'attach.js');

const folders: string[] = [];
const children: ChildProcessWithoutNullStreams[] = [];

/** A window's private socket folder, and the address in it. */
function socketIn(): { folder: string; address: string } {
  const folder = mkdtempSync(join(tmpdir(), 'discern-s-'));
  folders.push(folder);
  return { folder, address: join(folder, 's') };
}

function run(file: string, ...args: string[]) {
  const child = spawn(process.execPath, [file, ...args], { env: environment(), cwd: '/' });
  children.push(child);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  return { child, said: () => said };
}

/** The window's server, as the extension starts it: stdin and stdout are the person's. */
const serve = (root: string, address: string) => run(serverFile, '--root', root, '--socket', address).child;

/** VS Code's own side: an MCP client that starts `attach.js`. */
async function attached(address: string): Promise<Client> {
  const client = new Client({ name: 'host', version: '1' }, { capabilities: {} });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [attachFile, address],
      env: environment(),
      cwd: '/',
    }),
  );
  return client;
}

const rootOf = async (client: Client) => {
  const { structuredContent } = await client.callTool({ name: 'discern_status', arguments: {} });
  return (structuredContent as { data: { root: string } }).data.root;
};

describe('attach, which is all that VS Code itself starts', () => {
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    await removeAll();
  });

  it('says so and exits when its window is gone', async () => {
    const { child, said } = run(attachFile, join(tmpdir(), 'discern-no-window', 's'));
    const [code] = await once(child, 'exit');
    assert.equal(code, 1);
    assert.match(said(), /window this server belonged to is gone; reload the window/);
  });

  it('waits while the window lives, and leaves with it', async () => {
    const { folder, address } = socketIn();
    const { child, said } = run(attachFile, address);
    rmSync(folder, { recursive: true });
    const [code] = await once(child, 'exit');
    assert.equal(code, 1);
    assert.match(said(), /is gone/);
  });

  it('joins a server that replaced one that was killed, whose socket file was left', async () => {
    const { root } = await make();
    const { address } = socketIn();
    const first = serve(root, address);
    await until('the first serves', () => existsSync(address));
    first.kill('SIGKILL');
    await once(first, 'exit');
    assert.ok(existsSync(address), 'the socket file is stale');
    // It is asked to join before there is anybody to join.
    const joining = attached(address);
    serve(root, address);
    const client = await joining;
    assert.equal(await rootOf(client), root);
    await client.close();
  });

  it('ends when the server does, so that VS Code knows', async () => {
    const { root } = await make();
    const { address } = socketIn();
    const server = serve(root, address);
    await until('it serves', () => existsSync(address));
    const { child } = run(attachFile, address);
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } } })}\n`,
    );
    await once(child.stdout, 'data');
    server.stdin.end();
    await once(child, 'exit');
  });

  it('lets two windows on one folder each hold a root of their own', async () => {
    const { root } = await make();
    const [one, two] = [socketIn(), socketIn()];
    const servers = [one, two].map(({ address }) => serve(root, address));
    await until('both serve', () => existsSync(one.address) && existsSync(two.address));
    const [first, second] = [await attached(one.address), await attached(two.address)];
    const { structuredContent } = await first.callTool({
      name: 'discern_start',
      arguments: { name: 'only here' },
    });
    const { path } = (structuredContent as { data: { path: string } }).data;
    assert.equal(await rootOf(first), path);
    assert.equal(await rootOf(second), root);
    for (const client of [first, second]) await client.close();
    for (const server of servers)
      assert.ok(server.pid !== undefined && runs(server.pid), 'it stays for more');
  });
});
