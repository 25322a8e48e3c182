import '@vscode-elements/elements/dist/vscode-button/index.js';
import { ref } from 'lit/directives/ref.js';
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { GateJob } from '../contract/gate-view.ts';
import { icon } from './icons.ts';
import type { Link } from './model/ansi.ts';
import { ending } from './model/bars.ts';
import { cutText, type Output } from './model/output.ts';
import { printed } from './printed.ts';
import type { Search } from './search.ts';

/** What a job printed, shown below its row. */
export function outputPanel(
  job: GateJob,
  output: Output | undefined,
  actions: { openInEditor(): void; follow(link: Link): void; search: Search | undefined },
): TemplateResult {
  const { search, follow } = actions;
  let element: HTMLElement | undefined;
  const cut = output && cutText(output.cut);
  const note = noteOf(job, output);
  const button = html`<vscode-button secondary @click=${actions.openInEditor}
    >Open in editor${icon('output', 'content-before')}</vscode-button
  >`;
  return html`<div class="detail-head">
      <span>${job.reused ?? ending(job)}</span>${search?.field(job.name, () => element) ?? nothing}${job.output_path === undefined ? nothing : button}
    </div>
    ${cut ? html`<p class="muted">${cut}</p>` : nothing}${note ? html`<p class="muted">${note}</p>` : nothing}
    <pre
      tabindex="0"
      role="region"
      aria-label="Output of ${job.name}"
      ${ref((found) => {
        element = found as HTMLElement | undefined;
      })}
      ${printed(output?.text, follow, (drawn) => search?.drawn(job.name, drawn))}
    ></pre>`;
}

function noteOf({ state }: GateJob, output: Output | undefined): string | undefined {
  if (state === 'skipped') return 'It was not run.';
  if (output === undefined) return 'Loading the output…';
  if (output.text !== '') return undefined;
  return state === 'running' ? 'It has printed nothing yet.' : 'It printed nothing.';
}
