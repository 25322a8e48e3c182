import { VscodeTreeItem } from '@vscode-elements/elements/dist/vscode-tree-item/index.js';
import type { GateRunView } from '../contract/gate-view.ts';
import { h, KeyedList, setOptionalText, setText, type View } from './dom.ts';
import { icon } from './icons.ts';
import { type JobActions, JobRow } from './job-row.ts';
import { spanOf, type Tick, ticks } from './model/axis.ts';
import { type Row, type StageGroup, timelineOf } from './model/jobs.ts';
import type { Output } from './model/output.ts';
import { count } from './model/time.ts';
import { changeItems, makeItem, makeTree } from './tree.ts';

/** Room a mark's label needs on the axis, in pixels. */
const TICK_ROOM = 44;

type KeyedStage = StageGroup & { key: string };

/** A stage: a line of its own, and its jobs below it. */
class StageRows implements View<KeyedStage> {
  readonly element = makeItem();
  readonly rows: KeyedList<Row, JobRow>;
  readonly #name = h('span', { class: 'name' });
  readonly #summary = h('span', { class: 'muted' });

  constructor(actions: JobActions) {
    this.element.open = true;
    this.element.append(h('span', { class: 'stage' }, icon('chevron'), this.#name, this.#summary));
    this.rows = new KeyedList(this.element, (row) => new JobRow(row, actions));
  }

  update({ stage, rows, summary }: KeyedStage): void {
    setText(this.#name, stage);
    setText(this.#summary, summary);
    this.element.ariaLabel = `${stage} stage: ${summary}`;
    this.rows.update(rows);
  }
}

type KeyedTick = Tick & { key: string };

/** A mark on the axis, or the line that goes down from it. */
class Mark implements View<KeyedTick> {
  readonly element: HTMLElement;
  readonly #labelled: boolean;

  constructor(kind: 'tick' | 'line') {
    this.element = h('span', { class: kind });
    this.#labelled = kind === 'tick';
  }

  update({ at, label }: KeyedTick): void {
    this.element.style.setProperty('--at', `${(at * 100).toFixed(3)}%`);
    if (this.#labelled) setText(this.element, label);
  }
}

/** The jobs of a run as bars on one time axis, by stage. */
export class Timeline {
  readonly element: HTMLElement;
  readonly #tree = makeTree('Jobs by stage');
  readonly #more = h('p', { class: 'muted more' });
  readonly #axis = h('div', { class: 'axis', 'aria-hidden': 'true' });
  readonly #backdrop = h('div', { class: 'lines' });
  readonly #stages: KeyedList<KeyedStage, StageRows>;
  readonly #ticks = new KeyedList<KeyedTick>(this.#axis, () => new Mark('tick'));
  readonly #lines = new KeyedList<KeyedTick>(this.#backdrop, () => new Mark('line'));
  #most = 4;
  #shown: { run: GateRunView; elapsed: number } | undefined;

  constructor(actions: JobActions, stageToggled: () => void) {
    this.#stages = new KeyedList(this.#tree, () => new StageRows(actions));
    this.element = h('div', { class: 'timeline' });
    this.element.append(
      h('div', { class: 'axis-holder' }, this.#axis),
      this.#backdrop,
      this.#tree,
      this.#more,
    );
    new ResizeObserver(([entry]) => this.#resize(entry?.contentRect.width ?? 0)).observe(this.#axis);
    // The component fires nothing when an item with items opens or closes.
    new MutationObserver((changes) => {
      if (changes.some(({ target }) => this.#isStage(target))) stageToggled();
    }).observe(this.#tree, { subtree: true, attributeFilter: ['open'] });
  }

  /** Brings the rows in line with the run. */
  update({ jobs }: GateRunView): void {
    const { groups, hidden } = timelineOf(jobs);
    changeItems(this.#tree, () =>
      this.#stages.update(groups.map((group) => ({ ...group, key: group.stage }))),
    );
    setOptionalText(this.#more, hidden > 0 ? `and ${count(hidden, 'more job')}` : undefined);
  }

  /** Draws axis and bars as they are `elapsed` milliseconds into the run. */
  paint(run: GateRunView, elapsed: number): void {
    this.#shown = { run, elapsed };
    const span = spanOf(run, elapsed);
    const marks = ticks(span, this.#most).map((tick) => ({ ...tick, key: String(tick.ms) }));
    this.#ticks.update(marks);
    this.#lines.update(marks);
    for (const row of this.rows()) row.paint(elapsed, span);
  }

  /** Shows the output of the jobs whose keys are in `open`. */
  showOutputs(open: ReadonlySet<string>, outputs: ReadonlyMap<string, Output>): void {
    for (const row of this.rows()) row.showOutput(open.has(row.key), outputs.get(row.job.name));
  }

  *rows(): Iterable<JobRow> {
    for (const stage of this.#stages.children) yield* stage.rows.children;
  }

  /** Brings a job's row into view and gives it the focus. */
  reveal(row: JobRow): void {
    const stage = row.element.parentElement;
    if (stage instanceof VscodeTreeItem) stage.open = true;
    row.element.active = true;
    void row.element.updateComplete.then(() => {
      row.element.focus();
      row.element.scrollIntoView({ block: 'nearest' });
    });
  }

  /** The stages a person closed. */
  get closed(): string[] {
    return [...this.#stages.entries].flatMap(([stage, { element }]) => (element.open ? [] : [stage]));
  }

  set closed(closed: readonly string[]) {
    for (const [stage, { element }] of this.#stages.entries) element.open = !closed.includes(stage);
  }

  #isStage(target: Node): boolean {
    return target.parentNode === this.#tree;
  }

  #resize(width: number): void {
    this.#most = Math.max(2, Math.floor(width / TICK_ROOM));
    if (this.#shown) this.paint(this.#shown.run, this.#shown.elapsed);
  }
}
