import * as vscode from 'vscode';
import type { App } from '../app.ts';
import { words } from '../log.ts';
import { shortName } from '../wording.ts';
import { type CommandTarget, targetPath } from './lifecycle.ts';
import { pickFolder } from './project.ts';

/**
 * `Discern: Write .mcp.json…`: shows what would be put into the project's `.mcp.json`, for agent hosts that read that file, asks, and
 * writes it. Every other byte of the file stays.
 */
export const writeMcpJson = (app: App, target: CommandTarget): Promise<void> =>
  inProject(app, target, async (path, edit) => {
    const [file = '', ...text] = await edit('print');
    const choice = await vscode.window.showInformationMessage(
      `Write the Discern server into the .mcp.json of ${shortName(path)}?`,
      {
        modal: true,
        detail: `${file}\n${text.join('\n')}\n\nAgent hosts that read .mcp.json then start it; it joins this window while the window is open. The rest of the file stays as it is.`,
      },
      'Write',
    );
    return choice === 'Write' ? edit('write') : undefined;
  });

/** `Discern: Remove from .mcp.json`: takes out what {@link writeMcpJson} wrote, and nothing else. */
export const removeMcpJson = (app: App, target: CommandTarget): Promise<void> =>
  inProject(app, target, (_path, edit) => edit('remove'));

type Edit = (action: 'print' | 'write' | 'remove') => Promise<string[]>;

async function inProject(
  app: App,
  target: CommandTarget,
  act: (path: string, edit: Edit) => Promise<string[] | undefined>,
): Promise<void> {
  const path = targetPath(target) ?? (await pickFolder());
  if (path === undefined) return;
  try {
    const client = await app.server.client();
    const said = await act(path, (action) => client.mcpJson(action, path));
    if (said === undefined) return;
    for (const line of said) app.log.info(`.mcp.json: ${line}`);
    // Nobody is waited for: the message stays until it is read.
    void vscode.window.showInformationMessage(said.join(' '));
  } catch (error) {
    await vscode.window.showWarningMessage(`Discern: ${words(error)}`);
  }
}
