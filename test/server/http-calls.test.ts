import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { type HttpServer, httpServers, send, token } from '../support/http.ts';
import { runs, until } from '../support/processes.ts';
import { type Project, projects } from '../support/project.ts';
import { clients } from '../support/server.ts';

const { make, removeAll } = projects();
const { serve, connect, stopAll } = httpServers();

const gone = (...pids: number[]) => until(`${pids.join(', ')} are gone`, () => !pids.some(runs));

/** A project whose test job writes the pids of its shell and of a child of it beside the checkout, and stays. */
const longProject = (stay = 'sleep 1000 & echo $$ $! > ../pids; wait') =>
  make({
    config: `[project]\nname = "x"\n[jobs]\nformat = "true"\nlint = "true"\ntest = ${JSON.stringify(stay)}\n`,
  });

async function pidsOf(project: Project): Promise<number[]> {
  const read = async () =>
    (await readFile(join(project.home, 'pids'), 'utf8').catch(() => '')).trim().split(' ');
  await until('the job wrote its pids', async () => (await read()).length === 2);
  return (await read()).map(Number);
}

const called = (id: number, name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });

/** A call whose answer nobody waits for; `hangUp` closes its connection. */
function begin({ url }: HttpServer, body: string, headers: Record<string, string> = {}): { hangUp(): void } {
  const sending = request(url, {
    method: 'POST',
    agent: false,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
  sending.on('error', () => undefined);
  sending.on('response', (response) => response.on('error', () => undefined).resume());
  sending.end(body);
  return { hangUp: () => sending.destroy() };
}

describe('A call over HTTP', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  for (const client of clients) {
    it(`reports progress that grows, and ends with all its processes when cancelled (${client})`, async () => {
      const project = await longProject();
      const path = project.root;
      const server = await serve(['--root', path]);
      const connection = await connect(server.url, client);
      const heard: { message: string; progress: number }[] = [];
      const onProgress = (message: string, progress: number) => heard.push({ message, progress });
      const prepared = await connection.call('discern_prepare', { path }, { onProgress });
      assert.equal(prepared.envelope.ok, true, prepared.text);
      assert.equal(heard[0]?.message, `prepare in ${path}`);
      assert.ok(
        heard.some(({ message }) => message.startsWith('lint passed')),
        JSON.stringify(heard),
      );
      for (const [index, { progress }] of heard.entries()) {
        assert.ok(progress > (heard[index - 1]?.progress ?? 0), JSON.stringify(heard));
      }
      const cancelling = new AbortController();
      const running = connection.call('discern_test', { path }, { signal: cancelling.signal });
      const pids = await pidsOf(project);
      cancelling.abort();
      await assert.rejects(running);
      await gone(...pids);
      const again = await connection.call('discern_prepare', { path });
      assert.equal(again.envelope.ok, true, `the server lives on: ${again.text}`);
    });
  }

  for (const era of ['2025-11-25', '2026-07-28'] as const) {
    it(`ends with all its processes when its client goes away (${era})`, async () => {
      const project = await longProject();
      const server = await serve(['--root', project.root]);
      const args = { path: project.root };
      const modern = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'discern_test',
          arguments: args,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': era,
            'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      };
      const headers = { 'Mcp-Protocol-Version': era, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'discern_test' };
      const body = era === '2026-07-28' ? JSON.stringify(modern) : called(1, 'discern_test', args);
      const call = begin(server, body, headers);
      const pids = await pidsOf(project);
      call.hangUp();
      await gone(...pids);
      assert.equal((await send(server.url)).status, 200);
    });
  }

  it('is cancelled by its own client alone, though others count their requests alike', async () => {
    const project = await longProject();
    const server = await serve(['--root', project.root]);
    const initialize = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    };
    const sessions = await Promise.all(
      [1, 2].map(async () => {
        const { headers } = await send(server.url, { body: JSON.stringify(initialize) });
        return headers['mcp-session-id'] as string;
      }),
    );
    assert.match(sessions[0] ?? '', /^[0-9a-f-]{36}$/);
    assert.notEqual(sessions[0], sessions[1]);
    const by = (session: string | undefined) => ({
      'Mcp-Protocol-Version': '2025-11-25',
      ...(session !== undefined && { 'Mcp-Session-Id': session }),
    });
    const cancel = (requestId: unknown, session: string | undefined) =>
      send(server.url, {
        headers: by(session),
        body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
      });
    begin(server, called(7, 'discern_test', { path: project.root }), by(sessions[0]));
    const pids = await pidsOf(project);
    for (const [id, session] of [
      [7, sessions[1]],
      [7, undefined],
      [7, 'made up'],
      ['7', sessions[0]],
      [8, sessions[0]],
    ] as const) {
      assert.equal((await cancel(id, session)).status, 202);
    }
    // What would have been cancelled by one of these would be by now: this answer took longer.
    const args = { path: project.root };
    const status = await send(server.url, {
      body: called(7, 'discern_status', args),
      headers: by(sessions[1]),
    });
    assert.equal(status.status, 200);
    for (const pid of pids) assert.equal(runs(pid), true);
    assert.equal((await cancel(7, sessions[0])).status, 202);
    await gone(...pids);
  });

  it('under way when the server is asked to end is cancelled, answered, and leaves nothing', async () => {
    for (const [signal, stay] of [
      ['SIGTERM', undefined],
      ['SIGINT', 'trap "" TERM INT HUP; sleep 1000 & echo $$ $! > ../pids; wait; wait'],
    ] as const) {
      const project = await longProject(stay);
      const server = await serve(['--root', project.root]);
      const answered = send(server.url, { body: called(1, 'discern_test', { path: project.root }) });
      const pids = await pidsOf(project);
      const began = performance.now();
      server.kill(signal);
      assert.deepEqual(await server.ended, { code: 0, signal: null });
      console.log(`      ${signal}: ended after ${Math.round(performance.now() - began)} ms`);
      await gone(server.pid, ...pids);
      assert.match((await answered).body, /"error":"cancelled"/);
      await assert.rejects(send(server.url), /ECONNREFUSED/);
    }
  });

  it('by SIGKILL of the server leaves none of its jobs behind', async () => {
    const project = await longProject();
    const server = await serve(['--root', project.root]);
    begin(server, called(1, 'discern_test', { path: project.root }));
    const pids = await pidsOf(project);
    server.kill('SIGKILL');
    await gone(server.pid, ...pids);
  });
});
