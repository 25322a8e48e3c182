import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askAsAgentHost } from '../../../scripts/vscode/agent-host.mjs';

export const name =
  'A folder added to a window of several is known at once: what an agent host starts there joins this window';

const attach = fileURLToPath(new URL('../../../dist/attach.js', import.meta.url));

export async function run(stage) {
  const [app, shop, third] = [stage.project(), stage.project({}, 'shop'), stage.project({}, 'third')];
  const window = await stage.open(app);
  await window.holds('app');
  const workspace = join(dirname(app), 'two.code-workspace');
  writeFileSync(workspace, JSON.stringify({ folders: [{ path: app }, { path: shop }] }));
  await stage.take(window, { workspace });
  await window.openContainer();
  await window.row('Root', /^Workspace folder shop/);
  const [before] = await stage.serving(app, 1);

  await window.palette('Workspaces: Add Folder to Workspace...');
  await window.dialogPath(third);
  await window.row('Root', /^Workspace folder third/);
  const [after] = await stage.serving(app, 1);
  assert.equal(after.pid, before.pid, 'nothing was restarted, so the server was told');

  const entry = { command: process.execPath, args: [attach] };
  const { ok, data, message } = await askAsAgentHost(entry, join(third, 'src'), 'start', {
    name: 'In third',
  });
  assert.equal(ok, true, message);
  assert.ok(data.path.startsWith(`${third}.worktrees/`), data.path);
  await window.holds(basename(data.path));
}
