import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { verbNames } from '../../src/contract/verbs.ts';
import { cli, cliFile } from '../support/cli.ts';
import { httpServers } from '../support/http.ts';
import { projects } from '../support/project.ts';
import { environment } from '../support/server.ts';

const { make, removeAll } = projects();
const { serve, connect, stopAll } = httpServers();

describe('discern mcp', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  it('is the server: it initializes, lists the tools and operates on --root', async () => {
    const project = await make();
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: {} });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [cliFile, 'mcp', '--root', project.root],
      env: environment(),
      cwd: project.home,
    });
    await client.connect(transport);
    try {
      assert.match(client.getServerVersion()?.name ?? '', /discern/);
      const { tools } = await client.listTools();
      for (const verb of verbNames)
        assert.ok(
          tools.some(({ name }) => name === `discern_${verb}`),
          verb,
        );
      const { structuredContent } = await client.callTool({ name: 'discern_status', arguments: {} });
      const { ok, data } = structuredContent as { ok: boolean; data: { root: string } };
      assert.equal(ok, true);
      assert.equal(data.root, project.root);
    } finally {
      await client.close();
    }
  });

  it('serves over HTTP too', async () => {
    const project = await make();
    const server = await serve(['--root', project.root], { program: [cliFile, 'mcp'] });
    const connection = await connect(server.url);
    const { envelope } = await connection.call('discern_status', { path: project.root });
    assert.equal(envelope.data.root, project.root);
  });

  it('reads its own options', async () => {
    const project = await make();
    const help = await cli(['mcp', '--help'], { cwd: project.root });
    assert.equal(help.code, 0);
    assert.match(help.stdout, /^Usage: discern mcp/);
    const wrong = await cli(['mcp', '--no-such-flag'], { cwd: project.root });
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /no-such-flag/);
  });
});
