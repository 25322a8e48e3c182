/** A part of the page that stands for one model, and is brought up to date instead of being made anew. */
export interface View<Model> {
  readonly element: HTMLElement;
  update(model: Model): void;
}

/** Makes an element with attributes and children. Strings become text, never markup. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Sets the text where it differs, so that a selection in it and a screen reader are left alone. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute where it differs; undefined removes it. */
export function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Shows text, or hides its element when there is none. */
export function setOptionalText(
  element: HTMLElement,
  text: string | undefined,
  holder: Node = element,
): void {
  element.hidden = text === undefined || text === '';
  setText(holder, text ?? '');
}

/**
 * The children that stand for a list of models, each kept for as long as its key is in the list. A child in its right
 * place is not moved, since moving takes the focus from it.
 */
export class KeyedList<Model extends { readonly key: string }, Child extends View<Model> = View<Model>> {
  readonly #parent: Element;
  readonly #make: (model: Model) => Child;
  readonly #children = new Map<string, Child>();

  constructor(parent: Element, make: (model: Model) => Child) {
    this.#parent = parent;
    this.#make = make;
  }

  get children(): Iterable<Child> {
    return this.#children.values();
  }

  get entries(): Iterable<[string, Child]> {
    return this.#children.entries();
  }

  /** Brings the children in line with the models. They come after whatever else the parent held at first. */
  update(models: readonly Model[]): void {
    const keys = new Set(models.map(({ key }) => key));
    for (const [key, { element }] of this.#children) {
      if (keys.has(key)) continue;
      element.remove();
      this.#children.delete(key);
    }
    let last: Element | undefined;
    for (const model of models) {
      let child = this.#children.get(model.key);
      if (child === undefined) {
        child = this.#make(model);
        this.#children.set(model.key, child);
      }
      child.update(model);
      this.#place(child.element, last);
      last = child.element;
    }
  }

  #place(element: Element, last: Element | undefined): void {
    if (last !== undefined) {
      if (last.nextElementSibling !== element) last.after(element);
      return;
    }
    const own = new Set<Element>([...this.#children.values()].map((child) => child.element));
    const first = [...this.#parent.children].find((one) => own.has(one));
    if (first === element) return;
    if (first === undefined) this.#parent.append(element);
    else first.before(element);
  }
}
