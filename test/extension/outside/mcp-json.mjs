import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'Write .mcp.json shows what it would write, writes it when confirmed, and what an agent host then starts joins this window; Remove takes back exactly that';

/** Starts a server as an agent host does, by its entry, and resolves with what its `status` answers. */
async function askedBy({ command, args, env }, cwd) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    said += chunk;
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'an agent host', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'discern_status', arguments: {} } });
  try {
    return await until(
      'the server answers status',
      () =>
        said
          .split('\n')
          .filter((line) => line.startsWith('{') && line.endsWith('}'))
          .map((line) => JSON.parse(line))
          .find(({ id }) => id === 2)?.result.structuredContent,
      { say: () => said },
    );
  } finally {
    child.stdin.end();
    await ended;
  }
}

export async function run(stage) {
  const project = stage.project();
  const file = join(project, '.mcp.json');
  const window = await stage.open(project);
  await window.holds('app');

  await window.palette('Discern: Write .mcp.json…');
  const asked = await window.modal();
  for (const said of ['.mcp.json of app?', file, 'attach.js', 'The rest of the file stays as it is'])
    assert.ok(asked.includes(said), `the modal says ${said}: ${asked}`);
  await window.press('Cancel');
  assert.equal(existsSync(file), false, 'nothing is written before the answer');

  const theirs = '{\n  // theirs\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n';
  writeFileSync(file, theirs);
  await window.palette('Discern: Write .mcp.json…');
  await window.modal();
  await window.press('Write');
  await window.notification(/^Wrote .*\.mcp\.json\./);
  const written = readFileSync(file, 'utf8');
  assert.ok(written.includes('// theirs'), written);
  const { other, discern } = JSON.parse(written.replace('// theirs', '')).mcpServers;
  assert.deepEqual(other, { command: 'x' });

  const [serving] = await stage.serving(project, 1);
  const { data } = await askedBy(discern, project);
  assert.deepEqual([data.root, data.held.root], [project, project]);
  assert.deepEqual(
    (await stage.serving(project, 1)).map(({ pid }) => pid),
    [serving.pid],
    'the window’s own server answered',
  );

  await window.palette('Discern: Remove from .mcp.json');
  await window.notification(/^Removed from .*\.mcp\.json\./);
  assert.equal(readFileSync(file, 'utf8'), theirs);
}
