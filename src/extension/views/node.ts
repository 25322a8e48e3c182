import type * as vscode from 'vscode';
import type { KeptRef } from '../../contract/data.ts';

/** An icon of VS Code's own, by name, and its colour by the theme's name of it. */
export interface Icon {
  readonly id: string;
  readonly color?: { readonly id: string } | undefined;
}

/** A session of an agent, for commands run on its line. */
export interface SessionTarget {
  client: string;
  id: string;
  title?: string;
}

/** One line of a tree. */
export interface TreeNode {
  id: string;
  label: string;
  description?: string;
  tooltip?: string;
  icon?: Icon;
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
  session?: SessionTarget;
}
