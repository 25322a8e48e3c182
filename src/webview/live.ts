import { h } from './dom.ts';

/** How many announcements stay in the page; a screen reader has read the older ones. */
const KEPT = 8;

/** The region screen readers watch: what is added to it is read when the reader has nothing else to say. */
export class LiveRegion {
  readonly element = h('div', {
    class: 'unseen',
    role: 'log',
    'aria-live': 'polite',
    'aria-label': 'Progress of the gate',
  });

  say(sentences: readonly string[]): void {
    for (const sentence of sentences) this.element.append(h('p', {}, sentence));
    while (this.element.childElementCount > KEPT) this.element.firstElementChild?.remove();
  }
}
