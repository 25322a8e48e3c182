import { join } from 'node:path';
import * as vscode from 'vscode';

/** The label agents and `MCP: List Servers` show; the tools are named after it. */
export const serverLabel = 'Discern';

/**
 * Registers the MCP server of this window. What VS Code starts is `attach.js`, a few lines that join its stdin and stdout to
 * the window socket; so VS Code may stop and start it as it likes, and held roots and running gates live on.
 *
 * The definition never changes while the window lives: firing the change event with an unchanged version has been seen to
 * stop a running server for good.
 */
export function registerDefinition(
  dist: string,
  socket: string,
  version: string,
  byPlugin: boolean,
): vscode.Disposable {
  return vscode.lm.registerMcpServerDefinitionProvider('discern.server', {
    provideMcpServerDefinitions: () =>
      byPlugin
        ? []
        : [
            new vscode.McpStdioServerDefinition(
              serverLabel,
              process.execPath,
              [join(dist, 'attach.js'), socket],
              { ELECTRON_RUN_AS_NODE: '1' },
              version,
            ),
          ],
  });
}

/**
 * Whether the bundled plugin brings the server. Decided once a window: the plugin's own `when` reads the context key that is set here,
 * so that a setting which changes meanwhile never lets both bring it, or neither.
 */
export async function decideByPlugin(): Promise<boolean> {
  const byPlugin = vscode.workspace.getConfiguration('discern').get('serverFrom') === 'plugin';
  await vscode.commands.executeCommand('setContext', 'discern.serverByPlugin', byPlugin);
  return byPlugin;
}
