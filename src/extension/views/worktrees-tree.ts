import * as vscode from 'vscode';
import { waiting, worktreeNodes } from '../fleet/rows.ts';
import type { WindowModel, WindowView } from '../model.ts';
import { isOn, onSettings } from '../settings.ts';
import type { TreeNode } from './node.ts';
import { NodeTree } from './node-tree.ts';

const ID = 'discern.worktrees';

/** The Worktrees view: the fleet, with a badge on its icon that counts who waits for a person. */
export class WorktreesView implements vscode.Disposable {
  readonly #tree: NodeTree;
  readonly #view: vscode.TreeView<TreeNode>;
  readonly #subscriptions: vscode.Disposable;

  constructor(model: WindowModel) {
    this.#tree = new NodeTree(model, (view) => worktreeNodes(view, isOn('showTrunk')));
    this.#view = vscode.window.createTreeView(ID, { treeDataProvider: this.#tree, showCollapseAll: true });
    this.#subscriptions = vscode.Disposable.from(
      model.onDidChange((view) => this.#count(view)),
      onSettings(['showTrunk'], () => this.#tree.look(model.view)),
    );
    this.#count(model.view);
  }

  /** Shows a checkout's line and puts the keyboard there; false where it has none. */
  async reveal(root: string): Promise<boolean> {
    const node = this.#tree.find(({ id, path }) => path === root && id.startsWith('worktree:'));
    if (node === undefined) return false;
    await this.#view.reveal(node, { select: true, focus: true, expand: true });
    return true;
  }

  #count(view: WindowView): void {
    const value = waiting(view, isOn('showTrunk'));
    if (value === (this.#view.badge?.value ?? 0)) return;
    const tooltip = `${value} ${value === 1 ? 'worktree needs' : 'worktrees need'} you`;
    // A badge that has been shown goes away by the value 0, not by being taken away.
    this.#view.badge = { value, tooltip };
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#view.dispose();
    this.#tree.dispose();
  }
}
