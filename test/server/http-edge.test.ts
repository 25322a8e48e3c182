import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect as openSocket } from 'node:net';
import { type HttpServer, httpServers, launch, send, token } from '../support/http.ts';
import { projects } from '../support/project.ts';

const { make, removeAll } = projects();
const { serve, stopAll } = httpServers();

/** Starts a server that must refuse to serve; resolves with what it said. */
async function refused(args: string[], env: Record<string, string> = {}): Promise<string> {
  const server = launch(['--transport', 'http', ...args], { env });
  assert.deepEqual(await server.ended, { code: 2, signal: null }, server.said());
  assert.doesNotMatch(server.said(), /serving/);
  return server.said();
}

const secret = { DISCERN_MCP_TOKEN: token };

describe('Serving over HTTP', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  it('needs a secret, before there is a socket: none, a short one, or one no header can carry ends it with 2', async () => {
    assert.match(await refused([]), /^discern mcp: .*there is none: set DISCERN_MCP_TOKEN.*\n$/);
    assert.match(await refused([], { DISCERN_MCP_TOKEN: '' }), /there is none/);
    const short = await refused([], { DISCERN_MCP_TOKEN: 'fifteen-chars-x' });
    assert.match(short, /too short.*at least 16 characters/);
    assert.doesNotMatch(short, /fifteen/);
    for (const bad of ['sixteen characters', 'sixteen-chars-\u00e4\u00e4\u00e4', 'sixteen-characters\n']) {
      const said = await refused([], { DISCERN_MCP_TOKEN: bad });
      assert.match(said, /no header can carry/);
      assert.doesNotMatch(said, /sixteen/);
    }
  });

  it('takes no secret on a command line, and does not repeat it', async () => {
    for (const flags of [['--token', token], [`--token=${token}`], [`--auth-token=${token}`]]) {
      const said = await refused(flags, secret);
      assert.match(said, /never given on a command line.*DISCERN_MCP_TOKEN/);
      assert.ok(!said.includes(token));
    }
  });

  it('takes each setting from its flag, else from the environment, else from the default', async () => {
    const env = { DISCERN_MCP_PATH: '/from-env', DISCERN_MCP_HOST: '[::1]', DISCERN_MCP_PORT: '99999' };
    const [flagged, inherited] = [
      await serve(['--path', '/from-flag', '--host', '127.0.0.1'], { env }),
      await serve([], { env }),
    ];
    assert.match(flagged.url.href, /^http:\/\/127\.0\.0\.1:\d+\/from-flag$/);
    assert.match(inherited.url.href, /^http:\/\/\[::1\]:\d+\/from-env$/);
    for (const { url } of [flagged, inherited]) assert.equal((await send(url)).status, 200);
    const [byFlag, byEnv] = [
      await refused(['--port', 'x'], secret),
      await refused([], { ...secret, DISCERN_MCP_PORT: '65536' }),
    ];
    assert.match(byFlag, /--port "x" is not a port/);
    assert.match(byEnv, /DISCERN_MCP_PORT "65536" is not a port/);
  });

  it('refuses what it cannot serve: paths, names, flags of the other transport, unknown transports', async () => {
    for (const [flags, says] of [
      [['--path', 'mcp'], /--path "mcp" is not a URL path/],
      [['--path', '/mcp?x=1'], /is not a URL path/],
      [['--path', '/a/../b'], /is not a URL path/],
      [['--path', '/.well-known/mcp'], /where clients look for metadata/],
      [['--host', 'a b'], /--host "a b" is not an address/],
      [['--allowed-hosts', '*'], /"\*" in --allowed-hosts is not a host name/],
      [['--allowed-hosts', 'a.example,https://b.example'], /"https:\/\/b\.example" in --allowed-hosts/],
      [['--allowed-hosts', 'a.example:80'], /without scheme, port or path/],
      [['--allowed-origins', 'https://*.example'], /is not an origin/],
      [['--allowed-origins', 'https://a.example/path'], /is not an origin/],
      [['--allowed-origins', 'null', '--allowed-origins', '*'], /"\*" in --allowed-origins/],
      [['--state', '/tmp/x'], /--state is for --transport stdio/],
      [['--untrusted'], /--untrusted is for --transport stdio/],
      [['--transport', 'stdio', '--port', '1'], /--port is for --transport http/],
      [['--transport', 'sse'], /--transport is "sse": there are stdio and http/],
    ] as const) {
      assert.match(await refused([...flags], secret), says);
    }
    const said = await refused([], { ...secret, DISCERN_MCP_ALLOWED_HOSTS: 'x/y' });
    assert.match(said, /"x\/y" in DISCERN_MCP_ALLOWED_HOSTS/);
  });

  it('says in plain words that a port is in use, or that a host is not this machine’s', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const said = await refused(['--port', String(port)], secret);
      assert.match(
        said,
        new RegExp(
          `^discern mcp: Port ${port} of 127\\.0\\.0\\.1 is in use by another process.*--port.*\\n$`,
        ),
      );
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
    assert.match(
      await refused(['--host', 'no-such-host.invalid'], secret),
      /"no-such-host\.invalid" is not an address of this machine/,
    );
  });

  it('is asked for by DISCERN_MCP_TRANSPORT too, and by nothing else', async () => {
    const { code } = await launch([], { env: { DISCERN_MCP_TRANSPORT: 'http' } }).ended;
    assert.equal(code, 2, 'http, and there is no secret');
    const stdio = await launch([], { env: secret }).ended;
    assert.equal(stdio.code, 0, 'stdio, whose input has ended');
    const flagged = await launch(['--transport', 'stdio'], { env: { DISCERN_MCP_TRANSPORT: 'http' } }).ended;
    assert.equal(flagged.code, 0);
  });
});

describe('The edge', () => {
  let server: HttpServer;

  before(async () => {
    const project = await make();
    server = await serve([
      ...['--root', project.root],
      ...['--allowed-hosts', 'Box.Example, 10.0.0.7', '--allowed-hosts', 'fd00::7'],
      ...['--allowed-origins', 'https://app.example:8443,other.example'],
    ]);
  });
  after(async () => {
    await stopAll();
    await removeAll();
  });

  it('answers 401 with a plain challenge to whoever lacks the secret, whatever they ask', async () => {
    const wrong = `${token.slice(0, -1)}x`;
    const headers = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${wrong}`,
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer x ${token}`,
      `Basic ${Buffer.from(`user:${token}`).toString('base64')}`,
      token,
    ];
    for (const method of ['POST', 'GET', 'DELETE', 'PUT', 'OPTIONS']) {
      for (const Authorization of method === 'POST' ? headers : headers.slice(0, 1)) {
        const { status, headers: got, body } = await send(server.url, { method, headers: { Authorization } });
        assert.equal(status, 401, `${method} ${Authorization}`);
        assert.equal(got['www-authenticate'], 'Bearer');
        assert.ok(!body.includes(token) && !body.includes(wrong));
      }
    }
    const query = await send(server.url, {
      path: `${server.url.pathname}?token=${token}&access_token=${token}`,
      headers: { Authorization: undefined },
    });
    assert.equal(query.status, 401, 'a secret in a URL ends up in logs, so none is read there');
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const { status } = await send(server.url, { headers: { Authorization: `${scheme} ${token}` } });
      assert.equal(status, 200, scheme);
    }
  });

  it('has nothing beside its one path, with the secret and without: no metadata either', async () => {
    for (const Authorization of [undefined, `Bearer ${token}`]) {
      for (const path of [
        '/',
        '/mcp/',
        '/mcp/x',
        '/MCP',
        '/sse',
        '/.well-known/oauth-protected-resource',
        '/.well-known/oauth-protected-resource/mcp',
        '/.well-known/oauth-authorization-server',
        '/.well-known/openid-configuration',
        'http://localhost/mcp',
        '//mcp',
      ]) {
        for (const method of ['GET', 'POST']) {
          const { status, headers } = await send(server.url, { method, path, headers: { Authorization } });
          assert.equal(status, 404, `${method} ${path}`);
          assert.equal(headers['www-authenticate'], undefined);
        }
      }
    }
  });

  it('answers only to names of loopback and to those it was given', async () => {
    for (const [Host, expected] of [
      ['localhost', 200],
      [`localhost:${server.url.port}`, 200],
      ['127.0.0.1:1', 200],
      ['[::1]', 200],
      ['LOCALHOST', 200],
      ['box.example:80', 200],
      ['10.0.0.7', 200],
      ['[fd00::7]:7431', 200],
      ['evil.example', 403],
      ['localhost.evil.example', 403],
      ['box.example.evil.example', 403],
      ['127.0.0.2', 403],
      ['0.0.0.0', 403],
      ['[::2]', 403],
      ['evil.example@localhost:x', 403],
    ] as const) {
      const { status, body } = await send(server.url, { headers: { Host } });
      assert.equal(status, expected, `${Host}: ${body}`);
      if (expected === 403) assert.match(body, /--allowed-hosts/);
    }
  });

  it('answers pages of loopback and of origins it was given, and tells a browser so', async () => {
    for (const [Origin, expected] of [
      ['http://localhost:3000', 200],
      ['https://127.0.0.1', 200],
      ['http://[::1]:5173', 200],
      ['https://app.example:8443', 200],
      ['http://other.example', 200],
      ['https://app.example', 403],
      ['http://app.example:8443', 403],
      ['https://sub.other.example', 403],
      ['https://evil.example', 403],
      ['null', 403],
      ['x', 403],
    ] as const) {
      const { status, headers, body } = await send(server.url, { headers: { Origin } });
      assert.equal(status, expected, `${Origin}: ${body}`);
      assert.equal(headers['access-control-allow-origin'], expected === 200 ? Origin : undefined);
      const asked = await send(server.url, {
        method: 'OPTIONS',
        headers: { Origin, Authorization: undefined, 'Access-Control-Request-Method': 'POST' },
      });
      assert.equal(asked.status, expected === 200 ? 204 : 403, `${Origin}: ${asked.body}`);
      if (expected === 200) {
        assert.match(asked.headers['access-control-allow-headers'] ?? '', /Authorization/);
        assert.equal(asked.headers['access-control-allow-methods'], 'POST');
      }
    }
    const { headers } = await send(server.url);
    assert.equal(headers['access-control-allow-origin'], undefined);
  });

  it('takes POST alone, of JSON, of at most 4 MiB', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'HEAD', 'OPTIONS']) {
      const { status, headers } = await send(server.url, { method });
      assert.equal(status, 405, method);
      assert.equal(headers.allow, 'POST');
    }
    assert.equal((await send(server.url, { headers: { 'Content-Type': 'text/plain' } })).status, 415);
    assert.equal((await send(server.url, { body: '{"jsonrpc":' })).status, 400);
    const long = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"${'x'.repeat(4 * 1024 * 1024)}"}}`;
    const chunked = { 'Transfer-Encoding': 'chunked' };
    assert.equal((await send(server.url, { body: long, headers: chunked })).status, 413);
    // One that says beforehand how long it is need not be read at all.
    const declared = { 'Content-Length': String(long.length) };
    assert.equal((await send(server.url, { body: '{', headers: declared })).status, 413);
    assert.equal((await send(server.url)).status, 200, 'it serves on');
  });

  it('does not read on from whoever it has sent away', async () => {
    const { hostname, port, pathname } = server.url;
    const socket = openSocket(Number(port), hostname);
    socket.on('error', () => undefined);
    let heard = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      heard += chunk;
    });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(`POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\nx`);
    await closed;
    assert.match(heard, /^HTTP\/1\.1 401 /);
  });

  it('says nothing of secrets, and lets no caller write lines into its log', async () => {
    const before = server.said();
    await send(server.url, {
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x\\ndiscern mcp: forged"}}',
    });
    await send(server.url, {
      headers: { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'x' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list\\ndiscern mcp: forged","params":{}}',
    });
    const said = server.said();
    assert.ok(said.startsWith(before));
    assert.ok(!said.includes(token));
    assert.doesNotMatch(said, /^discern mcp: forged/m);
  });
});
