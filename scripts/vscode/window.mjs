// A window of the real workbench as a person meets it: keys, what can be read, and buttons. Every wait is for a condition.

/** How long a condition may take to come true, in milliseconds: the machine may be busy. */
export const PATIENCE_MS = 150_000;
/** How often a condition is looked at, in milliseconds. */
const LOOK_MS = 150;

/** Waits until `read` resolves with something truthy, and resolves with it; `say` tells what there was instead. */
export async function until(what, read, { patience = PATIENCE_MS, say } = {}) {
  for (const began = Date.now(); ; ) {
    const value = await read();
    if (value) return value;
    if (Date.now() - began > patience) {
      throw new Error(`It never came to this: ${what}.${say ? ` Instead: ${await say()}` : ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** `page` is Playwright's. */
export class Window {
  #quickInput;

  constructor(page) {
    this.page = page;
    this.#quickInput = page.locator('.quick-input-widget');
  }

  /** Runs a command by its title in the palette, with the keyboard alone. */
  async palette(title) {
    const { page } = this;
    const first = this.#quickInput.locator('.monaco-list-row.focused');
    // A command is listed once its extension is known and its `when` clause holds, which may be a while after the window shows.
    await until(
      `the palette offers ${title}`,
      async () => {
        await page.keyboard.press('Escape');
        await page.keyboard.press('F1');
        if (!(await shown(this.#quickInput))) return false;
        await page.keyboard.type(title);
        const offered = await reads(first, (label) => label.split(',')[0] === title);
        if (offered) await page.keyboard.press('Enter');
        return offered;
      },
      { say: () => this.glance() },
    );
  }

  /** Types an answer into the input box with this title. */
  async answer(title, text) {
    await this.#quickInput
      .locator('.quick-input-title', { hasText: title })
      .waitFor({ timeout: PATIENCE_MS });
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** Chooses an item of the list that shows, by typing the beginning of its label. */
  async pick(label) {
    const { page } = this;
    const first = this.#quickInput.locator('.monaco-list-row.focused');
    await page.keyboard.type(label);
    await until(`the list offers ${label}`, () => reads(first, (said) => said.split(',')[0] === label), {
      say: () => this.glance(),
    });
    await page.keyboard.press('Enter');
  }

  /** What the status bar says of the held root; empty when it says nothing. */
  async statusBar() {
    const item = this.page.locator('.statusbar-item[id$="discern.heldRoot"]');
    return (await item.count()) === 0 ? '' : ((await item.first().textContent()) ?? '').trim();
  }

  /** What a screen reader is told of it. */
  statusBarSpoken() {
    return this.page
      .locator('.statusbar-item[id$="discern.heldRoot"]')
      .evaluate(
        (item) => (item.getAttribute('aria-label') ? item : item.querySelector('[aria-label]'))?.ariaLabel,
      );
  }

  /** Waits until the status bar names this held root. */
  async holds(name) {
    await until(`the status bar names ${name}`, async () => (await this.statusBar()) === name, {
      say: () => this.glance(),
    });
  }

  /** Opens the Discern container with its Root, Worktrees and Gate views. */
  async openContainer() {
    await this.palette('View: Show Discern');
    await this.page.locator('.pane-header', { hasText: 'Worktrees' }).waitFor({ timeout: PATIENCE_MS });
  }

  /** The rows of a tree view as a screen reader is told them. */
  rows(view) {
    return this.page
      .locator('.pane', { has: this.page.locator(`.pane-header[aria-label^="${view}"]`) })
      .locator('.monaco-list-row')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
  }

  /** Waits until a row of a tree view matches. */
  async row(view, pattern) {
    return until(
      `a row of ${view} reads ${pattern}`,
      async () => (await this.rows(view)).find((label) => pattern.test(label)),
      { say: async () => JSON.stringify(await this.rows(view)) },
    );
  }

  /** Waits for VS Code's own modal, and resolves with its text. */
  async modal() {
    const box = this.page.locator('.monaco-dialog-box');
    await box.waitFor({ timeout: PATIENCE_MS });
    return (await box.allInnerTexts()).join('');
  }

  /** Presses a button of the modal. */
  async press(label) {
    await this.page
      .locator('.monaco-dialog-box .monaco-button', { hasText: new RegExp(`^${label}$`) })
      .click({ timeout: PATIENCE_MS });
    await this.page.locator('.monaco-dialog-box').waitFor({ state: 'detached', timeout: PATIENCE_MS });
  }

  /** The texts of the notifications shown now. */
  notifications() {
    return this.page.locator('.notification-list-item-message').allTextContents();
  }

  /** Waits until a notification matches; in the list of them, since those that pop up soon go away again. */
  async notification(pattern) {
    await this.palette('Notifications: Show Notifications');
    return until(
      `a notification reads ${pattern}`,
      async () => (await this.notifications()).find((text) => pattern.test(text)),
      { say: () => this.glance() },
    );
  }

  /** The document inside the Gate view. */
  async gate() {
    return until('the Gate view shows', async () => {
      for (const frame of this.page.frames()) {
        if (await frame.title().then((title) => title === 'Gate', gone)) return frame;
      }
      return undefined;
    });
  }

  /** Waits until the Gate view lists a finding at this place. */
  async findFinding(place) {
    const gate = await this.gate();
    const found = gate.locator('.finding', { hasText: place });
    await until(`the Gate view lists ${place}`, async () => (await found.count()) > 0, {
      say: () => gate.locator('body').textContent(),
    });
    return found.first();
  }

  /** Opens a finding of the Gate view, and waits until its file is the active editor. */
  async openFinding(place) {
    await (await this.findFinding(place)).click();
    const tab = this.page.locator('.tab.active', { hasText: place.split('/').at(-1) });
    await tab.waitFor({ timeout: PATIENCE_MS });
  }

  /** Where the active editor's file lies: from the folder of the window it belongs to, else from the file system's root. */
  async breadcrumbs() {
    const items = this.page.locator('.breadcrumbs-control .monaco-breadcrumb-item');
    await items.first().waitFor({ timeout: PATIENCE_MS });
    return (await items.allInnerTexts()).map((text) => text.trim());
  }

  /** Answers VS Code's own dialog for files and folders, where it is a list one types a path into. */
  async dialogPath(path) {
    const input = this.#quickInput.locator('input[type="text"]');
    await until('the dialog asks for a path', async () => /^\//.test(await input.inputValue()), {
      say: () => this.glance(),
    });
    await input.fill(`${path}/`);
    await this.#quickInput.locator('.monaco-button', { hasText: /^(OK|Add|Open)$/ }).click();
  }

  /** What is to be seen, for a failure's message. */
  async glance() {
    const [first] = await this.#quickInput.locator('.monaco-list-row').allInnerTexts();
    return JSON.stringify({
      statusBar: await this.statusBar(),
      notifications: await this.notifications(),
      firstOfPalette: first,
    });
  }

  /** Closes the window, as closing its browser tab does. */
  async close() {
    await this.page.context().close();
  }
}

/** Frames come and go while one looks at them. */
const gone = () => false;

/** Resolves with whether the element shows within a short while. */
const shown = (locator) => locator.waitFor({ timeout: 5_000 }).then(() => true, gone);

/** Resolves with whether an element's label satisfies `condition` within a short while. */
const reads = (locator, condition) =>
  until(
    'its label fits',
    async () =>
      (await locator.count()) > 0 &&
      condition((await locator.first().getAttribute('aria-label', { timeout: 1_000 }).catch(gone)) || ''),
    { patience: 4_000 },
  ).then(() => true, gone);
