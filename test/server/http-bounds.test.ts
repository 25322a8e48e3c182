import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { connect as openSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { formFor } from '../../src/server/http/accepting.ts';
import { MOST_CONNECTIONS, Slots, WrongSecrets } from '../../src/server/http/bounds.ts';
import { type HttpServer, httpServers, listing, send, token } from '../support/http.ts';
import { config } from '../support/jobs.ts';
import { runs, until } from '../support/processes.ts';
import { projects } from '../support/project.ts';

const { make, removeAll } = projects();
const { serve, stopAll } = httpServers();

/** The message an answer holds, be it JSON or a stream of events. */
function messageIn(body: string): Record<string, unknown> & { error?: { code: number; message: string } } {
  const data = /^data: (.*)$/m.exec(body)?.[1];
  return JSON.parse(data ?? body);
}

const modern = { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' };
const modernListing = {
  ...listing,
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

/** A raw connection, what it heard, and its end. */
function raw({ hostname, port }: URL, text: string) {
  const socket: Socket = openSocket(Number(port), hostname);
  let heard = '';
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    heard += chunk;
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.write(text);
  return { socket, heard: () => heard, closed };
}

describe('An answer over HTTP', () => {
  let server: HttpServer;
  before(async () => {
    const project = await make({ config: config({ test: '"true"' }) });
    server = await serve(['--root', project.root]);
  });
  after(async () => {
    await stopAll();
    await removeAll();
  });

  const forms: [accept: string | undefined, type: string | 406][] = [
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json;q=0.9, */*;q=0.1', 'application/json'],
    ['text/event-stream;q=0.1, application/json', 'application/json'],
    ['text/event-stream;q=0, application/json', 'application/json'],
    ['application/json, text/event-stream', 'text/event-stream'],
    ['Application/JSON;q=0.5,TEXT/EVENT-STREAM;q=0.8', 'text/event-stream'],
    ['text/event-stream', 'text/event-stream'],
    ['text/*', 'text/event-stream'],
    ['text/html', 406],
    ['application/json;q=0', 406],
  ];
  for (const [accept, wanted] of forms) {
    it(`comes in the form that is accepted: ${accept ?? 'no header'}`, async () => {
      for (const [headers, body] of [
        [{}, listing],
        [modern, modernListing],
      ] as const) {
        const answer = await send(server.url, {
          headers: { ...headers, Accept: accept },
          body: JSON.stringify(body),
        });
        if (wanted === 406) {
          assert.equal(answer.status, 406);
          assert.match(messageIn(answer.body).error?.message ?? '', /^Answers are application\/json or/);
          continue;
        }
        assert.equal(answer.status, 200, answer.body);
        assert.equal(answer.headers['content-type'], wanted);
        const { result } = messageIn(answer.body) as { result?: { tools: unknown[] } };
        assert.ok((result?.tools.length ?? 0) > 5, answer.body.slice(0, 300));
      }
    });
  }

  it('holds that of a call that takes its time too, as one JSON text', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'discern_projects', arguments: null, _meta: { progressToken: 1 } },
    };
    const newer = { ...call, params: { ...call.params, _meta: modernListing.params._meta } };
    const naming = { ...modern, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'discern_projects' };
    for (const [Accept, era, message] of [
      ['*/*', {}, call],
      ['application/json, text/event-stream', {}, call],
      ['*/*', naming, newer],
      ['application/json, text/event-stream', naming, newer],
    ] as const) {
      const { body } = await send(server.url, { headers: { ...era, Accept }, body: JSON.stringify(message) });
      const { id, result } = messageIn(body) as { id: number; result: { isError?: boolean } };
      assert.equal(id, 7);
      assert.notEqual(result.isError, true, '"arguments": null is no arguments');
    }
  });

  it('says in words what is wrong with a message, never by a dump of a schema', async () => {
    const bad: [body: string, status: number, code: number, words: RegExp][] = [
      ['', 400, -32_700, /no message/],
      ['{"jsonrpc":', 400, -32_700, /not JSON/],
      ['[]', 400, -32_600, /batches/],
      ['7', 400, -32_600, /JSON object/],
      ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', 400, -32_600, /id of a request/],
      ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 200, -32_600, /"jsonrpc": "2.0"/],
      [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}',
        200,
        -32_602,
        /"name" is a string/,
      ],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', 200, -32_602, /"params" is an object/],
      [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"discern_status","arguments":[]}}',
        200,
        -32_602,
        /"arguments" is an object/,
      ],
      [`${'['.repeat(500)}${']'.repeat(500)}`, 400, -32_600, /nested deeper/],
    ];
    for (const headers of [{}, { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' }]) {
      for (const [body, status, code, words] of bad) {
        const answer = await send(server.url, { body, headers });
        const { error } = messageIn(answer.body);
        assert.equal(error?.code, code, `${body.slice(0, 80)}: ${answer.body}`);
        assert.match(error?.message ?? '', words);
        assert.equal(answer.status, status, body);
      }
    }
    // What only the SDK finds wrong, in both eras.
    for (const [headers, body] of [
      [{ 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' }, listing],
      [{ 'Mcp-Protocol-Version': 'nonsense' }, listing],
      [{}, { ...listing, method: 'tools/unknown' }],
      [
        { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' },
        { ...listing, params: { _meta: { 'io.modelcontextprotocol/protocolVersion': 7 } } },
      ],
    ] as const) {
      const { body: text } = await send(server.url, { headers, body: JSON.stringify(body) });
      const { error } = messageIn(text);
      assert.ok(error, text);
      assert.doesNotMatch(error.message, /"code"|"path"|\[\s*\{|invalid_type/);
    }
  });

  it('is picked for any Accept header at all, and the more liked form wins', () => {
    const q = fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000);
    fc.assert(
      fc.property(q, q, fc.boolean(), (stream, json, swap) => {
        const parts = [`text/event-stream;q=${stream}`, `application/json; q=${json}`];
        const form = formFor((swap ? parts.reverse() : parts).join(','));
        const wanted =
          stream === 0 && json === 0 ? undefined : stream > 0 && stream >= json ? 'stream' : 'json';
        assert.equal(form, wanted);
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.ok(['stream', 'json', undefined].includes(formFor(text)));
      }),
    );
  });
});

describe('A server over HTTP', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  it('waits for nobody who never finishes a request: neither its headers nor its body', async () => {
    const { url, said } = await serve(['--request-timeout', '1']);
    const headers = raw(url, `POST ${url.pathname} HTTP/1.1\r\nHost: localhost\r\n`);
    const body = raw(
      url,
      `POST ${url.pathname} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    const nothing = raw(url, '');
    await Promise.all([headers.closed, body.closed, nothing.closed]);
    assert.match(headers.heard(), /^HTTP\/1\.1 408 /);
    assert.doesNotMatch(body.heard(), /^HTTP\/1\.1 200/);
    assert.equal((await send(url)).status, 200);
    assert.ok(!said().includes(token));
  });

  it('has no more connections than it may have, and serves on when they are gone', async () => {
    const { url } = await serve();
    const many = Array.from({ length: MOST_CONNECTIONS + 20 }, () => raw(url, ''));
    let closed = 0;
    for (const one of many)
      one.closed.then(
        () => closed++,
        () => undefined,
      );
    await until('those beyond are closed', () => closed >= 20);
    for (const { socket } of many) socket.destroy();
    await Promise.all(many.map((one) => one.closed));
    await until('it serves', async () => (await send(url).catch(() => undefined))?.status === 200);
  });

  it('stops listening to who guesses secrets', async () => {
    const { url } = await serve();
    const guess = (n: number) =>
      send(url, { headers: { Authorization: `Bearer guess-number-${n}-of-many` } });
    const statuses: number[] = [];
    for (let n = 0; n < 70; n++) statuses.push((await guess(n)).status);
    assert.deepEqual(new Set(statuses.slice(0, 60)), new Set([401]));
    assert.deepEqual(new Set(statuses.slice(60)), new Set([429]));
    const { status, headers, body } = await send(url);
    assert.equal(status, 429, 'nor to the right one, or guessing would go on');
    assert.ok(Number(headers['retry-after']) > 0 && Number(headers['retry-after']) <= 60);
    assert.match(messageIn(body).error?.message ?? '', /Too many wrong secrets/);
  });

  it('listens again after a minute, and watches a bounded number of addresses', () => {
    let now = 0;
    const wrong = new WrongSecrets({ most: 3, now: () => now });
    for (let n = 0; n < 3; n++) wrong.add('10.0.0.1');
    assert.equal(wrong.waitOf('10.0.0.1'), 60);
    assert.equal(wrong.waitOf('10.0.0.2'), 0);
    now = 59_500;
    assert.equal(wrong.waitOf('10.0.0.1'), 1);
    now = 60_000;
    assert.equal(wrong.waitOf('10.0.0.1'), 0);
    wrong.add('10.0.0.1');
    assert.equal(wrong.waitOf('10.0.0.1'), 0, 'a new minute begins');
    for (let n = 0; n < 3; n++) wrong.add('10.0.0.3');
    for (let n = 0; n < 1_000; n++) wrong.add(`fd00::${n}`);
    assert.equal(wrong.waitOf('10.0.0.3'), 0, 'the one heard of longest ago is forgotten');
  });

  it('answers to the address of loopback it was told to listen on', async () => {
    if (process.platform !== 'linux') return;
    const { url, said } = await serve(['--host', '127.0.0.2']);
    assert.equal(url.hostname, '127.0.0.2');
    assert.equal((await send(url)).status, 200);
    assert.doesNotMatch(said(), /other machines/);
  });

  it('says one line of each request where it is told to, and no secret, query or argument in it', async () => {
    const project = await make();
    for (const [args, env] of [
      [['--access-log'], {}],
      [[], { DISCERN_MCP_ACCESS_LOG: '1' }],
    ] as const) {
      const { url, said } = await serve(['--root', project.root, ...args], { env });
      const call = (name: string) =>
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: { path: `${project.root}/private` } },
        });
      await send(url, { body: call('discern_status') });
      await send(url, { body: call('x\ndiscern mcp: forged') });
      await send(url, {
        path: `${url.pathname}?token=${token}`,
        headers: { Authorization: 'Bearer wrong-secret' },
      });
      await until(
        'three lines are said',
        () =>
          said()
            .split('\n')
            .filter((line) => / POST /.test(line)).length === 3,
      );
      const lines = said()
        .split('\n')
        .filter((line) => / POST /.test(line));
      assert.match(
        lines[0] ?? '',
        /^discern mcp: \d{4}-\S+Z 127\.0\.0\.1 POST \/mcp 200 \d+ ms tools\/call discern_status$/,
      );
      assert.match(lines[1] ?? '', / 200 \d+ ms tools\/call x\?discern\?mcp:\?forged$/);
      assert.match(lines[2] ?? '', / POST \/mcp 401 \d+ ms -$/);
      for (const secret of [token, 'wrong-secret', 'private', 'Bearer'])
        assert.ok(!said().includes(secret), secret);
    }
    const quiet = await serve(['--root', project.root]);
    await send(quiet.url);
    assert.doesNotMatch(quiet.said(), / POST /);
  });

  it('runs a bounded number of calls that run commands, in the order they came; those beyond are busy', async () => {
    const slots = new Slots({ running: 2, waiting: 2 });
    const { signal } = new AbortController();
    const order: string[] = [];
    const ends = new Map<string, () => void>();
    const call = (name: string, own = signal) =>
      slots.within(
        own,
        () => order.push(`${name} waits`),
        () =>
          new Promise<void>((resolve) => {
            order.push(`${name} runs`);
            ends.set(name, resolve);
          }),
      );
    const cancelled = new AbortController();
    const [a, b, c] = [call('a'), call('b'), call('c', cancelled.signal)];
    const d = call('d');
    await assert.rejects(call('e'), { slug: 'busy' });
    cancelled.abort();
    await assert.rejects(c, { slug: 'cancelled' });
    ends.get('a')?.();
    await a;
    await until('d runs', () => ends.has('d'));
    assert.deepEqual(order, ['a runs', 'b runs', 'c waits', 'd waits', 'd runs']);
    ends.get('b')?.();
    ends.get('d')?.();
    await Promise.all([b, d]);
    const again = call('f');
    ends.get('f')?.();
    await again;
    assert.deepEqual(order.slice(5), ['f runs'], 'every slot was given back');
  });

  it('ends a call whose client goes away, also one that was to be answered by one JSON text', async () => {
    const project = await make({ config: config({ test: '"echo $$ > ../pid; sleep 1000"' }) });
    const { url } = await serve(['--root', project.root]);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'discern_test', arguments: { path: project.root } },
    });
    const head = `POST ${url.pathname} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: ${body.length}\r\n\r\n`;
    const { socket, closed } = raw(url, head + body);
    const pid = async () => Number(await readFile(join(project.home, 'pid'), 'utf8').catch(() => ''));
    await until('the job runs', async () => (await pid()) > 0);
    socket.destroy();
    await closed;
    const job = await pid();
    await until('the job has ended', () => !runs(job));
    assert.equal((await send(url)).status, 200);
  });

  it('ends in time though calls are in flight: each is answered or its connection closed, and nothing runs on', async () => {
    const project = await make({ config: config({ test: '"sleep 1000"' }) });
    const server = await serve(['--root', project.root]);
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'discern_test', arguments: { path: project.root } },
    };
    const answering = send(server.url, { body: JSON.stringify(call), headers: { Accept: '*/*' } });
    const outputs = `${project.root}/.git/discern-vscode/runs`;
    await until('the job runs', async () => (await readdir(outputs).catch(() => [])).length > 0);
    server.kill('SIGTERM');
    const { result } = messageIn((await answering).body) as {
      result?: { structuredContent: { error: string } };
    };
    assert.equal(result?.structuredContent.error, 'cancelled');
    assert.deepEqual(await server.ended, { code: 0, signal: null });
  });
});
