import '@vscode-elements/elements/dist/vscode-tree/index.js';
import '@vscode-elements/elements/dist/vscode-tree-item/index.js';
import { VscodeTreeItem } from '@vscode-elements/elements/dist/vscode-tree-item/index.js';
import { Directive, directive, type ElementPart } from 'lit/directive.js';
import { html, noChange, type TemplateResult } from 'lit/html.js';

interface Behaviour {
  /** What a click, Enter or Space does. */
  choose(): void;
  /** Whether the detail below it is shown; absent of an item without one. */
  open?: boolean;
}

const behaviours = new WeakMap<Element, Behaviour>();

/** A tree of VS Code's kind: one tab stop, and arrow keys between its items. */
export const tree = (label: string, items: unknown): TemplateResult =>
  html`<vscode-tree aria-label=${label} hide-arrows indent="0" indent-guides="none" @vsc-tree-select=${chooseSelected}>${items}</vscode-tree>`;

function chooseSelected({ currentTarget }: Event): void {
  if (!(currentTarget instanceof Element)) return;
  const item = [...currentTarget.querySelectorAll('vscode-tree-item')].find(({ selected }) => selected);
  if (item) behaviours.get(item)?.choose();
}

/**
 * What an item of a tree does. The component opens and closes only items that have items of their own, so what it does for
 * those is done here for one with a detail: arrow keys and `aria-expanded`.
 */
class TreeItem extends Directive {
  #made = false;

  render(_behaviour: Behaviour): typeof noChange {
    return noChange;
  }

  override update({ element }: ElementPart, [behaviour]: [Behaviour]): typeof noChange {
    behaviours.set(element, behaviour);
    if (behaviour.open === undefined || !(element instanceof VscodeTreeItem)) return noChange;
    showState(element);
    if (this.#made) return noChange;
    this.#made = true;
    element.addEventListener('keydown', (event) => arrows(element, event));
    // The component clears `aria-expanded` of a leaf when it is first drawn.
    void element.updateComplete.then(() => showState(element));
    return noChange;
  }
}
export const treeItem = directive(TreeItem);

function showState(item: VscodeTreeItem): void {
  const open = behaviours.get(item)?.open === true;
  item.ariaExpanded = String(open);
  item.classList.toggle('open', open);
}

function arrows(item: VscodeTreeItem, event: KeyboardEvent): void {
  const behaviour = behaviours.get(item);
  const wanted = event.key === 'ArrowRight' ? true : event.key === 'ArrowLeft' ? false : undefined;
  if (!behaviour || wanted === undefined || event.ctrlKey || wanted === behaviour.open) return;
  event.preventDefault();
  event.stopPropagation();
  behaviour.choose();
}

/** What is shown below an item. Its keys are its own, but for Escape, which goes back to the item. */
export const detail = (open: boolean, content: unknown): TemplateResult =>
  html`<div class="detail" slot="children" ?hidden=${!open} @keydown=${keepKeys}>${content}</div>`;

function keepKeys(event: KeyboardEvent): void {
  event.stopPropagation();
  if (event.key !== 'Escape' || !(event.currentTarget instanceof Element)) return;
  event.currentTarget.closest<HTMLElement>('vscode-tree-item')?.focus();
}

/**
 * Changes the page, and keeps its trees within reach of the keyboard: where a tree's tab stop is gone, its first item takes its
 * place, and takes the focus too if that was in the tree.
 */
export function keepingReach(page: HTMLElement, change: () => void): void {
  const focused = document.activeElement?.closest('vscode-tree');
  change();
  for (const one of page.querySelectorAll('vscode-tree')) {
    const items = [...one.querySelectorAll('vscode-tree-item')];
    const [first] = items;
    if (first === undefined) continue;
    if (!items.some((item) => item.active)) first.active = true;
    if (one === focused && !one.contains(document.activeElement))
      void first.updateComplete.then(() => first.focus());
  }
}
