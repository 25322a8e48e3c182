import * as vscode from 'vscode';
import type { WindowModel, WindowView } from '../model.ts';
import { divergence, heldName } from '../wording.ts';

/** The status bar item: the held root's name, in warning colour when it diverges or is missing. */
export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: vscode.Disposable;

  constructor(model: WindowModel) {
    this.#item = vscode.window.createStatusBarItem('discern.heldRoot', vscode.StatusBarAlignment.Left, 50);
    this.#item.name = 'Discern held root';
    this.#item.command = 'discern.offerHelp';
    this.#subscription = model.onDidChange((view) => this.#show(view));
    this.#show(model.view);
  }

  #show(view: WindowView): void {
    const item = this.#item;
    if (view.server === 'stopped' && !view.held) {
      item.hide();
      return;
    }
    const said = divergence(view.divergence);
    const name = heldName(view.held);
    const running = view.run?.running === true;
    const icon = view.server === 'failed' ? 'error' : running ? 'sync~spin' : said ? 'warning' : 'target';
    item.text = `$(${icon}) ${name}`;
    item.backgroundColor = statusColour(view);
    item.tooltip = new vscode.MarkdownString(
      [
        `**Discern** acts in \`${view.held?.root ?? 'no project'}\``,
        ...(view.status ? [`Branch \`${view.status.branch ?? 'detached HEAD'}\``] : []),
        ...(said ? [said.detail] : []),
        ...(running ? [`\`${view.run?.verb}\` is running`] : []),
        ...(view.server === 'failed' ? ['The server isn’t running.'] : []),
      ].join('\n\n'),
    );
    item.accessibilityInformation = {
      label: `Discern held root: ${name}${said ? `. ${said.detail}` : ''}${running ? `. ${view.run?.verb} is running` : ''}`,
    };
    item.show();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }
}

/** The item's background: none while all is well. */
export function statusColour({ server, divergence: found }: WindowView): vscode.ThemeColor | undefined {
  if (server === 'failed') return new vscode.ThemeColor('statusBarItem.errorBackground');
  return divergence(found) ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
}
