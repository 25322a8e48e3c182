import * as vscode from 'vscode';
import type { WindowModel, WindowView } from './model.ts';

/** What menus and welcome texts depend on (`when` clauses). */
function keys({ held, status, divergence, server, run, trusted }: WindowView): Record<string, unknown> {
  const own = status?.worktrees.find((tree) => tree.root === held?.root);
  return {
    'discern.hasRoot': held?.root != null,
    'discern.inWorktree': own?.location === 'worktree',
    'discern.divergence': divergence.state,
    'discern.server': server,
    'discern.running': run?.running === true,
    'discern.trusted': trusted,
    // As the Source Control view names repositories.
    'discern.heldUris': own ? [vscode.Uri.file(own.path).toString()] : [],
  };
}

/** Keeps VS Code's context keys as the model is. */
export function registerContextKeys(
  model: WindowModel,
  onError: (error: unknown) => void,
): vscode.Disposable {
  const known = new Map<string, string>();
  const set = (view: WindowView) => {
    for (const [key, value] of Object.entries(keys(view))) {
      const text = JSON.stringify(value);
      if (known.get(key) === text) continue;
      known.set(key, text);
      vscode.commands.executeCommand('setContext', key, value).then(undefined, onError);
    }
  };
  set(model.view);
  return model.onDidChange(set);
}
