import { live } from 'lit/directives/live.js';
import { type RefOrCallback, ref } from 'lit/directives/ref.js';
import { repeat } from 'lit/directives/repeat.js';
import { html, type TemplateResult } from 'lit/html.js';
import { customProperties } from './directives.ts';
import { icon, mark } from './icons.ts';
import { more } from './lists.ts';
import type { Link } from './model/ansi.ts';
import type { Tick } from './model/axis.ts';
import { barOf, jobLabel } from './model/bars.ts';
import type { Row, StageGroup, Timeline } from './model/jobs.ts';
import type { Output } from './model/output.ts';
import { outputPanel } from './output-panel.ts';
import type { Search } from './search.ts';
import { detail, tree, treeItem } from './tree.ts';

/** What is shown of a run's jobs, beside the jobs themselves. */
export interface Shown {
  /** Milliseconds into the run, and from one end of its axis to the other. */
  elapsed: number;
  span: number;
  marks: readonly Tick[];
  /** Keys of the rows whose output is shown, and the outputs at hand. */
  open: ReadonlySet<string>;
  outputs: ReadonlyMap<string, Output>;
  /** The stages a person closed. */
  closed: ReadonlySet<string>;
}

export interface TimelineActions {
  toggle(key: string): void;
  openInEditor(job: string): void;
  follow(link: Link): void;
  /** Absent where there is no room for one. */
  readonly search: Search | undefined;
  /** Told of the axis and of the tree when they come and when they go. */
  readonly axis: RefOrCallback;
  readonly tree: RefOrCallback;
}

/** To a thousandth, less than a pixel, so that most bars stay as they are from one frame to the next. */
const percent = (fraction: number) => `${(fraction * 100).toFixed(1)}%`;

/** The jobs of a run as bars on one time axis, by stage. */
export function timeline(
  { groups, hidden }: Timeline,
  shown: Shown,
  actions: TimelineActions,
): TemplateResult {
  const stages = repeat(
    groups,
    ({ stage }) => stage,
    (group) => stageRows(group, shown, actions),
  );
  return html`<div class="timeline">
    <div class="axis-holder">
      <div class="axis" aria-hidden="true" ${ref(actions.axis)}>${axisMarks('tick', shown.marks)}</div>
    </div>
    <div class="lines">${axisMarks('line', shown.marks)}</div>
    <div ${ref(actions.tree)}>${tree('Jobs by stage', stages)}</div>
    ${more(hidden, 'job')}
  </div>`;
}

/** The marks on the axis, or the lines that go down from them. */
const axisMarks = (kind: 'tick' | 'line', marks: readonly Tick[]) =>
  repeat(
    marks,
    ({ ms }) => ms,
    ({ at, label }) =>
      html`<span class=${kind} ${customProperties({ '--at': `${(at * 100).toFixed(3)}%` })}>${kind === 'tick' ? label : ''}</span>`,
  );

/** A stage: a line of its own, and its jobs below it. */
const stageRows = (
  { stage, rows, summary }: StageGroup,
  shown: Shown,
  actions: TimelineActions,
) => html`<vscode-tree-item
  data-stage=${stage}
  aria-label="${stage} stage: ${summary}"
  .open=${live(!shown.closed.has(stage))}
>
  <span class="stage">${icon('chevron')}<span class="name">${stage}</span><span class="muted">${summary}</span></span>
  ${repeat(
    rows,
    ({ key }) => key,
    (row) => jobRow(row, shown, actions),
  )}
</vscode-tree-item>`;

/** One job: its name, its bar on the time axis, and below it, on demand, what it printed. */
function jobRow({ key, job }: Row, shown: Shown, actions: TimelineActions): TemplateResult {
  const bar = barOf(job, shown.elapsed, shown.span);
  const label = jobLabel(job);
  const open = shown.open.has(key);
  const place = customProperties({ '--left': percent(bar.left), '--width': percent(bar.width) });
  const output = shown.outputs.get(job.name);
  return html`<vscode-tree-item
    slot="children"
    data-key=${key}
    aria-label=${label}
    ${treeItem({ choose: () => actions.toggle(key), open })}
  >
    <span class="job" data-state=${job.state} title=${label} ${place}
      >${icon('chevron')}${mark(job.state)}<span class="name">${job.name}</span
      ><span class="track"><span class="bar"></span><span class="time">${bar.label}</span></span></span
    >
    ${detail(
      open,
      open || output
        ? outputPanel(job, output, {
            openInEditor: () => actions.openInEditor(job.name),
            follow: actions.follow,
            search: actions.search,
          })
        : '',
    )}
  </vscode-tree-item>`;
}
