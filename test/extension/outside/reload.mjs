import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isAlive } from '../../../scripts/vscode/processes.mjs';
import { until } from '../../../scripts/vscode/window.mjs';

export const name = 'A reload keeps the held root, in one new server of the new extension host';

export async function run(stage) {
  const project = stage.project();
  const window = await stage.open(project);
  await window.holds('app');
  const worktree = await stage.start(window, project, 'Outlives a reload');
  const [before] = await stage.serving(project, 1);

  await window.page.reload();
  const after = await until('a new server runs alone', () => {
    const servers = stage.servers(project);
    return servers.length === 1 && servers[0].pid !== before.pid && servers[0];
  });
  assert.ok(after.inExtensionHost, 'it is a child of an extension host');
  assert.notEqual(after.host, before.host, 'and of a new one');
  await until('the old extension host is gone', () => !isAlive(before.host));
  assert.equal(isAlive(before.pid), false);
  assert.equal(existsSync(before.socket), false, 'the old socket is gone');

  await window.holds(basename(worktree));
  await window.openContainer();
  await window.row('Root', new RegExp(`^Held root ${basename(worktree)}, branch `));
  await window.row('Root', /^Workspace folder app, the server acts elsewhere/);
  assert.deepEqual(
    stage.servers(project).map(({ pid }) => pid),
    [after.pid],
  );
}
