import { h, KeyedList, setText, type View } from './dom.ts';

export interface Note {
  key: string;
  name?: string;
  text: string;
}

class NoteLine implements View<Note> {
  readonly #name = h('span', { class: 'name' });
  readonly #text = h('span');
  readonly element = h('li', {}, this.#name, ' ', this.#text);

  update({ name, text }: Note): void {
    this.#name.hidden = name === undefined;
    setText(this.#name, name ?? '');
    this.#text.className = name === undefined ? '' : 'muted';
    setText(this.#text, text);
  }
}

/** A plain list of texts, some with a name before them. */
export class Notes {
  readonly element = h('ul', { class: 'notes' });
  readonly #lines = new KeyedList<Note>(this.element, () => new NoteLine());

  update(notes: readonly Note[]): void {
    this.#lines.update(notes);
  }
}
