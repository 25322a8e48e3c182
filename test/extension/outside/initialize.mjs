import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commit, git, worktrees } from '../../../scripts/vscode/stage.mjs';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'Initialize Project shows the file, writes it when confirmed, and the window holds the new project; Doctor reads well';

export async function run(stage) {
  const project = stage.project();
  git(project, 'rm', '--quiet', 'discern.toml');
  commit(project, { Makefile: 'test:\n\ttest -f src/a.txt\n' }, 'no project yet');
  const file = join(project, 'discern.toml');
  const window = await stage.open(project);

  await window.palette('Discern: Initialize Project');
  const asked = await window.modal();
  for (const said of ['Write this discern.toml to app?', 'test: make test', 'throwaway worktree'])
    assert.ok(asked.includes(said), `the modal says ${said}: ${asked}`);
  const shown = (text) =>
    until(
      `an editor shows ${text}`,
      async () =>
        (await window.page.locator('.editor-instance .view-lines').allInnerTexts())
          .join('\n')
          .replaceAll('\u00a0', ' ')
          .includes(text),
      { say: () => window.page.locator('.editor-instance .view-lines').allInnerTexts() },
    );
  await shown('test = "make test" # Makefile test');
  await window.press('Cancel');
  assert.equal(existsSync(file), false, 'nothing is written before the answer');

  await window.palette('Discern: Initialize Project');
  await window.modal();
  await window.press('Write');
  await until('the file is there', () => existsSync(file), { say: () => window.glance() });
  await window.holds('app');
  assert.match(readFileSync(file, 'utf8'), /^test = "make test"/m);
  await until('the throwaway worktree is gone', () => worktrees(project).length === 1);
  assert.equal(git(project, 'status', '--porcelain'), '?? discern.toml');

  await window.palette('Discern: Doctor');
  await until('the doctor’s page says it, rendered', async () => {
    for (const frame of window.page.frames()) {
      const page = frame.locator('.markdown-body, body.vscode-body');
      const texts = await page.allInnerTexts().catch(() => []);
      if (texts.join('').includes('main has no discern.toml') && (await page.locator('h1').count()) > 0)
        return true;
    }
    return false;
  });
}
