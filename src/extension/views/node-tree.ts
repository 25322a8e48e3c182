import * as vscode from 'vscode';
import type { KeptRef } from '../../contract/data.ts';
import type { WindowModel, WindowView } from '../model.ts';

/** One line of a tree. */
export interface TreeNode {
  id: string;
  label: string;
  description?: string;
  tooltip?: string;
  icon?: vscode.ThemeIcon;
  context?: string;
  spoken?: string;
  command?: vscode.Command;
  /** Present on a line that can be opened, even if there is nothing below it now. */
  children?: TreeNode[];
  /** True of a line whose children are hidden until somebody opens it. */
  collapsed?: boolean;
  /** What a removal kept, for commands run on it. */
  kept?: KeptRef;
  /** The directory it is about, for commands run on it. */
  path?: string;
}

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

  /** Draws again what depends on something else than the model. */
  look(view: WindowView): void {
    this.#look(view);
  }

  /** `nodesOf` gives the top lines for what is known; it is asked again after each change of the model. */
  constructor(model: WindowModel, nodesOf: (view: WindowView) => TreeNode[]) {
    this.#nodesOf = nodesOf;
    this.#nodes = nodesOf(model.view);
    this.#subscription = model.onDidChange((view) => this.#look(view));
  }

  #look(view: WindowView): void {
    const before = this.#nodes;
    const now = this.#nodesOf(view);
    const sameLines = now.length === before.length && now.every(({ id }, at) => id === before[at]?.id);
    if (!sameLines) {
      this.#nodes = now;
      this.#changed.fire(undefined);
      return;
    }
    const changed = before.filter((node, at) => JSON.stringify(node) !== JSON.stringify(now[at]));
    if (changed.length === 0) return;
    // VS Code knows a line by its object, so the old one takes what is new.
    for (const node of changed) become(node, now[before.indexOf(node)] as TreeNode);
    this.#changed.fire(changed);
  }

  getChildren(node?: TreeNode): TreeNode[] {
    return node ? (node.children ?? []) : this.#nodes;
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    return treeItem(node);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

function become(node: TreeNode, other: TreeNode): void {
  for (const key of Object.keys(node)) delete node[key as keyof TreeNode];
  Object.assign(node, other);
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
  item.id = node.id;
  if (node.description !== undefined) item.description = node.description;
  if (node.tooltip !== undefined) item.tooltip = node.tooltip;
  if (node.icon !== undefined) item.iconPath = node.icon;
  if (node.context !== undefined) item.contextValue = node.context;
  if (node.command !== undefined) item.command = node.command;
  item.accessibilityInformation = {
    label: node.spoken ?? [node.label, node.description].filter(Boolean).join(', '),
  };
  return item;
}
