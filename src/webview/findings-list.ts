import { h, KeyedList, setAttribute, setOptionalText, setText, type View } from './dom.ts';
import { setIcon } from './icons.ts';
import type { Finding, Findings } from './model/findings.ts';
import { count } from './model/time.ts';
import { changeItems, makeItem, makeTree } from './tree.ts';

class FindingRow implements View<Finding> {
  readonly element: ReturnType<typeof makeItem>;
  readonly #mark = h('span', { class: 'mark' });
  readonly #place = h('span', { class: 'place' });
  readonly #message = h('span', { class: 'what' });
  readonly #rule = h('span', { class: 'muted' });
  readonly #line: HTMLElement;
  #finding: Finding | undefined;

  constructor(choose: (finding: Finding) => void) {
    this.element = makeItem(() => {
      if (this.#finding) choose(this.#finding);
    });
    const text = h('span', { class: 'text' }, this.#message, ' ', this.#rule);
    this.#line = h('span', { class: 'finding' }, this.#mark, this.#place, text);
    this.element.append(this.#line);
  }

  update(finding: Finding): void {
    this.#finding = finding;
    const { severity, place, leadsTo, message, rule, label } = finding;
    this.#line.dataset.severity = severity;
    this.#line.dataset.leads = leadsTo?.kind ?? 'nowhere';
    setIcon(this.#mark, severity);
    setText(this.#place, place);
    setText(this.#message, message);
    setOptionalText(this.#rule, rule && `[${rule}]`);
    this.element.ariaLabel = label;
    setAttribute(this.#line, 'title', `${place}\n${message}`);
  }
}

/** What the jobs found, each a link to its place. */
export class FindingsList {
  readonly element: HTMLElement;
  readonly #tree = makeTree('Findings');
  readonly #more = h('p', { class: 'muted more' });
  readonly #rows: KeyedList<Finding>;

  constructor(choose: (finding: Finding) => void) {
    this.#rows = new KeyedList(this.#tree, () => new FindingRow(choose));
    this.element = h('div', { class: 'findings' }, this.#tree, this.#more);
  }

  update({ listed, more }: Findings): void {
    changeItems(this.#tree, () => this.#rows.update(listed));
    setOptionalText(this.#more, more > 0 ? `and ${count(more, 'more finding')}` : undefined);
  }
}
