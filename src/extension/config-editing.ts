import { join } from 'node:path';
import * as vscode from 'vscode';

const selector: vscode.DocumentSelector = { scheme: 'file', pattern: '**/{discern,discern-vscode}.toml' };

/** What begins a header, a dotted name, a value, a table or a string. */
const triggers = ['[', '.', '=', '{', '"'];

/** Completion and hover in `discern.toml` and `discern-vscode.toml`; what does the work is loaded when a person first asks for it. */
export function registerConfigEditing(dist: string): vscode.Disposable {
  const language = async ({ uri }: vscode.TextDocument) => {
    const { ConfigLanguage } = await import('./config-language.ts');
    const name = uri.path.endsWith('/discern-vscode.toml') ? 'discern-vscode' : 'discern';
    return ConfigLanguage.of(join(dist, `${name}.schema.json`));
  };
  return vscode.Disposable.from(
    vscode.languages.registerCompletionItemProvider(
      selector,
      {
        provideCompletionItems: async (document, position) =>
          (await language(document)).complete(document, position),
      },
      ...triggers,
    ),
    vscode.languages.registerHoverProvider(selector, {
      provideHover: async (document, position) => (await language(document)).hover(document, position),
    }),
  );
}
