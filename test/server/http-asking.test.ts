import assert from 'node:assert/strict';
import { started } from '../support/checkouts.ts';
import { httpServers, send } from '../support/http.ts';
import { git, projects } from '../support/project.ts';
import { clients, type Elicit } from '../support/server.ts';

const { make, removeAll } = projects();
const { serve, connect, stopAll } = httpServers();

const asking = { 'discern-vscode.toml': '[consent]\nmode = "ask"\n' };
const newer = 'SDK 2.x, 2026-07-28';

/** A project that asks, a server of it, and a worktree with a commit. */
async function work() {
  const project = await make({ files: asking });
  const { path } = await started(project.root, { name: 'one' });
  const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
  const main = await git(project.root, 'rev-parse', 'main');
  return { project, path, commit, main, server: await serve(['--root', project.root]) };
}

/** A call of the 2026 era as it goes over the wire. */
async function call(url: URL, params: Record<string, unknown>, elicitation: object | null = { form: {} }) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': elicitation === null ? {} : { elicitation },
  };
  const headers = {
    Accept: 'application/json',
    'Mcp-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': String(params.name),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } });
  return JSON.parse((await send(url, { headers, body })).body) as {
    error?: { code: number; message: string };
    result?: {
      requestState?: string;
      inputRequests?: Record<string, unknown>;
      structuredContent?: { ok: boolean; error?: string };
    };
  };
}

describe('[consent] mode = "ask" over HTTP', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  it(`has ${newer} ask, and lands with a yes only`, async () => {
    const { project, path, commit, main, server } = await work();
    const asked: string[] = [];
    let said: 'accept' | 'decline' = 'decline';
    const elicit: Elicit = async (question) => {
      asked.push(question);
      return { action: said };
    };
    const connection = await connect(server.url, newer, elicit);
    const no = await connection.call('discern_accept', { path });
    assert.deepEqual([no.envelope.error, asked.length], ['cancelled', 1], no.text);
    assert.equal(await git(project.root, 'rev-parse', 'main'), main);
    said = 'accept';
    const yes = await connection.call('discern_accept', { path });
    assert.equal(yes.envelope.ok, true, yes.text);
    assert.ok(asked[1]?.includes(path) && asked[1].includes(commit.slice(0, 10)), asked[1]);
    assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
  });

  // Between two requests of the older era nothing is kept, so a question could not be answered.
  for (const client of clients.filter((one) => one !== newer)) {
    it(`refuses ${client}, which has no way to be asked, before anything happens`, async () => {
      const { project, path, main, server } = await work();
      let asked = 0;
      const connection = await connect(server.url, client, async () => {
        asked++;
        return { action: 'accept' };
      });
      const { envelope, text } = await connection.call('discern_accept', { path });
      assert.deepEqual([envelope.error, asked], ['unavailable', 0], text);
      assert.match(envelope.message ?? '', /cannot ask: tell the person/);
      assert.equal(await git(project.root, 'rev-parse', 'main'), main);
    });
  }

  it('takes a yes only with the question it asked: unsealed, altered or without one', async () => {
    const { project, path, main, server } = await work();
    const accept = { name: 'discern_accept', arguments: { path } };
    const yes = { inputResponses: { consent: { action: 'accept', content: {} } } };
    const { result: question } = await call(server.url, accept);
    assert.deepEqual(Object.keys(question?.inputRequests ?? {}), ['consent']);
    const sealed = String(question?.requestState);
    const [version, body = '', mac] = sealed.split('.');
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Record<string, unknown>;
    const altered = Buffer.from(JSON.stringify({ ...payload, exp: 9_999_999_999 })).toString('base64url');
    for (const requestState of [`${sealed}x`, 'x', String(payload.p), `${version}.${altered}.${mac}`]) {
      const { error, result } = await call(server.url, { ...accept, ...yes, requestState });
      assert.equal(error?.code, -32_602, JSON.stringify(result));
      assert.match(
        error.message,
        /^The "requestState" is none this server made, or is too old: call again without it\.$/,
      );
      assert.equal(await git(project.root, 'rev-parse', 'main'), main);
    }
    const unasked = await call(server.url, { ...accept, ...yes });
    assert.deepEqual(Object.keys(unasked.result?.inputRequests ?? {}), ['consent'], 'it asks anew');
    const incapable = await call(server.url, accept, null);
    assert.equal(incapable.result?.structuredContent?.error, 'unavailable');
    assert.equal(await git(project.root, 'rev-parse', 'main'), main);
    // Another process with the same secret hears the answer as well as the one that asked.
    await stopAll();
    const again = await serve(['--root', project.root]);
    const landed = await call(again.url, { ...accept, ...yes, requestState: sealed });
    assert.equal(landed.result?.structuredContent?.ok, true, JSON.stringify(landed));
    assert.notEqual(await git(project.root, 'rev-parse', 'main'), main);
  });
});

describe('The prompts over HTTP', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  const ask = async (url: URL, method: string, params: object) =>
    JSON.parse(
      (
        await send(url, {
          headers: { Accept: 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        })
      ).body,
    );

  it('say first that the server holds no root, and where paths come from', async () => {
    const project = await make();
    const { url } = await serve(['--root', project.root]);
    const { result } = await ask(url, 'prompts/list', {});
    const names = result.prompts.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['start-work', 'finish-and-land', 'why-red']);
    for (const name of names) {
      const given = name === 'start-work' ? { arguments: { work: 'x' } } : {};
      const got = await ask(url, 'prompts/get', { name, ...given });
      assert.match(got.result.messages[0].content.text, /^This server holds no root: discern_projects/);
    }
  });

  it('are not there where it only looks', async () => {
    const project = await make();
    const { url } = await serve(['--root', project.root, '--read-only']);
    const { error } = await ask(url, 'prompts/list', {});
    assert.deepEqual(error, { code: -32_601, message: 'This server has no method "prompts/list".' });
  });
});
