import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { clientConfigs, HttpServer, type ServeOptions } from '../../src/extension/http-server.ts';
import { send } from '../support/http.ts';
import { runs, until } from '../support/processes.ts';
import { projects } from '../support/project.ts';
import { environment, serverFile } from '../support/server.ts';

const { make, removeAll } = projects();
const servers: HttpServer[] = [];

function serve(roots: string[], options: Partial<ServeOptions> = {}) {
  const server = new HttpServer();
  servers.push(server);
  const said: string[] = [];
  let ended = 0;
  const start = () =>
    server.start({
      dist: dirname(serverFile),
      roots,
      cwd: '/',
      env: environment(),
      log: (line) => said.push(line),
      onEnded: () => {
        ended++;
      },
      ...options,
    });
  return { server, start, said, ended: () => ended };
}

const ask = (
  url: string,
  secret: string,
  method = 'tools/call',
  params: object = { name: 'discern_projects' },
) =>
  send(new URL(url), {
    headers: { Authorization: `Bearer ${secret}`, Accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

const gone = (url: string) =>
  until('nothing serves there', () =>
    send(new URL(url)).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
    ),
  );

describe('The HTTP server of a window', () => {
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    await removeAll();
  });

  it('serves the folders it was given, on loopback, to whoever has its secret', async () => {
    const [one, two, other] = [await make(), await make(), await make()];
    // Settings of a server somebody starts by hand do not reach it.
    const env = environment({
      DISCERN_MCP_HOST: '0.0.0.0',
      DISCERN_MCP_ANY_PROJECT: '1',
      DISCERN_MCP_TOKEN: 'a-secret-for-tests-0123456789',
      DISCERN_ROOT: other.root,
    });
    const { start, said } = serve([one.root, two.root], { env });
    const [first, again] = await Promise.all([start(), start()]);
    assert.equal(again, first, 'it is started once');
    assert.match(first.url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    assert.match(first.secret, /^[0-9a-f]{64}$/);
    assert.equal((await send(new URL(first.url))).status, 401, 'another secret');
    const { result } = JSON.parse((await ask(first.url, first.secret)).body);
    const paths = result.structuredContent.data.projects.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, [one.root, two.root]);
    const elsewhere = { name: 'discern_status', arguments: { path: other.root } };
    const refused = JSON.parse((await ask(first.url, first.secret, 'tools/call', elsewhere)).body);
    assert.equal(refused.result.structuredContent.error, 'path_not_found');
    assert.ok(!said.join('').includes(first.secret));
  });

  it('has another secret after it was stopped, and is gone in between', async () => {
    const project = await make();
    const { server, start, ended } = serve([project.root]);
    const first = await start();
    await server.stop();
    await gone(first.url);
    assert.equal(server.served, undefined);
    const second = await start();
    assert.notEqual(second.secret, first.secret);
    assert.equal((await ask(second.url, first.secret)).status, 401);
    assert.equal((await ask(second.url, second.secret)).status, 200);
    assert.equal(ended(), 0, 'a server that was stopped did not end by itself');
  });

  it('says why when it cannot serve', async () => {
    const { server, start } = serve([], { dist: '/no-such-directory' });
    await assert.rejects(start(), /server\.js/);
    assert.equal(server.served, undefined);
  });

  it('ends with the process that started it, however that ends', async () => {
    const project = await make();
    const script = `
      const child = require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'ignore', 'pipe'] });
      child.stderr.on('data', (chunk) => process.stdout.write(child.pid + ' ' + chunk));`;
    const args = [
      serverFile,
      '--transport',
      'http',
      '--port',
      '0',
      '--until-stdin-ends',
      '--root',
      project.root,
    ];
    const host = spawn(process.execPath, ['-e', script, ...args], {
      env: environment({ DISCERN_MCP_TOKEN: 'a-secret-for-tests-0123456789' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    host.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    await until('it serves', () => /serving http/.test(said));
    const [pid = 0] = said.split(' ').map(Number);
    assert.ok(runs(pid));
    host.kill('SIGKILL');
    await until('the server is gone', () => !runs(pid));
  });

  it('is told to clients in the form each takes', () => {
    const served = { url: 'http://127.0.0.1:7/mcp', secret: 's' };
    const entry = { type: 'http', url: served.url, headers: { Authorization: 'Bearer s' } };
    const [common, vscode, command] = Object.values(clientConfigs).map((form) => form(served));
    assert.deepEqual(JSON.parse(common ?? ''), { mcpServers: { discern: entry } });
    assert.deepEqual(JSON.parse(vscode ?? ''), { servers: { discern: entry } });
    assert.equal(
      command,
      'claude mcp add --transport http discern http://127.0.0.1:7/mcp --header "Authorization: Bearer s"',
    );
  });
});
