import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-progress-bar/index.js';
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { gateVerbs } from '../contract/gate-verbs.ts';
import type { FromGateView, GateRunView, GateViewState, OfferedVerb } from '../contract/gate-view.ts';
import { icon, mark } from './icons.ts';
import {
  headlineOf,
  type Offer,
  offerOf,
  progressText,
  proofLine,
  timeText,
  verbTitle,
} from './model/headline.ts';

export type Post = (message: FromGateView) => void;

/** A button that asks the extension for a verb. */
export const verbButton = (
  verb: OfferedVerb,
  post: Post,
  { secondary = true, block = false, describedBy = '' } = {},
): TemplateResult => html`<vscode-button
  ?secondary=${secondary}
  ?block=${block}
  aria-describedby=${describedBy || nothing}
  @click=${() => post({ type: 'run', verb })}
  >${verbTitle(verb)}</vscode-button
>`;

/** An icon and a text; `title` is what the text stands for in full, for a pointer, and `read` comes after it for a screen reader. */
const fact = (
  name: 'root' | 'branch' | 'commit' | 'asked',
  text: string | undefined,
  title = text,
  read = '',
): TemplateResult | typeof nothing =>
  text
    ? html`<li title=${title ?? nothing}>${icon(name)}<span class="text">${text}</span><span class="unseen">${read}</span></li>`
    : nothing;

/** The head of a run: what was asked, how it stands, where it runs, its proof, and what can be done about it. */
export function header(
  state: GateViewState,
  run: GateRunView,
  { elapsed, cancelling }: { elapsed: number; cancelling: boolean },
  actions: { cancel(): void; post: Post },
): TemplateResult {
  const { verb, verdict, word, asked, place, root, branch, commit, message, slug } = headlineOf(run);
  const proof = proofLine(run);
  const words = message ?? (state.roomy ? undefined : progressText(run));
  return html`<header class="head" data-verdict=${verdict}>
    <vscode-progress-bar aria-label="The gate is running" indeterminate ?hidden=${verdict !== 'running'}></vscode-progress-bar>
    <h2 class="title">${mark(verdict)}<span><span class="verb">${verb}</span> <span class="word">${word}</span> <span class="time">${timeText(run, elapsed)}</span></span></h2>
    <ul class="facts">
      ${fact('root', place, root, ` in ${root}`)}${fact('branch', branch)}${fact('commit', commit, run.commit)}${fact('asked', asked)}
    </ul>
    ${words ? html`<p class="message">${words}</p>` : nothing}
    ${slug ? html`<code class="slug">${slug}</code>` : nothing}
    ${
      proof
        ? html`<p class="proof" data-valid=${String(proof.valid)}>${mark(proof.valid ? 'proved' : 'unproved')}<span>${proof.text}</span></p>`
        : nothing
    }
    ${offered(state, offerOf(state), cancelling, actions)}
  </header>`;
}

function offered(
  state: GateViewState,
  offer: Offer,
  cancelling: boolean,
  { cancel, post }: { cancel(): void; post: Post },
): TemplateResult {
  if (offer.kind === 'cancel')
    return html`<vscode-button secondary @click=${cancel}>${cancelling ? 'Cancelling…' : 'Cancel'}${icon('stop', 'content-before')}</vscode-button>`;
  const note = offer.text ? html`<p class="muted">${offer.text}</p>` : nothing;
  if (offer.kind !== 'verbs') return html`${note}`;
  return html`${note}${nextStep(state, offer.root, post)}`;
}

/** What comes next, as the one primary button, and beside it what else there is room for. */
export function nextStep(
  { next, roomy, reviewable }: GateViewState,
  root: string,
  post: Post,
): TemplateResult {
  const others = roomy ? gateVerbs.filter((verb) => verb !== next?.verb) : next ? [] : (['done'] as const);
  const open = html`<vscode-button secondary @click=${() => post({ type: 'openEditor' })}>Open in Editor</vscode-button>`;
  const review = html`<vscode-button secondary @click=${() => post({ type: 'review' })}>Review Changes</vscode-button>`;
  return html`<div class="next" role="group" aria-label="Next, in ${root}">
      ${next ? verbButton(next.verb, post, { secondary: false, describedBy: 'next-words' }) : nothing}${
        next ? html`<span id="next-words" class="muted">${next.words}</span>` : nothing
      }
    </div>
    <div class="buttons">
      ${others.map((verb) => verbButton(verb, post))}${reviewable ? review : nothing}${roomy ? nothing : open}
    </div>`;
}
