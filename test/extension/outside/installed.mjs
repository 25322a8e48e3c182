import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { commit, git } from '../../../scripts/vscode/stage.mjs';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'The packaged extension, in a clean profile, starts, gates and lands; an update of it takes the held root over';

export const installed = true;

export async function run(stage) {
  const project = stage.project();
  const window = await stage.open(project);
  await window.holds('app');
  const [before] = await stage.serving(project, 1);
  assert.ok(before.program.startsWith(stage.extensionsDir), `${before.program} is the installed one`);

  const worktree = await stage.start(window, project, 'As users get it');
  const landed = commit(worktree, { 'src/vsix.txt': 'packaged\n' }, 'From the package');
  await window.palette('Discern: Done');
  await window.openContainer();
  await window.row('Root', /^Proof valid/);

  await stage.installUpdate('999.0.0');
  assert.ok(existsSync(`/proc/${before.pid}`), 'the older version’s server still runs');
  await window.page.reload();
  const after = await until(
    'the newer version’s server runs alone',
    () => {
      const servers = stage.servers(project);
      return servers.length === 1 && servers[0].program !== before.program && servers[0];
    },
    { say: () => JSON.stringify(stage.servers(project)) },
  );
  assert.match(after.program, /999\.0\.0/);
  await window.holds(basename(worktree));

  await window.palette('Discern: Accept');
  await window.modal();
  await window.press('Accept');
  await until('the worktree is gone', () => !existsSync(worktree), { say: () => window.glance() });
  await window.holds('app');
  assert.equal(git(project, 'rev-parse', 'main'), landed);
}
