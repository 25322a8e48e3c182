import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { broken, escaped } from '../../../scripts/vscode/journey.mjs';
import { commit, git, worktrees } from '../../../scripts/vscode/stage.mjs';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'Without a mouse: start, a red gate, its finding, aiming by a row’s own menu, and accept; rows and status bar say what they show';

const file = 'src/b.txt';

export async function run(stage) {
  const project = stage.project(broken(file));
  const window = await stage.open(project);
  const { keyboard } = window.page;
  await window.holds('app');
  const worktree = await stage.start(window, project, 'By keyboard');
  const [id, branch] = [basename(worktree), git(worktree, 'branch', '--show-current')];

  await window.palette('Discern: Done');
  await window.palette('Discern: Show Gate');
  await window.findFinding(file);
  const gate = await window.gate();
  assert.ok(await gate.evaluate(inSight), 'the finding is in sight without scrolling');
  await press(window, 'Tab', `the finding in ${file} has the focus`, async () =>
    (await gate.evaluate(() => document.activeElement?.ariaLabel ?? '')).includes(file),
  );
  await keyboard.press('Enter');
  await window.page.locator('.tab.active', { hasText: basename(file) }).waitFor();

  assert.match(
    await window.statusBarSpoken(),
    new RegExp(`^Discern held root: ${id}\\. The server acts in `),
  );
  await window.openContainer();
  for (const said of [
    `^Held root ${id}, branch ${branch}, level with main, No uncommitted changes$`,
    '^Workspace folder app, the server acts elsewhere, branch main$',
    '^No proof: ',
  ])
    await window.row('Root', new RegExp(said));
  await window.row(
    'Worktrees',
    new RegExp(
      `^Worktree ${id}, needs you: gate red, branch ${branch}, level with main, held by the server$`,
    ),
  );
  for (const view of ['Root', 'Worktrees'])
    assert.ok(
      (await window.rows(view)).every((label) => label !== ''),
      `each row of ${view} says something`,
    );

  await window.palette('Discern: Focus on Worktrees View');
  const focused = window.page.locator('.pane .monaco-list.element-focused .monaco-list-row.focused');
  const reads = async (what) => what.test((await focused.getAttribute('aria-label').catch(() => '')) ?? '');
  const onWorktree = () => reads(new RegExp(`^Worktree ${escaped(id)}`));
  // What needs a person comes before the main checkout.
  await press(window, 'ArrowDown', 'the worktree’s row has the focus', onWorktree);
  await press(window, 'ArrowDown', 'the main checkout’s row has the focus', () =>
    reads(/^Main checkout app, branch main$/),
  );
  await fromMenu(window, 'Aim Server Here');
  await window.holds('app');
  await press(window, 'ArrowUp', 'the worktree’s row has the focus', onWorktree);
  await fromMenu(window, 'Aim Server Here');
  await window.holds(id);

  commit(worktree, { [file]: 'fine\n' }, 'Mend it');
  await window.palette('Discern: Accept');
  assert.match(await window.modal(), /Mend it/);
  await keyboard.press('Enter');
  await until('it landed', () => worktrees(project).length === 1, { say: () => window.glance() });
  await window.holds('app');
  assert.equal(git(project, 'log', '--format=%s', '-1', 'main'), 'Mend it');
}

const inSight = () => document.querySelector('.finding').getBoundingClientRect().bottom <= innerHeight;

/** Presses a key until something is so. */
async function press({ page }, key, what, condition) {
  for (let times = 0; !(await condition()); times++) {
    assert.ok(times < 60, `after ${times} times ${key}: ${what}`);
    await page.keyboard.press(key);
    await page.waitForTimeout(100);
  }
}

/** Runs a command from the menu of the row that has the focus. */
async function fromMenu(window, label) {
  await window.page.keyboard.press('Shift+F10');
  const item = window.page.locator('.monaco-menu .action-item.focused');
  await press(window, 'ArrowDown', `the menu offers ${label}`, async () =>
    (await item.allInnerTexts()).some((text) => text.trim() === label),
  );
  await window.page.keyboard.press('Enter');
}
