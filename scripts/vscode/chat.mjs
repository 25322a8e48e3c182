// VS Code's chat as a person uses it: types to the scripted agent (test/extension/scripted-agent), allows what VS Code asks
// about, and reads the answer.
import { PATIENCE_MS, until } from './window.mjs';

const places = { panel: '.part.auxiliarybar', editor: '.part.editor' };

/** One conversation: the one in the chat panel, or one in an editor, beside which the panel's stays visible. */
export class Chat {
  #window;
  #session;
  #input;
  /** Turns are numbered: of a long conversation only what fits is in the page, so answers cannot be counted. */
  #turns = 0;
  /** How often VS Code asked before it ran a tool, and was allowed to. */
  confirmed = 0;

  constructor(window, place) {
    this.#window = window;
    this.#session = window.page.locator(`${places[place]} .interactive-session`).filter({ visible: true });
    this.#input = this.#session.locator('.chat-input-container');
  }

  /** Opens the conversation of the chat panel. */
  static async inPanel(window) {
    await window.palette('Chat: Open Chat');
    return new Chat(window, 'panel').#ready();
  }

  /** Opens a new conversation in an editor. */
  static async inEditor(window) {
    await window.palette('Chat: New Chat Editor');
    return new Chat(window, 'editor').#ready();
  }

  async #ready() {
    await until('the chat has a model', async () => /Scripted model/.test(await textOf(this.#input)), {
      say: () => this.text(),
    });
    return this;
  }

  /** Has the agent call a tool, and resolves with what it says came back. */
  async ask(verb, args) {
    const { page } = this.#window;
    const turn = ++this.#turns;
    const answer = this.#session.locator('.interactive-response code', { hasText: `{"turn":"${turn}"` });
    await this.#input.locator('.monaco-editor').first().click({ timeout: PATIENCE_MS });
    await page.keyboard.type(`@scripted ${turn} ${verb}${args ? ` ${JSON.stringify(args)}` : ''}`);
    // A list of suggestions would take the next key for itself.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    const allow = this.#session.locator('.monaco-button', { hasText: /^Allow/ });
    await until(
      `the agent answers ${verb}`,
      async () => {
        if ((await allow.count()) > 0) {
          await allow.first().click({ timeout: PATIENCE_MS });
          await allow.first().waitFor({ state: 'detached', timeout: PATIENCE_MS });
          this.confirmed++;
        }
        return (await answer.count()) > 0;
      },
      { say: () => this.text() },
    );
    return JSON.parse(await answer.first().textContent());
  }

  /** What the conversation shows. */
  text() {
    return textOf(this.#session);
  }
}

const textOf = async (locator) => (await locator.allInnerTexts()).join('\n');
