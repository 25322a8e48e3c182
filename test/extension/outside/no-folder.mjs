import assert from 'node:assert/strict';
import { until } from '../../../scripts/vscode/window.mjs';

export const name = 'A window without a folder says what to do, and holds nothing';

export async function run(stage) {
  const window = await stage.open(undefined);
  await window.holds('no project');
  await window.openContainer();
  const texts = async () => (await window.page.locator('.pane').allInnerTexts()).join('\n');
  await until(
    'the Root view says what to do',
    async () => /Open a folder with a discern\.toml/.test(await texts()),
    { say: texts },
  );
  assert.deepEqual(await window.rows('Root'), []);
  assert.deepEqual(await window.notifications(), []);
}
