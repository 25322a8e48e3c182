import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAlive, tree } from '../../../scripts/vscode/processes.mjs';
import { until } from '../../../scripts/vscode/window.mjs';

export const name = 'Closing a window ends its server and what that runs, and leaves no socket behind';

export async function run(stage) {
  const project = stage.project({
    'discern.toml': '[project]\nname = "sample"\n\n[jobs]\ntest = "touch running; exec sleep 600"\n',
    '.gitignore': 'running\n',
  });
  const window = await stage.open(project);
  await window.holds('app');
  const [server] = await stage.serving(project, 1);
  const socketFolder = dirname(server.socket);
  assert.ok(existsSync(socketFolder));
  await window.palette('Discern: Test');
  await until('the job runs', () => existsSync(`${project}/running`), { say: () => window.glance() });
  const started = tree(server.pid).map(({ pid }) => pid);
  assert.ok(started.length > 1, 'the job is a process of the server');

  await window.close();
  await until('all of it has ended', () => !started.some(isAlive));
  await until('the extension host has ended', () => !isAlive(server.host));
  assert.equal(existsSync(socketFolder), false, `${socketFolder} is gone`);
}
