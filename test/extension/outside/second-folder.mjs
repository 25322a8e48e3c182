import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { isAlive } from '../../../scripts/vscode/processes.mjs';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'Adding the worktree as a second folder restarts the extension host, and the held root survives';

export async function run(stage) {
  const project = stage.project();
  const window = await stage.open(project);
  await window.holds('app');
  const worktree = await stage.start(window, project, 'Seen beside');
  const [before] = await stage.serving(project, 1);
  await window.openContainer();
  await window.row('Root', /^Warning\. .*no folder of this window.*Add Held Root to Workspace/);

  await window.palette('Discern: Add Held Root to Workspace');
  const workspace = await stage.workspaceWith(worktree);
  await until('the old extension host is gone', () => !isAlive(before.host));
  // In a browser VS Code goes to the new workspace and reloads the old page at the same time, and either may win.
  await stage.take(window, { workspace });
  await until(
    'one new server runs',
    () => {
      const servers = stage.servers(project);
      return servers.length === 1 && servers[0].host !== before.host && servers[0].inExtensionHost;
    },
    { say: () => JSON.stringify(stage.servers(project)) },
  );
  await window.holds(basename(worktree));
  await window.openContainer();
  await window.row('Root', new RegExp(`^Workspace folder ${basename(worktree)}, the server acts here`));
  await window.row('Root', /^Workspace folder app, the server acts elsewhere/);
  const rows = await window.rows('Root');
  assert.ok(!rows.some((label) => label.startsWith('Warning.')), `nothing diverges: ${rows}`);
}
