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
