import { gateVerbs, gateVerbWords } from '../contract/gate-verbs.ts';
import type { FromGateView, GateViewState } from '../contract/gate-view.ts';
import { h, setOptionalText, setText } from './dom.ts';
import { verbButton } from './header.ts';
import { offerOf } from './model/headline.ts';
import { lastPart } from './model/paths.ts';

/** What the view shows before anything has run: the held root and what can be run on it, or why nothing can. */
export class Welcome {
  readonly element: HTMLElement;
  readonly #reason = h('p');
  readonly #root = h('strong');
  readonly #choices: HTMLElement;

  constructor(post: (message: FromGateView) => void) {
    const intro = h(
      'p',
      {},
      'Nothing has run yet in this window. What will run is the gate of ',
      this.#root,
      '.',
    );
    this.#choices = h('div', { class: 'choices' }, intro);
    // Done first: it is what counts, and the view is often too low to show more.
    for (const verb of ['done', ...gateVerbs.filter((one) => one !== 'done')] as const) {
      const button = verbButton(verb, post);
      button.setAttribute('block', '');
      if (verb !== 'done') button.setAttribute('secondary', '');
      const id = `does-${verb}`;
      button.setAttribute('aria-describedby', id);
      this.#choices.append(
        h('div', { class: 'choice' }, button, h('p', { id, class: 'muted' }, gateVerbWords[verb])),
      );
    }
    this.element = h('div', { class: 'welcome' }, this.#reason, this.#choices);
  }

  update(state: GateViewState): void {
    const offer = offerOf(state);
    this.#choices.hidden = offer.kind !== 'verbs';
    setOptionalText(
      this.#reason,
      offer.kind === 'blocked' || offer.kind === 'nothing_held' ? offer.text : '',
    );
    if (offer.kind !== 'verbs') return;
    setText(this.#root, lastPart(offer.root));
    this.#root.title = offer.root;
  }
}
