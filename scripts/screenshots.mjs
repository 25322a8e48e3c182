// `npm run screenshots`: the pictures in docs/images, of a real VS Code with this extension in it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProduct } from '../esbuild.mjs';
import { identity } from './sample.mjs';
import { provision } from './vscode/provision.mjs';
import { commit, Stage } from './vscode/stage.mjs';
import { until } from './vscode/window.mjs';
import { startBrowser, startWorkbench } from './vscode/workbench.mjs';

const images = fileURLToPath(new URL('../docs/images/', import.meta.url));

/** What a person's system asks for, and the class VS Code's workbench then has. */
const looks = {
  dark: [{ colorScheme: 'dark', forcedColors: 'none' }, 'vs-dark'],
  light: [{ colorScheme: 'light', forcedColors: 'none' }, 'vs'],
  contrast: [{ colorScheme: 'dark', forcedColors: 'active' }, 'hc-black'],
};

const files = {
  'discern.toml': `[project]
name = "shop"

[jobs]
format = "true"
build = "sleep 0.4"
lint = "sleep 1.1; ! grep -Hn 'TODO' src/*.ts"
typecheck = "sleep 1.7"
test = "sleep 2.3"
`,
  'src/price.ts': 'export const price = (net: number) => net * 1.2;\n',
};

/** VS Code without what would stand in the way of what is to be seen. */
const settings = {
  'window.autoDetectColorScheme': true,
  'window.autoDetectHighContrast': true,
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
const workbench = await startWorkbench({ env: identity });
const stage = new Stage(workbench, browser);
const file = join(workbench.data, 'data', 'User', 'settings.json');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, JSON.stringify(settings));
const wear = async ({ page }, look) => {
  const [media, theme] = looks[look];
  await page.emulateMedia(media);
  await until(`the window is ${look}`, () =>
    page.evaluate(
      (it) => document.querySelector('.monaco-workbench')?.classList.contains(it) === true,
      theme,
    ),
  );
};
const shoot = async (window, name) => {
  await window.page.mouse.move(700, 420);
  // Whatever fades or blinks has come to rest.
  await window.page.waitForTimeout(1_500);
  await window.page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled', caret: 'hide' });
  process.stdout.write(`docs/images/${name}.png\n`);
};

try {
  const project = stage.project(files, 'shop');
  const window = await stage.open(project);
  await wear(window, 'dark');
  await window.holds('shop');
  await window.openContainer();
  await window.row('Root', /^Held root shop/);
  await shoot(window, 'before');
  const worktree = await stage.start(window, project, 'Discounts');
  commit(
    worktree,
    { 'src/discount.ts': '// TODO: by whom?\nexport const discount = 0.1;\n' },
    'Add discounts',
  );
  await window.palette('Discern: Done');
  await window.palette('Discern: Show Gate');
  const gate = await window.gate();
  await until('the Gate view shows the failure', async () =>
    /failed/.test((await gate.locator('body').allInnerTexts()).join('')),
  );
  await window.palette('Notifications: Clear All Notifications');
  for (const look of Object.keys(looks)) {
    await wear(window, look);
    await shoot(window, `gate-${look}`);
  }
  await wear(window, 'dark');
  commit(worktree, { 'src/discount.ts': 'export const discount = 0.1;\n' }, 'Say by whom');
  await window.palette('Discern: Done');
  await window.row('Root', /^Proof valid/);
  await shoot(window, 'proved');
  await stage.clear();
} finally {
  await browser.close();
  await workbench.stop();
}
