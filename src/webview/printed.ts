import { Directive, directive, type ElementPart } from 'lit/directive.js';
import { noChange } from 'lit/html.js';
import { type Link, type Piece, piecesOf } from './model/ansi.ts';

/** Nearer to the end than this, in pixels, the reader is following the output. */
const AT_END = 8;

/**
 * Shows what a job printed, which grows; who was at the end of it stays there, who had scrolled up stays where they were. `follow` is
 * told of a link that is chosen, `drawn` after the text has changed.
 */
class Printed extends Directive {
  #shown: string | undefined;
  #follow: (link: Link) => void = () => undefined;

  render(
    _text: string | undefined,
    _follow: (link: Link) => void,
    _drawn?: (element: HTMLElement) => void,
  ): typeof noChange {
    return noChange;
  }

  override update(
    { element }: ElementPart,
    [text, follow, drawn]: Parameters<Printed['render']>,
  ): typeof noChange {
    this.#follow = follow;
    if (text === this.#shown || !(element instanceof HTMLElement)) return noChange;
    this.#shown = text;
    const { hidden, scrollHeight, scrollTop, clientHeight } = element;
    const atEnd = hidden || scrollHeight - scrollTop - clientHeight < AT_END;
    element.hidden = !text;
    element.replaceChildren(...piecesOf(text ?? '').map((piece) => this.#node(piece)));
    if (atEnd) element.scrollTop = element.scrollHeight;
    drawn?.(element);
    return noChange;
  }

  #node({ text, classes, link }: Piece): Node {
    if (classes.length === 0 && !link) return document.createTextNode(text);
    const node: HTMLElement = link ? document.createElement('a') : document.createElement('span');
    node.className = classes.join(' ');
    node.textContent = text;
    if (!link) return node;
    node.tabIndex = 0;
    node.role = 'link';
    node.title = link.kind === 'url' ? link.url : `${link.file}:${link.line}`;
    const choose = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
      this.#follow(link);
    };
    node.addEventListener('click', choose);
    node.addEventListener('keydown', (event: KeyboardEvent) => {
      if (event.key === 'Enter') choose(event);
    });
    return node;
  }
}
export const printed = directive(Printed);
