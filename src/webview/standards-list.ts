import { h, KeyedList, setAttribute, setText, type View } from './dom.ts';
import { setIcon } from './icons.ts';
import { type Chart, chartHeight, chartWidth, type StandardRow } from './model/standards.ts';

const svg = 'http://www.w3.org/2000/svg';

/** A small line of what was measured, with its limit as a level. What it says stands in the row's label too. */
class ChartView {
  readonly element = document.createElementNS(svg, 'svg');
  readonly #limit = document.createElementNS(svg, 'line');
  readonly #line = document.createElementNS(svg, 'polyline');
  readonly #dot = document.createElementNS(svg, 'circle');

  constructor() {
    const { element } = this;
    element.setAttribute('class', 'chart');
    element.setAttribute('viewBox', `0 0 ${chartWidth} ${chartHeight}`);
    element.setAttribute('aria-hidden', 'true');
    this.#limit.setAttribute('class', 'limit');
    this.#limit.setAttribute('x1', '0');
    this.#limit.setAttribute('x2', String(chartWidth));
    this.#line.setAttribute('class', 'values');
    this.#dot.setAttribute('class', 'last');
    this.#dot.setAttribute('r', '2');
    element.append(this.#limit, this.#line, this.#dot);
  }

  update(chart: Chart | undefined): void {
    this.element.toggleAttribute('hidden', chart === undefined);
    if (!chart) return;
    this.#limit.toggleAttribute('hidden', chart.limit === undefined);
    for (const end of ['y1', 'y2']) setAttribute(this.#limit, end, String(chart.limit ?? 0));
    setAttribute(this.#line, 'points', chart.points);
    setAttribute(this.#dot, 'cx', String(chart.last.x));
    setAttribute(this.#dot, 'cy', String(chart.last.y));
  }
}

class StandardView implements View<StandardRow> {
  readonly #mark = h('span', { class: 'mark', 'aria-hidden': 'true' });
  readonly #name = h('span', { class: 'name' });
  readonly #value = h('span', { class: 'value' });
  readonly #bound = h('span', { class: 'muted bound' });
  readonly #chart = new ChartView();
  readonly element = h(
    'li',
    { class: 'standard' },
    this.#mark,
    this.#name,
    this.#value,
    this.#chart.element,
    this.#bound,
  );

  update({ name, state, mark, value, bound, label, chart }: StandardRow): void {
    this.element.dataset.state = state;
    setIcon(this.#mark, mark);
    setText(this.#name, name);
    setText(this.#value, value);
    setText(this.#bound, bound);
    setAttribute(this.element, 'aria-label', label);
    setAttribute(this.element, 'title', label);
    this.#chart.update(chart);
  }
}

/** The standards of a run, each with its history. */
export class StandardsList {
  readonly element = h('ul', { class: 'standards', 'aria-label': 'Standards' });
  readonly #rows = new KeyedList<StandardRow>(this.element, () => new StandardView());

  update(rows: readonly StandardRow[]): void {
    this.#rows.update(rows);
  }
}
