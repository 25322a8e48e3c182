import '@vscode-elements/elements/dist/vscode-tree/index.js';
import '@vscode-elements/elements/dist/vscode-tree-item/index.js';
import type { VscodeTree } from '@vscode-elements/elements/dist/vscode-tree/index.js';
import type { VscodeTreeItem } from '@vscode-elements/elements/dist/vscode-tree-item/index.js';
import { h } from './dom.ts';

const chosen = new WeakMap<Element, () => void>();

/** A tree of VS Code's kind: one tab stop, and arrow keys between its items. */
export function makeTree(label: string): VscodeTree {
  const tree = h('vscode-tree', {
    'aria-label': label,
    'hide-arrows': '',
    indent: '0',
    'indent-guides': 'none',
  });
  tree.addEventListener('vsc-tree-select', () => {
    const item = [...tree.querySelectorAll('vscode-tree-item')].find(({ selected }) => selected);
    if (item) chosen.get(item)?.();
  });
  return tree;
}

/** An item that does something when it is clicked, or when Enter or Space is pressed on it. */
export function makeItem(choose?: () => void): VscodeTreeItem {
  const item = h('vscode-tree-item');
  if (choose) chosen.set(item, choose);
  return item;
}

/**
 * Changes the items of a tree, and keeps it within reach of the keyboard: when its tab stop is gone, the first item takes
 * its place, and takes the focus too if that was in the tree.
 */
export function changeItems(tree: VscodeTree, change: () => void): void {
  const focused = tree.contains(document.activeElement);
  change();
  const items = [...tree.querySelectorAll('vscode-tree-item')];
  const [first] = items;
  if (first === undefined) return;
  if (!items.some((item) => item.active)) first.active = true;
  if (focused && !tree.contains(document.activeElement)) void first.updateComplete.then(() => first.focus());
}

/**
 * Gives a leaf of a tree a detail that is shown below it. The component opens and closes only items that have items of
 * their own, so what it does for those is done here: arrow keys, `aria-expanded`, and keys in the detail left alone.
 */
export class Disclosure {
  readonly #item: VscodeTreeItem;
  readonly #detail: HTMLElement;
  readonly #toggle: () => void;
  #open = false;

  constructor(item: VscodeTreeItem, detail: HTMLElement, toggle: () => void) {
    this.#item = item;
    this.#detail = detail;
    this.#toggle = toggle;
    detail.slot = 'children';
    detail.hidden = true;
    item.append(detail);
    item.addEventListener('keydown', (event) => this.#arrows(event));
    detail.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') item.focus();
    });
    // The component clears `aria-expanded` of a leaf when it is first drawn.
    void item.updateComplete.then(() => this.#show());
  }

  set open(open: boolean) {
    this.#open = open;
    this.#show();
  }

  #show(): void {
    this.#detail.hidden = !this.#open;
    this.#item.ariaExpanded = String(this.#open);
    this.#item.classList.toggle('open', this.#open);
  }

  #arrows(event: KeyboardEvent): void {
    const wanted = event.key === 'ArrowRight' ? true : event.key === 'ArrowLeft' ? false : undefined;
    if (wanted === undefined || event.ctrlKey || wanted === this.#open) return;
    event.preventDefault();
    event.stopPropagation();
    this.#toggle();
  }
}
