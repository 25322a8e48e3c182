import assert from 'node:assert/strict';
import { commit } from '../../../scripts/vscode/stage.mjs';
import { until } from '../../../scripts/vscode/window.mjs';

export const name =
  'The Gate in an editor: jobs and their coloured output, a search in it, a link out of it, and the runs before; the side bar keeps to what is wrong and what comes next';

const files = {
  'discern.toml': `[jobs]
lint = "printf '\\\\033[31mred\\\\033[0m words, then see src/b.txt:2:1 and words\\\\n'; ! grep -q BROKEN src/b.txt"
`,
  'src/b.txt': 'fine\nBROKEN\n',
};

export async function run(stage) {
  const project = stage.project(files);
  const window = await stage.open(project);
  const { page } = window;
  const { keyboard } = page;
  await window.holds('app');
  const worktree = await stage.start(window, project, 'With room');
  commit(worktree, { 'src/c.txt': 'c\n' }, 'Something');
  await window.palette('Discern: Done');
  await window.palette('Discern: Show Gate');
  const side = await window.gate();
  await said(side, /failed/);
  await said(side, /Run the gate to earn the proof\./);
  assert.equal(await side.locator('.job').count(), 0, 'no job is in the side bar');
  assert.deepEqual(await primary(side), ['Done'], 'one button stands out');

  await window.palette('Discern: Open Gate in Editor');
  const gate = await roomy(window);
  const row = gate.locator('[data-key="check/lint"]');
  await row.focus();
  await keyboard.press('ArrowRight');
  const output = gate.locator('pre[aria-label="Output of lint"]');
  await until('the output shows', async () => /red words/.test(await output.textContent().catch(() => '')));
  const colour = (selector) => output.locator(selector).evaluate((node) => getComputedStyle(node).color);
  assert.notEqual(await colour('.red'), await output.evaluate((node) => getComputedStyle(node).color));

  await gate.locator('input[type=search]').focus();
  await keyboard.type('WORDS');
  await said(gate, /1 of 2/);
  await keyboard.press('Enter');
  await said(gate, /2 of 2/);
  assert.equal(await gate.evaluate(() => CSS.highlights.get('found').size), 2);

  await output.locator('a').first().focus();
  await keyboard.press('Enter');
  await page.locator('.tab.active', { hasText: 'b.txt' }).waitFor();

  commit(worktree, { 'src/b.txt': 'fine\n' }, 'Mend it');
  await window.palette('Discern: Done');
  await window.palette('Discern: Open Gate in Editor');
  const again = await roomy(window);
  await said(again, /Proof valid/);
  await until('the runs before are listed', async () => (await again.locator('.past').count()) === 2);
  assert.match(
    (await again.locator('.past').allInnerTexts()).join('\n'),
    /Done passed in[\s\S]*1 ran[\s\S]*Done failed in/,
  );
  assert.deepEqual(await primary(again), ['Accept']);
  await again.locator('.past', { hasText: 'Done failed' }).click();
  await until(
    'the run before shows',
    async () => (await again.locator('.head').getAttribute('data-verdict')) === 'failed',
  );
}

const primary = (frame) =>
  frame
    .locator('vscode-button:not([secondary])')
    .evaluateAll((all) => all.map((one) => one.textContent.trim()));

const said = (frame, pattern) =>
  until(
    `the view says ${pattern}`,
    async () =>
      pattern.test(
        (
          await frame
            .locator('body')
            .allInnerTexts()
            .catch(() => [])
        ).join(''),
      ),
    { say: async () => (await frame.locator('body').allInnerTexts()).join('').slice(0, 1500) },
  );

/** The page of the gate that has room. */
const roomy = (window) =>
  until('the Gate shows in an editor', async () => {
    for (const frame of window.page.frames()) {
      const found = await frame
        .locator('.roomy')
        .count()
        .catch(() => 0);
      if (found > 0) return frame;
    }
    return undefined;
  });
