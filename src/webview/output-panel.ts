import '@vscode-elements/elements/dist/vscode-button/index.js';
import type { GateJob } from '../contract/gate-view.ts';
import { h, setOptionalText, setText } from './dom.ts';
import { icon } from './icons.ts';
import { ending } from './model/bars.ts';
import { cutText, type Output, plainText } from './model/output.ts';

/** Nearer to the end than this, in pixels, the reader is following the output. */
const AT_END = 8;

/** What a job printed, shown below its row. */
export class OutputPanel {
  readonly element: HTMLElement;
  readonly #how = h('span');
  readonly #cut = h('p', { class: 'muted' });
  readonly #note = h('p', { class: 'muted' });
  readonly #text: HTMLElement;
  readonly #open = h('vscode-button', { secondary: '' }, 'Open in editor');
  #shown: Output | undefined;

  constructor(job: string, openInEditor: () => void) {
    this.#text = h('pre', { tabindex: '0', role: 'region', 'aria-label': `Output of ${job}` });
    const mark = icon('output');
    mark.setAttribute('slot', 'content-before');
    this.#open.append(mark);
    this.#open.addEventListener('click', openInEditor);
    this.element = h('div', { class: 'detail' });
    this.element.append(h('div', { class: 'detail-head' }, this.#how, this.#open));
    this.element.append(this.#cut, this.#note, this.#text);
  }

  update(job: GateJob, output: Output | undefined): void {
    setOptionalText(this.#how, ending(job));
    this.#open.hidden = job.output_path === undefined;
    setOptionalText(this.#cut, output && cutText(output.cut));
    setOptionalText(this.#note, noteOf(job, output));
    this.#show(output);
  }

  /** Puts in the text; who was at the end of it stays there, who had scrolled up stays where they were. */
  #show(output: Output | undefined): void {
    if (output === this.#shown) return;
    this.#shown = output;
    const pre = this.#text;
    const following = pre.hidden || pre.scrollHeight - pre.scrollTop - pre.clientHeight < AT_END;
    pre.hidden = output === undefined || output.text === '';
    setText(pre, output === undefined ? '' : plainText(output.text));
    if (following) pre.scrollTop = pre.scrollHeight;
  }
}

function noteOf({ state }: GateJob, output: Output | undefined): string | undefined {
  if (state === 'skipped') return 'It was not run.';
  if (output === undefined) return 'Loading the output…';
  if (output.text !== '') return undefined;
  return state === 'running' ? 'It has printed nothing yet.' : 'It printed nothing.';
}
