import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { count } from '../../contract/count.ts';
import type { App } from '../app.ts';
import { clientConfigs, type HttpServer } from '../http-server.ts';
import { words } from '../log.ts';

const STOP = 'Stop Serving';

type Form = keyof typeof clientConfigs;

/**
 * `Discern: Serve This Window’s Projects…`: serves the projects of this window's folders over HTTP on this machine, with a fresh
 * secret, until the window closes, and copies a client's configuration. While they are served it offers to stop.
 */
export async function serveProjects({ context, log }: App, server: HttpServer): Promise<void> {
  try {
    const roots = (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ uri }) => uri.fsPath);
    if (roots.length === 0) throw new Error('Open the project’s folder first.');
    if (!vscode.workspace.isTrusted) {
      throw new Error('Trust this workspace first: whoever calls the server runs the project’s commands.');
    }
    const running = server.served !== undefined;
    const { url, secret } = await server.start({
      dist: join(context.extensionPath, 'dist'),
      roots,
      cwd: tmpdir(),
      env: process.env,
      log: (line) => log.info(`HTTP server: ${line}`),
      onEnded: () => void vscode.window.showWarningMessage('Discern’s HTTP server ended.'),
    });
    const forms = Object.keys(clientConfigs) as Form[];
    const picked = await vscode.window.showQuickPick([...forms, ...(running ? [STOP] : [])], {
      title: `Serving ${count(roots.length, 'folder')} at ${url}`,
      placeHolder: 'Copy a client’s configuration, with the secret in it',
    });
    if (picked === STOP) return await server.stop();
    if (picked !== undefined) {
      await vscode.env.clipboard.writeText(clientConfigs[picked as Form]({ url, secret }));
    }
    const copied =
      picked === undefined ? '' : ' The configuration is on the clipboard, with the secret in it.';
    // Nobody is waited for: the message stays until it is read.
    void vscode.window
      .showInformationMessage(`Served at ${url} until this window closes.${copied}`, STOP)
      .then((choice) => (choice === STOP ? server.stop() : undefined));
  } catch (error) {
    await vscode.window.showWarningMessage(`Discern: ${words(error)}`);
  }
}
