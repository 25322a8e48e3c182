import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'In a folder that is not trusted no job runs, the Gate view says why, and the state is shown';

export const trust = false;

const files = {
  'discern.toml': '[project]\nname = "sample"\n\n[jobs]\ntest = "touch ran"\n',
  '.gitignore': 'ran\n',
};

export async function run(stage) {
  const project = stage.project(files);
  const window = await stage.open(project);
  await window.holds('app');

  await window.openContainer();
  await window.row('Root', /^Held root app, branch main, level with main, No uncommitted changes/);
  await window.row('Root', /^Workspace not trusted: no job runs/);
  await window.palette('Discern: Done');
  await window.notification(/Discern done: .*trust/i);
  assert.equal(existsSync(join(project, 'ran')), false, 'the job did not run');

  await window.palette('Discern: Show Gate');
  const gate = await window.gate();
  const shown = async () => (await gate.locator('body').allInnerTexts()).join('');
  await until(
    'the Gate view says why',
    async () => /not trusted, so no project command runs/.test(await shown()),
    { say: shown },
  );
}
