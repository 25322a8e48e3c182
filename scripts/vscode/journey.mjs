// What a person does with a project, from a red gate to the landing, wherever the project lies.
import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import { commit, git, worktrees } from './stage.mjs';
import { until } from './window.mjs';

/** A project whose gate has a finding in `file`, for as long as that says BROKEN. */
export const broken = (file) => ({
  'discern.toml': `[jobs]
lint = "! grep -rn BROKEN src | sed 's/:BROKEN/:1: error: BROKEN/' | grep ."
test = "test -f src/a.txt"
`,
  [file]: 'fine\nBROKEN\n',
});

/**
 * Goes that way in a window that shows `project` (its real path): the tree is aligned, the gate is red at `file`, its finding
 * leads to the file as the window's own folder has it, and the mended file lands from a worktree.
 */
export async function journey(stage, window, project, file) {
  const shownName = await folderShown(window);
  await window.openContainer();
  await window.row('Root', new RegExp(`^Workspace folder ${escaped(shownName)}, the server acts here`));
  await window.row('Root', new RegExp(`^Held root ${escaped(basename(project))}, branch main`));
  assert.ok(!(await window.rows('Root')).some((label) => label.startsWith('Warning.')), 'nothing diverges');

  await window.palette('Discern: Done');
  await window.findFinding(file);
  await window.openFinding(file);
  assert.deepEqual(
    (await window.breadcrumbs()).slice(0, 2),
    file.split('/'),
    'the file is the one of the window’s folder',
  );

  const worktree = await stage.start(window, project, 'Mend it');
  commit(worktree, { [file]: 'fine\n' }, 'Mend it');
  await window.palette('Discern: Accept');
  assert.match(await window.modal(), /Mend it/);
  await window.press('Accept');
  await until('it landed', () => git(project, 'log', '--format=%s', '-1', 'main') === 'Mend it', {
    say: () => window.glance(),
  });
  await window.holds(basename(project));
  await until('the worktree is gone', () => worktrees(project).length === 1);
  assert.equal(git(project, 'status', '--porcelain'), '', `${join(project, file)} followed`);
}

const folderShown = async (window) =>
  (await window.page.title())
    .replace(/^\[.*?\] /, '')
    .split(' - ')
    .find((part) => part !== 'Welcome');

export const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
