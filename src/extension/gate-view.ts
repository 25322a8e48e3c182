import * as vscode from 'vscode';
import { type GateParts, GateSurface } from './gate-surface.ts';

const EDITOR = 'discern.gateEditor';

/** Shows the gate wherever a person wants it: in the side bar, with more room in the panel, and in an editor. */
export function registerGate(parts: Omit<GateParts, 'openEditor'>): vscode.Disposable {
  const openEditor = () => openGateEditor();
  const whole: GateParts = { ...parts, openEditor };
  let panel: vscode.WebviewPanel | undefined;

  const fill = (given: vscode.WebviewPanel) => {
    panel = given;
    const icon = (theme: string) => vscode.Uri.joinPath(parts.dist, '..', 'media', `discern-${theme}.svg`);
    given.iconPath = { light: icon('light'), dark: icon('dark') };
    const surface = new GateSurface(whole, given.webview, { roomy: true, visible: () => given.visible });
    given.onDidChangeViewState(() => surface.send());
    given.onDidDispose(() => {
      surface.dispose();
      if (panel === given) panel = undefined;
    });
  };
  const openGateEditor = () => {
    if (panel) panel.reveal();
    else
      fill(
        vscode.window.createWebviewPanel(EDITOR, 'Gate', vscode.ViewColumn.Active, {
          enableFindWidget: true,
          enableScripts: true,
          localResourceRoots: [parts.dist],
        }),
      );
  };
  const view = (id: string, roomy: boolean) =>
    vscode.window.registerWebviewViewProvider(id, {
      resolveWebviewView(given) {
        const surface = new GateSurface(whole, given.webview, { roomy, visible: () => given.visible });
        given.onDidChangeVisibility(() => surface.send());
        given.onDidDispose(() => surface.dispose());
      },
    });
  return vscode.Disposable.from(
    view('discern.gate', false),
    view('discern.gatePanel', true),
    vscode.window.registerWebviewPanelSerializer(EDITOR, {
      async deserializeWebviewPanel(given) {
        fill(given);
      },
    }),
    vscode.commands.registerCommand('discern.openGate', openEditor),
    new vscode.Disposable(() => panel?.dispose()),
  );
}
