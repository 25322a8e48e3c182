import { join } from 'node:path';
import * as vscode from 'vscode';

const selector: vscode.DocumentSelector = { scheme: 'file', pattern: '**/discern.toml' };

/** What begins a header, a dotted name, a value, a table or a string. */
const triggers = ['[', '.', '=', '{', '"'];

/** Completion and hover in `discern.toml`; what does the work is loaded when a person first asks for it. */
export function registerConfigEditing(dist: string): vscode.Disposable {
  const language = async () => {
    const { ConfigLanguage } = await import('./config-language.ts');
    return ConfigLanguage.of(join(dist, 'discern.schema.json'));
  };
  return vscode.Disposable.from(
    vscode.languages.registerCompletionItemProvider(
      selector,
      {
        provideCompletionItems: async (document, position) => (await language()).complete(document, position),
      },
      ...triggers,
    ),
    vscode.languages.registerHoverProvider(selector, {
      provideHover: async (document, position) => (await language()).hover(document, position),
    }),
  );
}
