import { html, type TemplateResult } from 'lit/html.js';

/** Most places of a text that are marked. */
const MOST = 2000;

/**
 * A search in what one job printed. Marks are VS Code's own, drawn by the browser over the text, which stays as it is
 * (CSS Custom Highlight API).
 */
export class Search {
  readonly #changed: () => void;
  #text = '';
  /** The job whose output is searched, and where it stands. */
  #job: string | undefined;
  #element: HTMLElement | undefined;
  #found: Range[] = [];
  #at = 0;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Searches again in a text that has changed. */
  drawn(job: string, element: HTMLElement): void {
    if (this.#job === job) this.#look(element);
  }

  field(job: string, element: () => HTMLElement | undefined): TemplateResult {
    const typed = ({ currentTarget }: Event) => {
      this.#text = (currentTarget as HTMLInputElement).value;
      this.#at = 0;
      this.#job = job;
      this.#look(element());
      this.#reveal();
      this.#changed();
    };
    const keyed = (event: KeyboardEvent) => {
      event.stopPropagation();
      if (event.key !== 'Enter' || this.#found.length === 0) return;
      event.preventDefault();
      this.#at = (this.#at + (event.shiftKey ? -1 : 1) + this.#found.length) % this.#found.length;
      this.#mark();
      this.#reveal();
      this.#changed();
    };
    return html`<span class="search"
      ><input
        type="search"
        placeholder="Search"
        aria-label="Search in the output of ${job}"
        @input=${typed}
        @keydown=${keyed}
        @click=${(event: Event) => event.stopPropagation()}
      /><span class="muted" role="status">${this.#said(job)}</span></span
    >`;
  }

  #said(job: string): string {
    if (this.#text === '' || job !== this.#job) return '';
    const { length } = this.#found;
    return length === 0 ? 'none' : `${this.#at + 1} of ${length}${length === MOST ? '+' : ''}`;
  }

  #look(element: HTMLElement | undefined): void {
    this.#element = element;
    this.#found = element && this.#text !== '' ? rangesOf(element, this.#text) : [];
    this.#at = Math.min(this.#at, Math.max(0, this.#found.length - 1));
    this.#mark();
  }

  #mark(): void {
    CSS.highlights.set('found', new Highlight(...this.#found));
    const current = this.#found[this.#at];
    CSS.highlights.set('found-current', new Highlight(...(current ? [current] : [])));
  }

  #reveal(): void {
    const range = this.#found[this.#at];
    if (!range || !this.#element) return;
    const [place, frame] = [range.getBoundingClientRect(), this.#element.getBoundingClientRect()];
    this.#element.scrollTop += place.top - frame.top - frame.height / 3;
  }
}

/** Where a text stands in an element, upper and lower case alike, over as many nodes as it takes. */
function rangesOf(element: HTMLElement, wanted: string): Range[] {
  const nodes: { node: Text; start: number }[] = [];
  let whole = '';
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node: node as Text, start: whole.length });
    whole += (node as Text).data;
  }
  const [text, part] = [whole.toLowerCase(), wanted.toLowerCase()];
  if (text.length !== whole.length) return [];
  const ranges: Range[] = [];
  let in_ = 0;
  const point = (offset: number) => {
    while (in_ > 0 && (nodes[in_]?.start ?? 0) > offset) in_--;
    while (in_ + 1 < nodes.length && (nodes[in_ + 1]?.start ?? 0) <= offset) in_++;
    const { node, start } = nodes[in_] as { node: Text; start: number };
    return [node, offset - start] as const;
  };
  for (
    let at = text.indexOf(part);
    at !== -1 && ranges.length < MOST;
    at = text.indexOf(part, at + part.length)
  ) {
    const range = document.createRange();
    range.setStart(...point(at));
    range.setEnd(...point(at + part.length));
    ranges.push(range);
  }
  return ranges;
}
