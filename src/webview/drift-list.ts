import { h, KeyedList, setAttribute, setOptionalText, setText, type View } from './dom.ts';
import { icon } from './icons.ts';
import type { DriftRow, Drifts } from './model/drift.ts';
import { count } from './model/time.ts';
import { changeItems, Disclosure, makeItem, makeTree } from './tree.ts';

class DriftView implements View<DriftRow> {
  readonly element: ReturnType<typeof makeItem>;
  readonly #name = h('span', { class: 'name' });
  readonly #folder = h('span', { class: 'muted' });
  readonly #stage = h('span', { class: 'muted stage-name' });
  readonly #diff = h('pre', { class: 'diff', tabindex: '0', role: 'region' });
  readonly #cut = h('p', { class: 'muted' });
  readonly #disclosure: Disclosure;
  readonly #line: HTMLElement;
  #drawn = '';

  constructor({ key }: DriftRow, toggle: (key: string) => void) {
    const choose = () => toggle(key);
    this.element = makeItem(choose);
    this.#line = h('span', { class: 'drift' }, icon('chevron'), this.#name, this.#folder, this.#stage);
    this.element.append(this.#line);
    const detail = h('div', { class: 'detail' }, this.#diff, this.#cut);
    this.#disclosure = new Disclosure(this.element, detail, choose);
  }

  update({ file, name, folder, stage, lines, cut, label }: DriftRow): void {
    setText(this.#name, name);
    setOptionalText(this.#folder, folder);
    setText(this.#stage, `in ${stage}`);
    setAttribute(this.#line, 'title', label);
    this.element.ariaLabel = label;
    this.#diff.ariaLabel = `Changes of ${file}`;
    setOptionalText(this.#cut, cut > 0 ? `and ${count(cut, 'more line')}` : undefined);
    const drawn = JSON.stringify(lines);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#diff.replaceChildren(...lines.map(({ kind, text }) => h('span', { class: kind }, `${text}\n`)));
  }

  set open(open: boolean) {
    this.#disclosure.open = open;
  }
}

/** The files that drifted, each with its diff on demand. */
export class DriftList {
  readonly element: HTMLElement;
  readonly #tree = makeTree('Files that jobs changed');
  readonly #more = h('p', { class: 'muted more' });
  readonly #rows: KeyedList<DriftRow, DriftView>;

  constructor(toggle: (key: string) => void) {
    this.#rows = new KeyedList(this.#tree, (row) => new DriftView(row, toggle));
    this.element = h('div', {}, this.#tree, this.#more);
  }

  update({ listed, more }: Drifts, open: ReadonlySet<string>): void {
    changeItems(this.#tree, () => this.#rows.update(listed));
    for (const [key, row] of this.#rows.entries) row.open = open.has(key);
    setOptionalText(this.#more, more > 0 ? `and ${count(more, 'more file')}` : undefined);
  }
}
