import assert from 'node:assert/strict';
import { basename } from 'node:path';

export const name = 'Each window has a server and a held root of its own, also two on the same folder';

export async function run(stage) {
  const [project, other] = [stage.project(), stage.project()];
  const first = await stage.open(project);
  await first.holds('app');
  const second = await stage.open(project);
  const third = await stage.open(other);
  await second.holds('app');
  await third.holds('app');

  const servers = [...(await stage.serving(project, 2)), ...(await stage.serving(other, 1))];
  assert.ok(servers.every(({ inExtensionHost }) => inExtensionHost));
  for (const own of ['host', 'socket', 'state'])
    assert.equal(new Set(servers.map((server) => server[own])).size, 3, `each has its own ${own}`);

  const worktree = await stage.start(second, project, 'Only here');
  await second.openContainer();
  await second.row('Worktrees', new RegExp(`^Worktree ${basename(worktree)}.*held by the server`));
  // The other window on this folder sees the worktree, and stays where it is.
  await first.openContainer();
  await first.row('Worktrees', new RegExp(`^Worktree ${basename(worktree)}, branch [^,]+, level with main$`));
  assert.equal(await first.statusBar(), 'app');
  assert.equal(await third.statusBar(), 'app');
}
