import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { git } from '../../../scripts/vscode/stage.mjs';

export const name =
  'A held worktree that somebody deletes is shown as gone, with what helps, and the window goes on';

export async function run(stage) {
  const project = stage.project();
  const window = await stage.open(project);
  await window.holds('app');
  const worktree = await stage.start(window, project, 'Deleted while shown');
  await window.openContainer();
  await window.row('Root', new RegExp(`^Held root ${basename(worktree)}`));
  rmSync(worktree, { recursive: true });
  await window.row('Root', /^Warning\. .*was removed.*Aim Server Here/);
  git(project, 'worktree', 'prune');
  await window.palette('Discern: Aim Server Here');
  await window.pick('app');
  await window.holds('app');
  await window.row('Root', /^Held root app, branch main/);
}
