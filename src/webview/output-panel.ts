import '@vscode-elements/elements/dist/vscode-button/index.js';
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { GateJob } from '../contract/gate-view.ts';
import { following } from './directives.ts';
import { icon } from './icons.ts';
import { ending } from './model/bars.ts';
import { cutText, type Output, plainText } from './model/output.ts';

/** What a job printed, shown below its row. */
export function outputPanel(
  job: GateJob,
  output: Output | undefined,
  openInEditor: () => void,
): TemplateResult {
  const cut = output && cutText(output.cut);
  const note = noteOf(job, output);
  const button = html`<vscode-button secondary @click=${openInEditor}
    >Open in editor${icon('output', 'content-before')}</vscode-button
  >`;
  return html`<div class="detail-head">
      <span>${ending(job)}</span>${job.output_path === undefined ? nothing : button}
    </div>
    ${cut ? html`<p class="muted">${cut}</p>` : nothing}${note ? html`<p class="muted">${note}</p>` : nothing}
    <pre
      tabindex="0"
      role="region"
      aria-label="Output of ${job.name}"
      ${following(output && plainText(output.text))}
    ></pre>`;
}

function noteOf({ state }: GateJob, output: Output | undefined): string | undefined {
  if (state === 'skipped') return 'It was not run.';
  if (output === undefined) return 'Loading the output…';
  if (output.text !== '') return undefined;
  return state === 'running' ? 'It has printed nothing yet.' : 'It printed nothing.';
}
