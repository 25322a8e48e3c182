import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { isInside } from '../../contract/inside.ts';
import type { App } from '../app.ts';
import type { WindowFolder } from '../folders.ts';
import { words } from '../log.ts';
import { divergence, heldName, shortName } from '../wording.ts';
import { type CommandTarget, targetPath } from './lifecycle.ts';

/** Puts a checkout beside the other folders of this window, unless it is there already. */
export function addFolder(path: string, shown: readonly WindowFolder[]): void {
  if (shown.some(({ real }) => isInside(path, real))) return;
  vscode.workspace.updateWorkspaceFolders(vscode.workspace.workspaceFolders?.length ?? 0, 0, {
    uri: vscode.Uri.file(path),
    name: shortName(path),
  });
}

/** `Discern: Open Held Root`: in a window of its own. */
export async function openHeldRoot({ model }: App, target: CommandTarget): Promise<void> {
  const path = targetPath(target) ?? model.view.held?.root;
  if (!path) return;
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(path), { forceNewWindow: true });
}

/** `Discern: Add Held Root to Workspace`. */
export function addHeldRoot({ model, addFolder }: App, target: CommandTarget): void {
  const path = targetPath(target) ?? model.view.held?.root;
  if (path) addFolder(path);
}

/** `Discern: Aim Server Here`: the person's own re-aim, which no agent has. */
export async function aimHere(app: App, target: CommandTarget): Promise<void> {
  const path = targetPath(target) ?? (await pickCheckout(app));
  if (path === undefined) return;
  try {
    const client = await app.server.client();
    app.model.setHeld(await client.aim(await realpath(path).catch(() => path)));
    app.refresh();
  } catch (error) {
    await vscode.window.showWarningMessage(`Discern cannot be aimed there: ${words(error)}`);
  }
}

async function pickCheckout({ model }: App): Promise<string | undefined> {
  const { status, held, folders } = model.view;
  const items = [
    ...(status?.worktrees ?? [])
      .filter((tree) => tree.prunable === undefined && tree.parked === undefined)
      .map((tree) => ({
        label: tree.id ?? shortName(tree.root),
        description: tree.branch ?? 'detached HEAD',
        path: tree.root,
      })),
    ...folders.map(({ name, real }) => ({ label: name, description: 'workspace folder', path: real })),
  ].filter(
    (item, index, all) =>
      item.path !== held?.root && all.findIndex((one) => one.path === item.path) === index,
  );
  const other = { label: '$(folder-opened) Another folder…', description: '', path: '' };
  const picked = await vscode.window.showQuickPick(
    [...items.map((item) => ({ ...item, detail: item.path })), other],
    { title: 'Aim Server Here', placeHolder: 'Which checkout should the server act in?' },
  );
  if (picked !== other) return picked?.path;
  const [uri] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      openLabel: 'Aim Here',
    })) ?? [];
  return uri?.fsPath;
}

/** What a click on the status bar offers: what helps now, first. */
export async function offerHelp({ model, server }: App): Promise<void> {
  const view = model.view;
  const said = divergence(view.divergence);
  const { state } = view.divergence;
  const item = (label: string, command: string, detail?: string) => ({
    label,
    command,
    ...(detail && { detail }),
  });
  const help =
    state === 'diverged'
      ? [
          item('$(folder-library) Add Held Root to Workspace', 'discern.addHeldRoot', said?.detail),
          item('$(empty-window) Open Held Root', 'discern.openHeldRoot'),
          item('$(target) Aim Server Here…', 'discern.aimHere'),
        ]
      : state === 'strand'
        ? [
            item('$(empty-window) Open Held Root', 'discern.openHeldRoot', said?.detail),
            item('$(target) Aim Server Here…', 'discern.aimHere'),
          ]
        : state === 'missing' || state === 'foreign'
          ? [item('$(target) Aim Server Here…', 'discern.aimHere', said?.detail)]
          : [];
  const picked = await vscode.window.showQuickPick(
    [
      ...(server.state === 'failed'
        ? [item('$(debug-restart) Restart Server', 'discern.restartServer')]
        : []),
      ...help,
      item('$(list-tree) Show Discern', 'discern.root.focus'),
      item('$(play) Done: run the whole gate', 'discern.done'),
      item('$(beaker) Show Gate', 'discern.showGate'),
      ...(help.length === 0 ? [item('$(target) Aim Server Here…', 'discern.aimHere')] : []),
      item('$(output) Show Log', 'discern.showLog'),
    ],
    {
      title: `Discern acts in ${heldName(view.held)}`,
      placeHolder: view.held?.root ?? 'The server holds no project.',
    },
  );
  if (picked) await vscode.commands.executeCommand(picked.command);
}

/** True when the window already shows `path`. */
export const isShown = (path: string, folders: readonly WindowFolder[]): boolean =>
  folders.some(({ real }) => isInside(path, real) || isInside(real, path));
