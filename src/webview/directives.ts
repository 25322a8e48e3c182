import { Directive, directive, type ElementPart } from 'lit/directive.js';
import { noChange } from 'lit/html.js';

/**
 * Sets custom properties where they differ. The page's policy allows no `style` attribute, which is what Lit's own `styleMap`
 * begins with.
 */
class CustomProperties extends Directive {
  render(_properties: Readonly<Record<`--${string}`, string>>): typeof noChange {
    return noChange;
  }

  override update(
    { element }: ElementPart,
    [properties]: Parameters<CustomProperties['render']>,
  ): typeof noChange {
    if (!(element instanceof HTMLElement)) return noChange;
    for (const [name, value] of Object.entries(properties)) {
      if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
    }
    return noChange;
  }
}
export const customProperties = directive(CustomProperties);

/** Nearer to the end than this, in pixels, the reader is following the output. */
const AT_END = 8;

/** Shows a text that grows; who was at the end of it stays there, who had scrolled up stays where they were. */
class Following extends Directive {
  #shown: string | undefined;

  render(_text: string | undefined): typeof noChange {
    return noChange;
  }

  override update({ element }: ElementPart, [text]: [string | undefined]): typeof noChange {
    if (text === this.#shown || !(element instanceof HTMLElement)) return noChange;
    this.#shown = text;
    const { hidden, scrollHeight, scrollTop, clientHeight } = element;
    const atEnd = hidden || scrollHeight - scrollTop - clientHeight < AT_END;
    element.hidden = !text;
    element.textContent = text ?? '';
    if (atEnd) element.scrollTop = element.scrollHeight;
    return noChange;
  }
}
export const following = directive(Following);
