import * as vscode from 'vscode';

const scheme = 'discern-preview';

/** Documents that are only to be read: they lie nowhere, and nobody is asked to save them. */
export class PreviewDocuments implements vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable[];

  constructor() {
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? '',
      }),
    ];
  }

  /** Shows a text under a name; one that is shown under it already is replaced. */
  async show(name: string, text: string): Promise<vscode.Uri> {
    const uri = vscode.Uri.from({ scheme, path: `/${name}` });
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
    return uri;
  }

  /** Shows a Markdown text as it reads, or as its source where VS Code's own preview of Markdown is switched off. */
  async render(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${name}` });
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    try {
      await vscode.commands.executeCommand('markdown.showPreview', uri);
    } catch {
      // VS Code's own Markdown extension can be switched off.
      await this.show(name, text);
    }
  }

  /** Closes the tabs that show a document. */
  async close(uri: vscode.Uri): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
    await vscode.window.tabGroups.close(tabs);
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    this.#changed.dispose();
  }
}
