import * as vscode from 'vscode';
import { isWhole } from '../../contract/answers.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { App } from '../app.ts';
import type { PreviewDocuments } from '../preview-documents.ts';
import { isOn } from '../settings.ts';
import { type CommandTarget, quietly, targetPath } from './lifecycle.ts';

/** More lines than this do not fit a modal; the log has them all. */
const MOST_LINES = 12;

/** `Discern: Prune…`: shows what is left over and what would be done about it, asks, and does it. */
export async function prune(app: App, target: CommandTarget): Promise<Envelope | undefined> {
  const path = targetPath(target);
  const args = path === undefined ? {} : { path };
  const preview = await quietly(app, 'prune', { ...args, dry_run: true });
  if (!preview) return undefined;
  const { pruned = [], kept = [] } = preview.data ?? {};
  if (!preview.ok) return app.runVerb('prune', { ...args, dry_run: true }, 'Discern: prune');
  const stays = kept.map(({ what, remedy }) => `• stays: ${what} (${remedy})`);
  if (pruned.length === 0) {
    const detail = stays.length > 0 ? `\n\n${stays.join('\n')}` : '';
    await vscode.window.showInformationMessage(`There is nothing to prune.${detail}`, {
      modal: stays.length > 0,
    });
    return preview;
  }
  const lines = pruned.map(({ action, detail }) => `• ${action}: ${detail}`);
  const shown = [...lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? ['• …'] : []), ...stays];
  const go =
    !isOn('confirmPrune') ||
    (await vscode.window.showWarningMessage(
      'Prune what is left over?',
      { modal: true, detail: shown.join('\n') },
      'Prune',
    )) === 'Prune';
  return go ? app.runVerb('prune', { ...args, dry_run: false }, 'Discern: pruning') : undefined;
}

/** `Discern: Help`: a page of the reference, rendered. */
export async function help(app: App, documents: PreviewDocuments): Promise<Envelope | undefined> {
  const list = await quietly(app, 'help', {});
  if (!list || !isWhole(list)) return list;
  const picked = await vscode.window.showQuickPick(
    list.data.topics.map(({ topic, title, summary }) => ({ label: title, detail: summary, topic })),
    { title: 'Discern Help', placeHolder: 'About what?', matchOnDetail: true },
  );
  if (!picked) return undefined;
  const page = await quietly(app, 'help', { topic: picked.topic });
  if (page && isWhole(page)) await documents.render(`discern ${picked.topic}.md`, page.data.text ?? '');
  return page;
}
