// `npm run screenshots`: the pictures in docs/images, of a real VS Code with this extension in it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProduct } from '../esbuild.mjs';
import { identity } from './sample.mjs';
import { provision } from './vscode/provision.mjs';
import { commit, Stage } from './vscode/stage.mjs';
import { until } from './vscode/window.mjs';
import { startBrowser, startWorkbench } from './vscode/workbench.mjs';

const images = fileURLToPath(new URL('../docs/images/', import.meta.url));

/** A theme of VS Code, and the class its workbench then has. */
const looks = {
  dark: ['Dark Modern', 'vs-dark'],
  light: ['Light Modern', 'vs'],
  contrast: ['Default High Contrast', 'hc-black'],
};

const files = {
  'discern.toml': `[project]
name = "shop"

[jobs]
format = "true"
build = "sleep 0.4; echo built 12 modules"
lint = "sleep 1.1; ! grep -Hn 'TODO' src/*.ts"
typecheck = "sleep 1.7; printf '\\\\033[32mNo errors\\\\033[0m in 12 files\\n'"
test = "sleep 2.3; printf '\\\\033[32m✔\\\\033[0m 14 tests passed\\n'"
`,
  'src/price.ts': 'export const price = (net: number) => net * 1.2;\n',
};

/** VS Code without what would stand in the way of what is to be seen. */
const settings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.layoutControl.enabled': false,
  'window.commandCenter': false,
  'chat.commandCenter.enabled': false,
  'discern.followWorktree': 'never',
};

provision();
await buildProduct();
rmSync(images, { recursive: true, force: true });
mkdirSync(images, { recursive: true });
const browser = await startBrowser();
const home = realpathSync(mkdtempSync(join(tmpdir(), 'discern-pictures-')));
const file = join(home, 'settings.json');
const set = (more) => writeFileSync(file, JSON.stringify({ ...settings, ...more }));
set({ 'workbench.colorTheme': looks.dark[0] });
const workbench = await startWorkbench({ env: { ...identity, DISCERN_SETTINGS_FILE: file } });
const stage = new Stage(workbench, browser);
const follower = fileURLToPath(new URL('vscode/settings-follower.cjs', import.meta.url));
const wear = async ({ page }, look) => {
  const [theme, name] = looks[look];
  set({ 'workbench.colorTheme': theme });
  await until(`the window is ${look}`, () =>
    page.evaluate((it) => document.querySelector('.monaco-workbench')?.classList.contains(it) === true, name),
  );
};
const shoot = async (window, name) => {
  await window.page.mouse.move(700, 420);
  // Whatever fades or blinks has come to rest.
  await window.page.waitForTimeout(1_500);
  await window.page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled', caret: 'hide' });
  process.stdout.write(`docs/images/${name}.png\n`);
};

/** The page of the gate in an editor. */
const roomy = (window) =>
  until('the Gate shows in an editor', async () => {
    for (const frame of window.page.frames())
      if (
        (await frame
          .locator('.roomy')
          .count()
          .catch(() => 0)) > 0
      )
        return frame;
    return undefined;
  });
const said = (frame, pattern) =>
  until(`the Gate says ${pattern}`, async () =>
    pattern.test(
      (
        await frame
          .locator('body')
          .allInnerTexts()
          .catch(() => [])
      ).join(''),
    ),
  );

try {
  const project = stage.project(files, 'shop');
  const window = await stage.open(project, { tests: follower, size: { width: 1280, height: 760 } });
  await wear(window, 'dark');
  await window.holds('shop');
  await window.openContainer();
  await window.palette('View: Hide Secondary Side Bar');
  const worktree = await stage.start(window, project, 'Discounts');
  commit(
    worktree,
    { 'src/discount.ts': '// TODO: by whom?\nexport const discount = 0.1;\n' },
    'Add discounts',
  );
  await window.palette('Discern: Done');
  await window.palette('Discern: Show Gate');
  await said(await window.gate(), /Done failed/);
  await window.palette('Discern: Open Gate in Editor');
  const gate = await roomy(window);
  await said(gate, /Done failed/);
  await gate.locator('[data-key="check/lint"]').click();
  await said(gate, /exit code 1/);
  await window.palette('Notifications: Clear All Notifications');
  for (const look of Object.keys(looks)) {
    await wear(window, look);
    await shoot(window, `gate-${look}`);
  }
  await wear(window, 'dark');
  commit(worktree, { 'src/discount.ts': 'export const discount = 0.1;\n' }, 'Say by whom');
  await window.palette('Discern: Done');
  await window.row('Root', /^Proof valid/);
  await said(await roomy(window), /It is proved/);
  await window.palette('Notifications: Clear All Notifications');
  await shoot(window, 'proved');
  await stage.clear();
} finally {
  await browser.close();
  await workbench.stop();
  rmSync(home, { recursive: true, force: true });
}
