import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-progress-bar/index.js';
import { gateVerbs } from '../contract/gate-verbs.ts';
import type { FromGateView, GateRunView, GateViewState } from '../contract/gate-view.ts';
import type { GateVerb } from '../contract/traits.ts';
import { h, setAttribute, setOptionalText, setText } from './dom.ts';
import { icon, setIcon } from './icons.ts';
import { headlineOf, offerOf, proofLine, timeText, verbTitle } from './model/headline.ts';

type Post = (message: FromGateView) => void;

/** A button that asks the extension for a verb. */
export function verbButton(verb: GateVerb, post: Post): HTMLElement {
  const button = h('vscode-button', {}, verbTitle(verb));
  button.addEventListener('click', () => post({ type: 'run', verb }));
  return button;
}

/** An icon and a text, such as the branch a run is on. */
class Fact {
  readonly element: HTMLElement;
  readonly #text = h('span', { class: 'text' });
  readonly #read = h('span', { class: 'unseen' });

  constructor(name: 'root' | 'branch' | 'commit' | 'asked') {
    this.element = h('li', {}, icon(name), this.#text, this.#read);
  }

  /** `title` is what the text stands for in full, for a pointer; `read` comes after it, for a screen reader. */
  update(text: string | undefined, title = text, read = ''): void {
    setOptionalText(this.element, text, this.#text);
    setAttribute(this.element, 'title', title);
    setText(this.#read, read);
  }
}

/** The head of a run: what was asked, how it stands, where it runs, its proof, and what can be done about it. */
export class Header {
  readonly element: HTMLElement;
  readonly #mark = h('span', { class: 'mark' });
  readonly #verb = h('span', { class: 'verb' });
  readonly #word = h('span', { class: 'word' });
  readonly #time = h('span', { class: 'time' });
  readonly #progress = h('vscode-progress-bar', { 'aria-label': 'The gate is running', indeterminate: '' });
  readonly #asked = new Fact('asked');
  readonly #root = new Fact('root');
  readonly #branch = new Fact('branch');
  readonly #commit = new Fact('commit');
  readonly #message = h('p', { class: 'message' });
  readonly #slug = h('code', { class: 'slug' });
  readonly #proofMark = h('span', { class: 'mark' });
  readonly #proofText = h('span');
  readonly #proof = h('p', { class: 'proof' }, this.#proofMark, this.#proofText);
  readonly #cancelWord = h('span', {}, 'Cancel');
  readonly #cancel = h('vscode-button', { secondary: '' }, this.#cancelWord);
  readonly #again = h('div', { class: 'buttons', role: 'group' });
  readonly #note = h('p', { class: 'muted' });
  /** The call whose cancelling was asked for. */
  #cancelled: number | undefined;
  #call = 0;

  constructor(post: Post) {
    const stop = icon('stop');
    stop.setAttribute('slot', 'content-before');
    this.#cancel.append(stop);
    this.#cancel.addEventListener('click', () => {
      this.#cancelled = this.#call;
      this.#showCancel();
      post({ type: 'cancel' });
    });
    for (const verb of gateVerbs) {
      const button = verbButton(verb, post);
      button.setAttribute('secondary', '');
      this.#again.append(button);
    }
    const title = h(
      'h2',
      { class: 'title' },
      this.#mark,
      h('span', {}, this.#verb, ' ', this.#word, ' ', this.#time),
    );
    const where = h(
      'ul',
      { class: 'facts' },
      this.#root.element,
      this.#branch.element,
      this.#commit.element,
      this.#asked.element,
    );
    this.element = h('header', { class: 'head' }, this.#progress, title, where);
    this.element.append(this.#message, this.#slug, this.#proof, this.#cancel, this.#note, this.#again);
  }

  update(state: GateViewState, run: GateRunView): void {
    const { verb, verdict, word, asked, place, root, branch, commit, message, slug } = headlineOf(run);
    this.#call = run.call;
    this.element.dataset.verdict = verdict;
    setIcon(this.#mark, verdict);
    setText(this.#verb, verb);
    setText(this.#word, word);
    this.#progress.hidden = verdict !== 'running';
    this.#asked.update(asked);
    this.#root.update(place, root, ` in ${root}`);
    this.#branch.update(branch);
    this.#commit.update(commit, run.commit);
    setOptionalText(this.#message, message);
    setOptionalText(this.#slug, slug);

    const proof = proofLine(run);
    this.#proof.dataset.valid = String(proof?.valid ?? false);
    if (proof) setIcon(this.#proofMark, proof.valid ? 'proved' : 'unproved');
    setOptionalText(this.#proof, proof?.text, this.#proofText);

    const offer = offerOf(state);
    this.#showCancel();
    this.#cancel.hidden = offer.kind !== 'cancel';
    this.#again.hidden = offer.kind !== 'verbs';
    if (offer.kind === 'verbs') setAttribute(this.#again, 'aria-label', `Run on ${offer.root}`);
    setOptionalText(this.#note, offer.kind === 'cancel' ? undefined : offer.text);
  }

  /** Brings the time up to date, `elapsed` milliseconds into the run. */
  paint(run: GateRunView, elapsed: number): void {
    setText(this.#time, timeText(run, elapsed));
  }

  #showCancel(): void {
    setText(this.#cancelWord, this.#cancelled === this.#call ? 'Cancelling…' : 'Cancel');
  }
}
