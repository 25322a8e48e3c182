import type { GateJob } from '../contract/gate-view.ts';
import { h, setText, type View } from './dom.ts';
import { icon, setIcon } from './icons.ts';
import { barOf, jobLabel } from './model/bars.ts';
import type { Row } from './model/jobs.ts';
import type { Output } from './model/output.ts';
import { OutputPanel } from './output-panel.ts';
import { Disclosure, makeItem } from './tree.ts';

/** What a job's row needs from the rest of the view. */
export interface JobActions {
  toggle(row: Row): void;
  openInEditor(job: string): void;
}

/** To a thousandth, less than a pixel, so that most bars stay as they are from one frame to the next. */
const percent = (fraction: number) => `${(fraction * 100).toFixed(1)}%`;

/** One job: its name, its bar on the time axis, and below it, on demand, what it printed. */
export class JobRow implements View<Row> {
  readonly element: ReturnType<typeof makeItem>;
  readonly #mark = h('span', { class: 'mark' });
  readonly #name = h('span', { class: 'name' });
  readonly #bar = h('span', { class: 'bar' });
  readonly #time = h('span', { class: 'time' });
  readonly #panel: OutputPanel;
  readonly #disclosure: Disclosure;
  readonly #line: HTMLElement;
  #row: Row;

  constructor(row: Row, actions: JobActions) {
    this.#row = row;
    const toggle = () => actions.toggle(this.#row);
    this.element = makeItem(toggle);
    this.element.slot = 'children';
    const track = h('span', { class: 'track' }, this.#bar, this.#time);
    this.#line = h('span', { class: 'job' }, icon('chevron'), this.#mark, this.#name, track);
    this.element.append(this.#line);
    this.#panel = new OutputPanel(row.job.name, () => actions.openInEditor(this.#row.job.name));
    this.#disclosure = new Disclosure(this.element, this.#panel.element, toggle);
  }

  update(row: Row): void {
    this.#row = row;
    const { job } = row;
    this.#line.dataset.state = job.state;
    setIcon(this.#mark, job.state);
    setText(this.#name, job.name);
    const label = jobLabel(job);
    this.element.ariaLabel = label;
    this.#line.title = label;
  }

  /** Shows what the job printed, or hides it. */
  showOutput(open: boolean, output: Output | undefined): void {
    this.#disclosure.open = open;
    if (open) this.#panel.update(this.#row.job, output);
  }

  /** Draws the bar as it is `now` milliseconds into the run, on an axis of `span` milliseconds. */
  paint(now: number, span: number): void {
    const { left, width, label } = barOf(this.#row.job, now, span);
    this.#place('--left', percent(left));
    this.#place('--width', percent(width));
    setText(this.#time, label);
  }

  #place(property: '--left' | '--width', value: string): void {
    const { style } = this.#line;
    if (style.getPropertyValue(property) !== value) style.setProperty(property, value);
  }

  get job(): GateJob {
    return this.#row.job;
  }

  get key(): string {
    return this.#row.key;
  }
}
