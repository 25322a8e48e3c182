import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { extension } from './support.ts';

/** A discern.toml that is shown, changed and never saved. */
async function config(): Promise<vscode.TextEditor> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  assert.ok(folder);
  return vscode.window.showTextDocument(vscode.Uri.joinPath(folder, 'discern.toml'));
}

/** Puts a text with one mark `|` into the editor, and answers the place of the mark. */
async function write(editor: vscode.TextEditor, marked: string): Promise<vscode.Position> {
  const { document } = editor;
  const offset = marked.indexOf('|');
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  await editor.edit((edit) => edit.replace(whole, marked.slice(0, offset) + marked.slice(offset + 1)));
  return document.positionAt(offset);
}

const textOf = ({ label }: vscode.CompletionItem) => (typeof label === 'string' ? label : label.label);

describe('Editing discern.toml', () => {
  before(async () => {
    await extension();
  });

  after(async () => {
    await config();
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  async function ours(marked: string): Promise<vscode.CompletionItem[]> {
    const editor = await config();
    const position = await write(editor, marked);
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      editor.document.uri,
      position,
    );
    // VS Code adds the words of the document.
    return list.items.filter(({ kind }) => kind !== vscode.CompletionItemKind.Text);
  }

  it('completes keys that are not there yet, with what they are for', async () => {
    const items = await ours('[gate]\nfail_fast = true\n|\n');
    const labels = items.map(textOf);
    assert.ok(labels.includes('timeout') && !labels.includes('fail_fast'), labels.join(', '));
    assert.ok(labels.includes('[jobs.<name>]'));
    const timeout = items.find((item) => textOf(item) === 'timeout');
    assert.equal(timeout?.detail, 'number, default 600');
    assert.match(String(timeout?.documentation), /Seconds any one job may take/);
  });

  it('completes tables in a header, and the values of an enumeration in place of the quotes there', async () => {
    assert.ok((await ours('[wor|]')).map(textOf).includes('worktree.setup'));
    const values = await ours('[jobs.x]\nstage = "|"\n');
    assert.deepEqual(values.map(textOf), ['"fix"', '"build"', '"check"', '"test"']);
    const { range } = values[0] ?? {};
    assert.ok(range instanceof vscode.Range && range.start.character === 8 && range.end.character === 10);
  });

  it('explains a key one points at', async () => {
    const editor = await config();
    const position = await write(editor, '[worktree]\nbranch_pre|fix = "a/"\n');
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      editor.document.uri,
      position,
    );
    const said = hovers.flatMap(({ contents }) =>
      contents.map((one) => (one as vscode.MarkdownString).value),
    );
    assert.equal(said.length, 1);
    assert.match(
      said[0] ?? '',
      /^`branch_prefix`: string\n\nOlder spelling of \[repository\]\.branch_prefix\.$/,
    );
  });

  it('leaves other TOML files alone', async () => {
    const document = await vscode.workspace.openTextDocument({ content: '[gate]\n', language: 'plaintext' });
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      new vscode.Position(1, 0),
    );
    assert.ok(!list.items.map(textOf).includes('fail_fast'));
  });
});
