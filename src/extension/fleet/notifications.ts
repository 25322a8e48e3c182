import { join } from 'node:path';
import * as vscode from 'vscode';
import type { App } from '../app.ts';
import { words } from '../log.ts';
import { Claims } from './claims.ts';
import { type News, newsOf, newsWanted } from './news.ts';

/** More at once are told in one message. */
const MOST_MESSAGES = 3;

/** How much longer a window waits that does not serve the worktree, so that the one that does tells of it. Milliseconds. */
const OTHERS_MS = 1_500;

/** Tells a person what has come up in the fleet (`discern.fleet.notifications`), each thing once, whatever the number of windows. */
export function registerFleetNotifications({ context, model, log }: App): vscode.Disposable {
  const claims = new Claims(join(context.globalStorageUri.fsPath, 'told'));
  const timers = new Set<NodeJS.Timeout>();
  claims.tidy().catch((error: unknown) => log.warn(words(error)));
  const tell = async (all: readonly News[]) => {
    const mine: News[] = [];
    for (const one of all) if (await claims.take(one.key)) mine.push(one);
    if (mine.length > MOST_MESSAGES) await showMany(mine);
    else await Promise.all(mine.map(show));
  };
  const later = (news: readonly News[], wait: number) => {
    if (news.length === 0) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      tell(news).catch((error: unknown) => log.warn(`A notification could not be shown: ${words(error)}`));
    }, wait);
    timers.add(timer);
  };
  return vscode.Disposable.from(
    model.onDidReadFleet(({ before, now }) => {
      const set = vscode.workspace.getConfiguration('discern').get<string>('fleet.notifications');
      const news = newsOf(before, now, newsWanted.find((one) => one === set) ?? 'attention');
      const own = new Set(model.view.status?.worktrees.map(({ root }) => root));
      later(
        news.filter(({ root }) => own.has(root)),
        0,
      );
      later(
        news.filter(({ root }) => !own.has(root)),
        OTHERS_MS,
      );
    }),
    { dispose: () => timers.forEach(clearTimeout) },
  );
}

async function show({ message, root }: News): Promise<void> {
  const there = 'Go There';
  if ((await vscode.window.showInformationMessage(`Discern: ${message}`, there)) === there)
    await vscode.commands.executeCommand('discern.goTo', vscode.Uri.file(root));
}

async function showMany(news: readonly News[]): Promise<void> {
  const view = 'Show Worktrees';
  const [first, second] = news;
  const said = `Discern: ${first?.message} ${second?.message} And ${news.length - 2} more.`;
  if ((await vscode.window.showInformationMessage(said, view)) === view)
    await vscode.commands.executeCommand('discern.worktrees.focus');
}
