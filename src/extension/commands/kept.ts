import * as vscode from 'vscode';
import type { KeptRef } from '../../contract/data.ts';
import type { App } from '../app.ts';
import { branchFor, bringBack, letGo } from '../kept.ts';
import { words } from '../log.ts';
import { dayOf } from '../wording.ts';
import type { CommandTarget } from './lifecycle.ts';

/** What a line of the Worktrees tree shows that a removal kept. */
const keptOf = (target: CommandTarget): KeptRef | undefined =>
  target instanceof vscode.Uri ? undefined : target?.kept;

/** `Discern: Restore as Branch`, on what a removal kept. */
export async function restoreKept(app: App, target: CommandTarget): Promise<void> {
  const kept = keptOf(target);
  const root = app.model.view.status?.root;
  if (!kept || root === undefined) return;
  await attempt(app, kept.restore, () => bringBack(root, kept), `Restored as branch ${branchFor(kept)}.`);
}

/** `Discern: Discard…`, on what a removal kept: asks first, since nothing else has it. */
export async function removeKept(app: App, target: CommandTarget): Promise<void> {
  const kept = keptOf(target);
  const root = app.model.view.status?.root;
  if (!kept || root === undefined) return;
  const choice = await vscode.window.showWarningMessage(
    `Discard ${branchFor(kept)}?`,
    {
      modal: true,
      detail: `It was kept when a worktree was removed${kept.kept_at ? ` (${dayOf(kept.kept_at)})` : ''}, and it may exist nowhere else.\n\n${kept.remove}`,
    },
    'Discard',
  );
  if (choice === 'Discard') await attempt(app, kept.remove, () => letGo(root, kept), 'Discarded.');
}

async function attempt(app: App, command: string, run: () => Promise<void>, message: string): Promise<void> {
  app.log.info(command);
  try {
    await run();
    vscode.window.showInformationMessage(message).then(undefined, () => undefined);
  } catch (error) {
    app.log.error(words(error));
    vscode.window
      .showErrorMessage(`That failed; the log has more: ${command}`)
      .then(undefined, () => undefined);
  } finally {
    app.refresh();
  }
}
