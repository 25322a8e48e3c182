import { html, type TemplateResult } from 'lit/html.js';
import { gateVerbs, gateVerbWords } from '../contract/gate-verbs.ts';
import type { GateViewState } from '../contract/gate-view.ts';
import type { GateVerb } from '../contract/traits.ts';
import { type Post, verbButton } from './header.ts';
import { offerOf } from './model/headline.ts';
import { lastPart } from './model/paths.ts';

/** Done first: it is what counts, and the view is often too low to show more. */
const order: readonly GateVerb[] = ['done', ...gateVerbs.filter((one) => one !== 'done')];

/** What the view shows before anything has run: the held root and what can be run on it, or why nothing can. */
export function welcome(state: GateViewState, post: Post): TemplateResult {
  const offer = offerOf(state);
  if (offer.kind === 'blocked' || offer.kind === 'nothing_held')
    return html`<div class="welcome"><p>${offer.text}</p></div>`;
  if (offer.kind !== 'verbs') return html`<div class="welcome"></div>`;
  return html`<div class="welcome">
    <div class="choices">
      <p>Nothing has run yet in this window. What will run is the gate of <strong title=${offer.root}>${lastPart(offer.root)}</strong>.</p>
      ${order.map((verb) => choice(verb, post))}
    </div>
  </div>`;
}

function choice(verb: GateVerb, post: Post): TemplateResult {
  const id = `does-${verb}`;
  const button = verbButton(verb, post, { secondary: verb !== 'done', block: true, describedBy: id });
  return html`<div class="choice">${button}<p id=${id} class="muted">${gateVerbWords[verb]}</p></div>`;
}
