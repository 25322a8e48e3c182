import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { askAsAgentHost } from '../../../scripts/vscode/agent-host.mjs';

export const name =
  'Write .mcp.json shows what it would write, writes it when confirmed, and what an agent host then starts joins this window; Remove takes back exactly that';

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

  const { ok, data, message } = await askAsAgentHost(discern, project, 'start', { name: 'By a host' });
  assert.equal(ok, true, message);
  await window.holds(basename(data.path));

  await window.palette('Discern: Remove from .mcp.json');
  await window.notification(/^Removed from .*\.mcp\.json\./);
  assert.equal(readFileSync(file, 'utf8'), theirs);
}
