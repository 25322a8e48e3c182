import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { commit, git, worktrees } from '../../../scripts/vscode/stage.mjs';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'Accept says what will land and how, lands and pushes it when told to, and the window is back at its own checkout';

export async function run(stage) {
  const project = stage.project();
  const hub = join(dirname(project), `${basename(project)}-hub.git`);
  git(project, 'clone', '--quiet', '--bare', '.', hub);
  git(project, 'remote', 'add', 'origin', hub);
  git(project, 'fetch', '--quiet', 'origin');
  const window = await stage.open(project);
  await window.holds('app');
  const worktree = await stage.start(window, project, 'Discounts for regulars');
  const branch = git(worktree, 'branch', '--show-current');
  const landed = commit(worktree, { 'src/discount.txt': 'ten percent\n' }, 'Add a discount');

  await window.palette('Discern: Accept');
  const asked = await window.modal();
  for (const button of ['Accept', 'Queue', 'Accept and Push', 'Review Changes'])
    assert.ok(asked.includes(button), `the modal offers ${button}: ${asked}`);
  assert.doesNotMatch(asked, /Pull Request/, 'this remote is on no forge');
  assert.match(asked, /The gate runs first: there is no valid proof/);
  for (const said of [branch, 'main', 'Add a discount', landed.slice(0, 7), 'src/discount.txt'])
    assert.ok(asked.includes(said), `the modal names ${said}: ${asked}`);
  assert.equal(existsSync(join(project, 'src/discount.txt')), false, 'nothing lands before the answer');

  await window.press('Accept and Push');
  await until('the worktree is gone', () => !existsSync(worktree), { say: () => window.glance() });
  await window.holds(basename(project));
  assert.equal(git(project, 'log', '--format=%s', '-1', 'main'), 'Add a discount');
  assert.equal(readFileSync(join(project, 'src/discount.txt'), 'utf8'), 'ten percent\n');
  assert.equal(git(hub, 'rev-parse', 'main'), landed);
  assert.deepEqual(worktrees(project), [project]);
  assert.equal(git(project, 'branch', '--list', branch), '', 'its branch is gone');
}
