import assert from 'node:assert/strict';
import { type HttpServer, httpServers, send } from '../support/http.ts';
import { hello, type Message, rawServers } from '../support/stdio.ts';

const { start, stopAll: stopRaw } = rawServers();
const { serve, stopAll } = httpServers();

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const version = '2026-07-28';
const modern = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1', title: 'Raw' },
    'io.modelcontextprotocol/clientCapabilities': { roots: {}, elicitation: { form: {} }, extensions: {} },
    progressToken: 1,
  },
};
const task = { ttl: 5 };
const info = { name: 'raw', version: '1', title: 'Raw', icons: [{ src: 'x' }] };

/** A good request of each method a client may send, and of some the server does not have. */
const good: [method: string, params: { [name: string]: Json }][] = [
  ['tools/list', { cursor: 'x' }],
  ['tools/call', { name: 'discern_help', arguments: { topic: 'roots' }, task }],
  [
    'tools/call',
    { name: 'discern_help', inputResponses: { consent: { action: 'accept' } }, requestState: 'x' },
  ],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'discern://help/roots' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'start-work', arguments: { work: 'x' } }],
  ['ping', {}],
  ['server/discover', {}],
  [
    'initialize',
    {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true }, sampling: {} },
      clientInfo: info,
    },
  ],
  ['logging/setLevel', { level: 'info' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: 'b' } }],
  ['resources/subscribe', { uri: 'discern://root' }],
  ['tasks/get', { taskId: 'x' }],
  ['subscriptions/listen', { notifications: { toolsListChanged: 7 } }],
];

const strange: Json[] = [7, 'x', true, [], {}, [7], [{}], { a: 7 }];

/** The same value with each of its members, however deep, once as something else. */
function* spoilt(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    for (const other of strange) yield { ...value, [name]: other };
    for (const one of spoilt(inner)) yield { ...value, [name]: one };
    const { [name]: _, ...rest } = value;
    yield rest;
  }
}

/** Requests of which most are wrong in one place; their ids count from 1. */
function requests(common: { [name: string]: Json }) {
  const all = good.flatMap(([method, params]) =>
    [{ ...params, ...common }, ...(spoilt({ ...params, ...common }) as Iterable<Json>)].map((one) => ({
      method,
      params: one,
    })),
  );
  return all.map((one, index) => ({ jsonrpc: '2.0', id: index + 1, ...one }));
}

/** An error is a sentence of ours or of the protocol, and blames whoever sent the request. */
function isPlain({ error }: Pick<Message, 'error'>, request: { method: string }): boolean {
  if (error === undefined) return false;
  const shown = `${JSON.stringify(request)}: ${error.code} ${error.message}`;
  assert.doesNotMatch(
    error.message,
    /Invalid input|expected \w+, received|invalid_type|_zod|[[{]|undefined/,
    shown,
  );
  assert.notEqual(error.code, -32_603, shown);
  if (error.code === -32_601) assert.ok(error.message.includes(request.method), shown);
  return true;
}

describe('What is wrong with a request', () => {
  afterEach(async () => {
    await stopRaw();
    await stopAll();
  });

  for (const [era, common] of [
    ['2025', {}],
    ['2026', modern],
  ] as const) {
    it(`is said in words, whichever member it is (stdio, ${era} era)`, async () => {
      const server = start();
      // A connection is of the era it begins in.
      const first = { jsonrpc: '2.0', id: 0, method: 'server/discover', params: modern };
      server.send(...(era === '2025' ? hello : [first]));
      await server.answer(0);
      let plain = 0;
      const all = requests(common);
      for (let at = 0; at < all.length; at += 100) {
        const some = all.slice(at, at + 100);
        const last = 100_000 + at;
        server.send(...some, { jsonrpc: '2.0', id: last, method: 'tools/list', params: common });
        await server.answer(last);
      }
      const byId = new Map(server.messages().map((message) => [message.id, message]));
      for (const request of all) {
        const answer = byId.get(request.id);
        if (answer && isPlain(answer, request)) plain++;
      }
      assert.ok(plain > 200, `only ${plain} were refused`);
    });

    it(`is said in words over HTTP too (${era} era)`, async () => {
      const server: HttpServer = await serve();
      let plain = 0;
      const all = requests(common).filter(({ method }) => method !== 'subscriptions/listen');
      const ask = async (request: (typeof all)[number]) => {
        const { name, uri } = request.params as { name?: Json; uri?: Json };
        const named = [name, uri].find((one) => typeof one === 'string') as string | undefined;
        const newer = { 'Mcp-Protocol-Version': version, 'Mcp-Method': request.method, 'Mcp-Name': named };
        const headers = { Accept: 'application/json', ...(era === '2026' && newer) };
        const { status, body } = await send(server.url, { headers, body: JSON.stringify(request) });
        assert.notEqual(status, 500, JSON.stringify(request));
        if (isPlain(JSON.parse(body), request)) plain++;
      };
      for (let at = 0; at < all.length; at += 50) await Promise.all(all.slice(at, at + 50).map(ask));
      assert.ok(plain > 200, `only ${plain} were refused`);
    });
  }
});
