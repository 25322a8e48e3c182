import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'Restarting the server in MCP: List Servers restarts only its connection: the held root and a running gate live on';

export async function run(stage) {
  const project = stage.project({
    'discern.toml': '[jobs]\ntest = "until test -f ../../go; do sleep 0.2; done"\n',
  });
  const window = await stage.open(project);
  await window.holds('app');
  const worktree = await stage.start(window, project, 'Lives on');
  const [server] = await stage.serving(project, 1);
  await listed(window, 'Start Server');
  const first = await until('VS Code’s connection runs', () => stage.attached()[0]);

  await window.palette('Discern: Done');
  await window.openContainer();
  const gate = await window.gate();
  await gate.locator('[data-verdict="running"]').first().waitFor();
  await listed(window, 'Restart Server');
  const second = await until('another connection runs', () => stage.attached().find((pid) => pid !== first));
  await until('alone', () => stage.attached().every((pid) => pid === second));
  assert.deepEqual(
    stage.servers(project).map(({ pid }) => pid),
    [server.pid],
    'the window’s server is the same',
  );
  assert.equal(await window.statusBar(), basename(worktree));
  assert.ok((await gate.locator('[data-verdict="running"]').count()) > 0, 'the gate still runs');

  writeFileSync(join(dirname(project), 'go'), '');
  await gate.locator('[data-verdict="passed"]').first().waitFor();
  await window.row('Root', /^Proof valid/);
  assert.equal(await window.statusBar(), basename(worktree));
}

/** Chooses what to do with our server in VS Code's own list of MCP servers. */
async function listed(window, action) {
  await window.palette('MCP: List Servers');
  await window.pick('Discern');
  await window.pick(action);
}
