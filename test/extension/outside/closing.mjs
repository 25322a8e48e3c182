import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAlive, tree } from '../../../scripts/vscode/processes.mjs';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'Serve This Window’s Projects answers over HTTP to whoever has its secret, until it is stopped or the window closes; closing ends the window’s server and what that runs too, and leaves no socket behind';

const serve = 'Discern: Serve This Window’s Projects…';
const form = 'servers (VS Code’s mcp.json)';

/** Serves by the palette, and resolves with what stands on the clipboard then. */
async function served(window) {
  await window.palette(serve);
  await window.answer('Serving 1 folder at', form);
  await window.notification(
    /^Served at http:\/\/127\.0\.0\.1:\d+\/mcp until this window closes\. The configuration is on/,
  );
  const text = await window.page.evaluate(() => navigator.clipboard.readText());
  return JSON.parse(text).servers.discern;
}

/** The paths of the projects a server over HTTP names; how it refuses; or nothing where nothing serves. */
async function projectsAt({ url, headers }) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'discern_projects' },
    }),
  }).catch((error) => {
    if (error.cause?.code !== 'ECONNREFUSED') throw error;
  });
  if (!response?.ok) return response?.status;
  const { result } = await response.json();
  const { data, error } = result.structuredContent;
  return error ?? data.projects.map(({ path }) => path);
}

export async function run(stage) {
  const project = stage.project({
    'discern.toml': '[project]\nname = "sample"\n\n[jobs]\ntest = "touch running; exec sleep 600"\n',
    '.gitignore': 'running\n',
  });
  const window = await stage.open(project);
  await window.holds('app');
  await window.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const first = await served(window);
  assert.deepEqual(await projectsAt(first), [project]);
  await window.palette(serve);
  await window.answer('Serving 1 folder at', 'Stop Serving');
  await until('nothing serves there', async () => (await projectsAt(first)) === undefined);
  const second = await served(window);
  assert.notEqual(second.headers.Authorization, first.headers.Authorization);
  assert.equal(await projectsAt({ ...second, headers: first.headers }), 401, 'the secret is a fresh one');
  assert.deepEqual(await projectsAt(second), [project]);

  // What serves over HTTP is a server of the folder too.
  const server = await until('the window’s server runs', () =>
    stage.servers(project).find(({ socket }) => socket.endsWith('/s')),
  );
  const socketFolder = dirname(server.socket);
  assert.ok(existsSync(socketFolder));
  await window.palette('Discern: Test');
  await until('the job runs', () => existsSync(`${project}/running`), { say: () => window.glance() });
  const started = tree(server.pid).map(({ pid }) => pid);
  assert.ok(started.length > 1, 'the job is a process of the server');

  await window.close();
  await until('all of it has ended', () => !started.some(isAlive));
  await until('nothing is served', async () => (await projectsAt(second)) === undefined);
  await until('the extension host has ended', () => !isAlive(server.host));
  assert.equal(existsSync(socketFolder), false, `${socketFolder} is gone`);
}
