import '@vscode-elements/elements/dist/vscode-badge/index.js';
import '@vscode-elements/elements/dist/vscode-collapsible/index.js';
import { h, setText } from './dom.ts';

/** A part of the view under a heading that closes it. */
export class Section {
  readonly element = h('vscode-collapsible');
  readonly #badge = h('vscode-badge', { variant: 'counter', slot: 'decorations' });
  #label = '';

  constructor(heading: string, content: readonly HTMLElement[], toggled: () => void) {
    this.element.heading = heading;
    this.element.open = true;
    this.element.append(this.#badge, ...content);
    this.element.addEventListener('vsc-collapsible-toggle', () => {
      this.#describeHeader();
      toggled();
    });
    void this.element.updateComplete.then(() => this.#makeHeaderAButton());
  }

  get open(): boolean {
    return this.element.open;
  }

  set open(open: boolean) {
    this.element.open = open;
    this.#describeHeader();
  }

  /** Shows the section with how many things are in it, and what to say of them, or hides it when there are none. */
  update(number: number, description = ''): void {
    this.element.hidden = number === 0;
    this.element.description = description;
    const digits = number.toLocaleString('en');
    setText(this.#badge, digits);
    this.#label = `${this.element.heading}: ${description || digits}`;
    this.#describeHeader();
  }

  get #header(): HTMLElement | null | undefined {
    return this.element.shadowRoot?.querySelector<HTMLElement>('.collapsible-header');
  }

  #describeHeader(): void {
    this.#header?.setAttribute('aria-expanded', String(this.open));
    this.#header?.setAttribute('aria-label', this.#label);
  }

  /** The component's header takes the focus and Enter, but says neither what it is nor its state, and ignores Space. */
  #makeHeaderAButton(): void {
    const header = this.#header;
    if (!header) return;
    header.setAttribute('role', 'button');
    this.#describeHeader();
    header.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return;
      event.preventDefault();
      header.click();
    });
  }
}
