import { access } from 'node:fs/promises';
import * as vscode from 'vscode';
import { type AnyEnvelope, isWhole } from '../contract/answers.ts';
import type { StartData } from '../contract/data.ts';
import { isInside } from '../contract/inside.ts';
import type { App } from './app.ts';
import { isShown } from './commands/window.ts';
import { words } from './log.ts';
import { shortName } from './wording.ts';

type Follow = 'ask' | 'addFolder' | 'openWindow' | 'never';

/**
 * Moves the editor along: to the worktree after a start, and out of a workspace folder that an accept removed. Never takes a
 * folder out from under unsaved editors without asking.
 */
export function registerFollowing(app: App): vscode.Disposable {
  return app.model.onDidFinish(({ envelope }) => {
    follow(app, envelope).catch((error: unknown) => app.log.error(`Following failed: ${words(error)}`));
  });
}

async function follow(app: App, envelope: AnyEnvelope): Promise<void> {
  if (envelope.dry_run) return;
  if (envelope.verb === 'start' && isWhole(envelope)) return followStart(app, envelope.data);
  const removed =
    (envelope.verb === 'accept' && envelope.data?.landing?.worktree_removed) ||
    (envelope.verb === 'drop' && envelope.data?.worktree_removed);
  if (removed) await removeGoneFolders();
}

async function followStart(
  { context, log, model, addFolder }: App,
  { path, worktree }: StartData,
): Promise<void> {
  if (isShown(path, model.view.folders)) return;
  const setting = vscode.workspace.getConfiguration('discern').get<Follow>('followWorktree', 'ask');
  const how = setting === 'ask' ? await ask(path) : setting;
  log.info(`Worktree ${path}: ${how}.`);
  if (how === 'addFolder') addFolder(worktree);
  else if (how === 'openWindow') {
    await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(worktree), {
      forceNewWindow: true,
    });
  }
  await context.globalState.update('followed', how);
}

async function ask(path: string): Promise<Follow> {
  const add = 'Add to Workspace';
  const open = 'Open in New Window';
  const choice = await vscode.window.showInformationMessage(
    `The server now acts in the worktree ${shortName(path)}. Show it in the editor too?`,
    add,
    open,
  );
  return choice === add ? 'addFolder' : choice === open ? 'openWindow' : 'never';
}

/** Takes workspace folders out that are gone from disk. */
async function removeGoneFolders(): Promise<void> {
  for (const folder of [...(vscode.workspace.workspaceFolders ?? [])].reverse()) {
    const { fsPath, scheme } = folder.uri;
    if (scheme !== 'file' || (await exists(fsPath))) continue;
    const unsaved = vscode.workspace.textDocuments.filter(
      (one) => one.isDirty && isInside(one.uri.fsPath, fsPath),
    );
    if (unsaved.length > 0 && !(await askToLetGo(folder.name, unsaved))) continue;
    const index =
      vscode.workspace.workspaceFolders?.findIndex((one) => one.uri.toString() === folder.uri.toString()) ??
      -1;
    if (index >= 0) vscode.workspace.updateWorkspaceFolders(index, 1);
  }
}

async function askToLetGo(name: string, unsaved: readonly vscode.TextDocument[]): Promise<boolean> {
  const take = 'Take Folder Out';
  const choice = await vscode.window.showWarningMessage(
    `The worktree ${name} is gone, and ${unsaved.length} of its files ${unsaved.length === 1 ? 'is' : 'are'} open with unsaved changes: ${unsaved.map((one) => shortName(one.uri.fsPath)).join(', ')}. They stay open either way; save them elsewhere if you want them.`,
    take,
    'Keep Folder',
  );
  return choice === take;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
