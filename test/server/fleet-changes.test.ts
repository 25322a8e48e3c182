import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { started } from '../support/checkouts.ts';
import { httpServers, token } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { git, projects } from '../support/project.ts';
import { hello, type Message, rawServers } from '../support/stdio.ts';

const { make, removeAll } = projects();
const raw = rawServers();
const http = httpServers();

const uri = 'discern://fleet';
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const listen = {
  jsonrpc: '2.0',
  id: 7,
  method: 'subscriptions/listen',
  params: { _meta: meta, notifications: { resourceSubscriptions: [uri] } },
};
const isTold = ({ method, params }: Message) =>
  method === 'notifications/resources/updated' && params?.uri === uri;

describe('Changes of the fleet', () => {
  let home: string;
  let env: Record<string, string>;
  let path: string;
  let phase: string;

  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'discern-home-')));
    env = { HOME: home, USERPROFILE: home, DISCERN_STATE_DIR: join(home, 'state') };
    const before = process.env.DISCERN_STATE_DIR;
    process.env.DISCERN_STATE_DIR = env.DISCERN_STATE_DIR;
    try {
      ({ path } = await started((await make()).root));
    } finally {
      if (before === undefined) delete process.env.DISCERN_STATE_DIR;
      else process.env.DISCERN_STATE_DIR = before;
    }
    phase = await git(path, 'rev-parse', '--path-format=absolute', '--git-path', 'discern-phase');
  });
  afterEach(async () => {
    await raw.stopAll();
    await http.stopAll();
    await removeAll();
    await rm(home, { recursive: true, force: true });
  });

  /** Reports phases until somebody is told: how soon a system tells of a file is its own affair. */
  async function reportUntil(told: () => boolean): Promise<void> {
    let count = 0;
    await until('the client was told', async () => {
      if (count++ % 25 === 0) await writeFile(phase, `phase ${count}\n`);
      return told();
    });
  }

  it('are told to a 2025-era client that subscribed, and to no other', async () => {
    const [server, other] = [raw.start([], { env }), raw.start([], { env })];
    for (const one of [server, other]) one.send(...hello);
    assert.deepEqual((await server.answer(0)).result?.capabilities, {
      ...((await other.answer(0)).result?.capabilities as object),
    });
    server.send({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } });
    assert.deepEqual((await server.answer(1)).result, {});
    await reportUntil(() => server.messages().some(isTold));
    server.send({ jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri } });
    const { contents } = (await server.answer(2)).result as { contents?: { text: string }[] };
    const read = JSON.parse(contents?.[0]?.text ?? '');
    assert.match(JSON.stringify(read.data.projects), /"word":"phase \d+"/);
    assert.equal(other.messages().some(isTold), false);
    server.send({ jsonrpc: '2.0', id: 3, method: 'resources/subscribe', params: { uri: 'discern://root' } });
    assert.ok((await server.answer(3)).error);
    server.send({ jsonrpc: '2.0', id: 4, method: 'resources/unsubscribe', params: { uri } });
    assert.deepEqual((await server.answer(4)).result, {});
  });

  it('are told to a 2026-era client that listens', async () => {
    const server = raw.start([], { env });
    server.send(listen);
    await until('it was acknowledged', () =>
      server.messages().some(({ method }) => method === 'notifications/subscriptions/acknowledged'),
    );
    await reportUntil(() => server.messages().some(isTold));
  });

  it('are told of a session’s record and of a worktree that came since', async () => {
    const server = raw.start([], { env });
    server.send(...hello, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } });
    await server.answer(1);
    await reportUntil(() => server.messages().some(isTold));
    const tolds = () => server.messages().filter(isTold).length;
    const before = tolds();
    await git(path, 'worktree', 'add', '--quiet', '--detach', join(home, 'another'));
    await until('it was told of the worktree', () => tolds() > before);
    const between = tolds();
    await mkdir(join(home, '.claude/projects/-x'), { recursive: true });
    let count = 0;
    await until('it was told of the session', async () => {
      await writeFile(
        join(home, '.claude/projects/-x/00000000-0000-0000-0000-000000000000.jsonl'),
        `${count++}\n`,
      );
      return tolds() > between;
    });
  });

  it('are told over HTTP to a 2026-era client that listens', async () => {
    const server = await http.serve(['--root', path], { env });
    const abort = new AbortController();
    const response = await fetch(server.url, {
      method: 'POST',
      signal: abort.signal,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${token}`,
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'subscriptions/listen',
      },
      body: JSON.stringify(listen),
    });
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString('utf8');
    })().catch(() => undefined);
    await until('it was acknowledged', () => text.includes('acknowledged'));
    await reportUntil(() => text.includes('notifications/resources/updated') && text.includes(uri));
    abort.abort();
    await reading;
  });
});
