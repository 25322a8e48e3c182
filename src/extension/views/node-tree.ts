import * as vscode from 'vscode';
import type { WindowModel, WindowView } from '../model.ts';
import { mergeNodes } from './merge-nodes.ts';
import type { TreeNode } from './node.ts';

/**
 * A tree over what the window knows. It tells VS Code only of lines that changed: VS Code gathers a tree's changes for 200 ms
 * after the first one, so a change that shows nothing new would delay the next one that does, and for a whole tree it asks twice
 * before it draws.
 */
export class NodeTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #nodesOf: (view: WindowView) => TreeNode[];
  readonly #changed = new vscode.EventEmitter<TreeNode[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  #nodes: TreeNode[];

  /** `nodesOf` gives the top lines for what is known; it is asked again after each change of the model. */
  constructor(model: WindowModel, nodesOf: (view: WindowView) => TreeNode[]) {
    this.#nodesOf = nodesOf;
    this.#nodes = nodesOf(model.view);
    this.#subscription = model.onDidChange((view) => this.look(view));
  }

  /** Draws what is other than before. Called by itself when the model changes; by others when something else has that it depends on. */
  look(view: WindowView): void {
    const { nodes, sameLines, changed } = mergeNodes(this.#nodes, this.#nodesOf(view));
    this.#nodes = nodes;
    if (!sameLines) this.#changed.fire(undefined);
    else if (changed.length > 0) this.#changed.fire(changed);
  }

  /** The first line that satisfies `condition`, from the top. */
  find(condition: (node: TreeNode) => boolean): TreeNode | undefined {
    const among = (nodes: readonly TreeNode[]): TreeNode | undefined => {
      for (const node of nodes) {
        const found = condition(node) ? node : among(node.children ?? []);
        if (found) return found;
      }
      return undefined;
    };
    return among(this.#nodes);
  }

  getChildren(node?: TreeNode): TreeNode[] {
    return node ? (node.children ?? []) : this.#nodes;
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.find(({ children }) => children?.includes(node) === true);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    return treeItem(node);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

/** Gives VS Code the tree of the view `id`; what it returns ends both. */
export function registerTree(id: string, tree: NodeTree): vscode.Disposable[] {
  return [vscode.window.registerTreeDataProvider(id, tree), tree];
}

/** A node as VS Code draws it. */
function treeItem(node: TreeNode): vscode.TreeItem {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const open = node.collapsed ? Collapsed : Expanded;
  const item = new vscode.TreeItem(node.label, node.children ? open : None);
  const { icon } = node;
  item.id = node.id;
  if (node.description !== undefined) item.description = node.description;
  if (node.tooltip !== undefined) item.tooltip = node.tooltip;
  if (icon !== undefined)
    item.iconPath = new vscode.ThemeIcon(icon.id, icon.color && new vscode.ThemeColor(icon.color.id));
  if (node.context !== undefined) item.contextValue = node.context;
  if (node.command !== undefined) item.command = node.command;
  item.accessibilityInformation = {
    label: node.spoken ?? [node.label, node.description].filter(Boolean).join(', '),
  };
  return item;
}
