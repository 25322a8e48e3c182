import assert from 'node:assert/strict';
import { APP_EXTENSION, APP_MIME_TYPE, APP_URI } from '../../src/contract/app.ts';
import { httpServers, send } from '../support/http.ts';
import { projects } from '../support/project.ts';
import { hello, rawServers } from '../support/stdio.ts';

const { make, removeAll } = projects();
const { start, stopAll: stopRaw } = rawServers();
const { serve, stopAll } = httpServers();

const extensions = { [APP_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } };

interface Listed {
  tools: { name: string; _meta?: { ui?: { resourceUri?: string } } }[];
}
interface Resources {
  resources: { uri: string; mimeType?: string }[];
}
interface Read {
  contents: { uri: string; mimeType: string; text: string }[];
}

/** What a request of the 2026 era brings. */
const envelope = (capabilities: object) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  },
});

type Ask = <Result>(method: string, params?: object) => Promise<Result>;

const withPage = ({ tools }: Listed) =>
  tools.filter(({ _meta }) => _meta?.ui?.resourceUri === APP_URI).map(({ name }) => name);

describe('The page for chat clients', () => {
  afterEach(async () => {
    await stopRaw();
    await stopAll();
    await removeAll();
  });

  async function overStdio(capabilities: object, newer: boolean): Promise<Ask> {
    const project = await make();
    const server = start(['--root', project.root]);
    const [first = {}, ...rest] = hello as { params?: object }[];
    if (newer)
      server.send({ jsonrpc: '2.0', id: 0, method: 'server/discover', params: envelope(capabilities) });
    else server.send({ ...first, params: { ...first.params, capabilities } }, ...rest);
    await server.answer(0);
    let id = 0;
    return async (method, params = {}) => {
      const asked = ++id;
      const all = { ...params, ...(newer && envelope(capabilities)) };
      server.send({ jsonrpc: '2.0', id: asked, method, params: all });
      return (await server.answer(asked)).result as never;
    };
  }

  async function overHttp(capabilities: object): Promise<Ask> {
    const project = await make();
    const { url } = await serve(['--root', project.root]);
    return async (method, params = {}) => {
      const { uri } = params as { uri?: string };
      const headers = {
        Accept: 'application/json',
        'Mcp-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        'Mcp-Name': uri,
      };
      const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, ...envelope(capabilities) } };
      return JSON.parse((await send(url, { headers, body: JSON.stringify(body) })).body).result;
    };
  }

  const ways: [way: string, ask: (capabilities: object) => Promise<Ask>][] = [
    ['stdio, 2025 era', (capabilities) => overStdio(capabilities, false)],
    ['stdio, 2026 era', (capabilities) => overStdio(capabilities, true)],
    ['HTTP, 2026 era', overHttp],
  ];
  for (const [way, ask] of ways) {
    it(`is offered for done and status to a client that shows pages (${way})`, async () => {
      const asks = await ask({ extensions });
      assert.deepEqual(withPage(await asks<Listed>('tools/list')), ['discern_status', 'discern_done']);
      const { resources } = await asks<Resources>('resources/list');
      assert.equal(resources.find(({ uri }) => uri === APP_URI)?.mimeType, APP_MIME_TYPE);
      const [page] = (await asks<Read>('resources/read', { uri: APP_URI })).contents;
      assert.deepEqual([page?.uri, page?.mimeType], [APP_URI, APP_MIME_TYPE]);
      assert.match(page?.text ?? '', /^<!DOCTYPE html>\n<html lang="en" data-app>/);
      // It loads nothing, and its script ends where it is to end.
      const [head = '', script = '', ...rest] = (page?.text ?? '').split(/<script>|<\/script/);
      assert.equal(/(?:src|href)=/.test(head), false);
      assert.ok(script.length > 50_000 && rest.join('').length < 100, `${script.length}`);
    });

    it(`costs other clients nothing (${way})`, async () => {
      for (const capabilities of [{}, { extensions: { [APP_EXTENSION]: { mimeTypes: ['text/plain'] } } }]) {
        const asks = await ask(capabilities);
        const listed = await asks<Listed>('tools/list');
        assert.deepEqual(withPage(listed), []);
        assert.doesNotMatch(JSON.stringify(listed), /ui:\/\//);
        const { resources } = await asks<Resources>('resources/list');
        assert.ok(!resources.some(({ uri }) => uri === APP_URI));
      }
    });
  }
});
