import '@vscode-elements/elements/dist/vscode-badge/index.js';
import { VscodeCollapsible } from '@vscode-elements/elements/dist/vscode-collapsible/index.js';
import { Directive, directive, type ElementPart } from 'lit/directive.js';
import { live } from 'lit/directives/live.js';
import { html, noChange, type TemplateResult } from 'lit/html.js';

/** A part of the view under a heading that closes it. */
export interface Section {
  heading: string;
  /** How many things are in it: with none it is hidden. */
  number: number;
  /** What to say of them, beside their number. */
  description?: string;
  content: unknown;
}

/** Draws a section; `toggled` is told whether a person opened or closed it. */
export function section(
  { heading, number, description = '', content }: Section,
  open: boolean,
  toggled: (open: boolean) => void,
): TemplateResult {
  const digits = number.toLocaleString('en');
  const toggle = ({ currentTarget }: Event) => {
    if (currentTarget instanceof VscodeCollapsible) toggled(currentTarget.open);
  };
  return html`<vscode-collapsible
    .heading=${heading}
    .description=${description}
    .open=${live(open)}
    ?hidden=${number === 0}
    @vsc-collapsible-toggle=${toggle}
    ${headerButton(`${heading}: ${description || digits}`, open)}
    ><vscode-badge variant="counter" slot="decorations">${digits}</vscode-badge>${content}</vscode-collapsible
  >`;
}

/** The component's header takes the focus and Enter, but says neither what it is nor its state, and ignores Space. */
class HeaderButton extends Directive {
  #made = false;
  #label = '';
  #open = true;

  render(_label: string, _open: boolean): typeof noChange {
    return noChange;
  }

  override update({ element }: ElementPart, [label, open]: [string, boolean]): typeof noChange {
    if (!(element instanceof VscodeCollapsible)) return noChange;
    this.#label = label;
    this.#open = open;
    this.#describe(element);
    if (!this.#made) {
      this.#made = true;
      void element.updateComplete.then(() => this.#make(element));
    }
    return noChange;
  }

  #header(element: VscodeCollapsible): HTMLElement | null | undefined {
    return element.shadowRoot?.querySelector<HTMLElement>('.collapsible-header');
  }

  #describe(element: VscodeCollapsible): void {
    const header = this.#header(element);
    header?.setAttribute('aria-expanded', String(this.#open));
    header?.setAttribute('aria-label', this.#label);
  }

  #make(element: VscodeCollapsible): void {
    const header = this.#header(element);
    if (!header) return;
    header.setAttribute('role', 'button');
    this.#describe(element);
    header.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return;
      event.preventDefault();
      header.click();
    });
  }
}
const headerButton = directive(HeaderButton);
