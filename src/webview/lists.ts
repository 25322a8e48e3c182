import { repeat } from 'lit/directives/repeat.js';
import { html, nothing, svg, type TemplateResult } from 'lit/html.js';
import { icon, mark } from './icons.ts';
import type { DriftRow, Drifts } from './model/drift.ts';
import type { Finding, Findings } from './model/findings.ts';
import type { PastRow } from './model/history.ts';
import { type Chart, chartHeight, chartWidth, type StandardRow } from './model/standards.ts';
import { count } from './model/time.ts';
import { detail, tree, treeItem } from './tree.ts';

/** What says how many of a list are not shown. */
export const more = (number: number, noun: string): TemplateResult | typeof nothing =>
  number > 0 ? html`<p class="muted more">and ${count(number, `more ${noun}`)}</p>` : nothing;

/** What the jobs found, each a link to its place. */
export const findingsList = (
  findings: Findings,
  choose: (finding: Finding) => void,
): TemplateResult => html`<div class="findings">
  ${tree(
    'Findings',
    repeat(
      findings.listed,
      ({ key }) => key,
      (one) => findingRow(one, () => choose(one)),
    ),
  )}${more(findings.more, 'finding')}
</div>`;

function findingRow(
  { severity, place, leadsTo, message, rule, label }: Finding,
  choose: () => void,
): TemplateResult {
  const line = { leads: leadsTo?.kind ?? 'nowhere', title: `${place}\n${message}` };
  return html`<vscode-tree-item aria-label=${label} ${treeItem({ choose })}>
    <span class="finding" data-severity=${severity} data-leads=${line.leads} title=${line.title}
      >${mark(severity)}<span class="place">${place}</span
      ><span class="text"
        ><span class="what">${message}</span>${rule ? html` <span class="muted">[${rule}]</span>` : nothing}</span
      ></span
    >
  </vscode-tree-item>`;
}

/** The files that drifted, each with its diff on demand. */
export const driftList = (
  drifts: Drifts,
  open: ReadonlySet<string>,
  toggle: (key: string) => void,
): TemplateResult => html`<div>
  ${tree(
    'Files that jobs changed',
    repeat(
      drifts.listed,
      ({ key }) => key,
      (row) => driftRow(row, open.has(row.key), () => toggle(row.key)),
    ),
  )}${more(drifts.more, 'file')}
</div>`;

function driftRow(
  { file, name, folder, stage, lines, cut, label }: DriftRow,
  open: boolean,
  choose: () => void,
): TemplateResult {
  const diff = open
    ? html`<pre class="diff" tabindex="0" role="region" aria-label="Changes of ${file}">${lines.map(
        ({ kind, text }) => html`<span class=${kind}>${text}${'\n'}</span>`,
      )}</pre>${cut > 0 ? html`<p class="muted">and ${count(cut, 'more line')}</p>` : nothing}`
    : nothing;
  return html`<vscode-tree-item aria-label=${label} ${treeItem({ choose, open })}>
    <span class="drift" title=${label}
      >${icon('chevron')}<span class="name">${name}</span
      >${folder ? html`<span class="muted">${folder}</span>` : nothing}<span class="muted stage-name"
        >in ${stage}</span
      ></span
    >
    ${detail(open, diff)}
  </vscode-tree-item>`;
}

/** The standards of a run, each with its history. */
export const standardsList = (rows: readonly StandardRow[]): TemplateResult =>
  html`<ul class="standards" aria-label="Standards">${repeat(rows, ({ key }) => key, standardRow)}</ul>`;

const standardRow = ({ name, state, mark: outcome, value, bound, label, chart }: StandardRow) => html`<li
  class="standard"
  data-state=${state}
  aria-label=${label}
  title=${label}
>
  <span class="mark" aria-hidden="true">${icon(outcome)}</span><span class="name">${name}</span
  ><span class="value">${value}</span>${chart ? chartOf(chart) : nothing}<span class="muted bound"
    >${bound}</span
  >
</li>`;

/** A small line of what was measured, with its limit as a level. What it says stands in the row's label too. */
function chartOf({ points, last, limit }: Chart): TemplateResult {
  const level = svg`<line class="limit" x1="0" x2=${chartWidth} y1=${limit ?? 0} y2=${limit ?? 0}></line>`;
  return html`<svg class="chart" viewBox="0 0 ${chartWidth} ${chartHeight}" aria-hidden="true">
    ${limit === undefined ? nothing : level}<polyline class="values" points=${points}></polyline>
    <circle class="last" r="2" cx=${last.x} cy=${last.y}></circle>
  </svg>`;
}

export interface Note {
  key: string;
  name?: string;
  text: string;
}

/** A plain list of texts, some with a name before them. */
export const notes = (list: readonly Note[]): TemplateResult =>
  html`<ul class="notes">${repeat(list, ({ key }) => key, noteLine)}</ul>`;

const noteLine = ({ name, text }: Note) =>
  name === undefined
    ? html`<li>${text}</li>`
    : html`<li><span class="name">${name}</span> <span class="muted">${text}</span></li>`;

/** The runs this window has seen, each to be looked at again. */
export const pastList = (
  rows: readonly PastRow[],
  shown: number,
  choose: (call: number) => void,
): TemplateResult =>
  html`${tree(
    'Runs in this window',
    repeat(
      rows,
      ({ key }) => key,
      ({ call, ok, what, jobs, time, label }) => html`<vscode-tree-item
      aria-label=${label}
      ${treeItem({ choose: () => choose(call) })}
      ><span class="past" data-shown=${String(call === shown)} title=${label}
        >${mark(ok ? 'passed' : 'failed')}<span class="what">${what}</span><span class="muted">${jobs}</span
        ><span class="time">${time}</span></span
      ></vscode-tree-item
    >`,
    ),
  )}`;
