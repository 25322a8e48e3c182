import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { GateViewState } from '../contract/gate-view.ts';
import { nextStep, type Post } from './header.ts';
import { mark } from './icons.ts';
import { offerOf, proofWords } from './model/headline.ts';
import { lastPart } from './model/paths.ts';

/** What the view shows before anything has run: the held root, its proof and what comes next, or why nothing can be run. */
export function welcome(state: GateViewState, post: Post): TemplateResult {
  const offer = offerOf(state);
  if (offer.kind === 'blocked' || offer.kind === 'nothing_held')
    return html`<div class="welcome"><p>${offer.text}</p></div>`;
  if (offer.kind !== 'verbs') return html`<div class="welcome"></div>`;
  const proof = state.proof && proofWords(state.proof);
  return html`<div class="welcome">
    <p>Nothing has run yet in this window. What will run is the gate of <strong title=${offer.root}>${lastPart(offer.root)}</strong>.</p>
    ${
      proof
        ? html`<p class="proof" data-valid=${String(proof.valid)}>${mark(proof.valid ? 'proved' : 'unproved')}<span>${proof.text}</span></p>`
        : nothing
    }
    ${nextStep(state, offer.root, post)}
  </div>`;
}
