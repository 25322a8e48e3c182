import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { type AnyEnvelope, whereOf } from '../contract/answers.ts';
import type { Diagnostic, Related } from '../contract/envelope.ts';
import { asShown, type WindowFolder } from './folders.ts';
import type { WindowModel } from './model.ts';

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
};

/**
 * The gate's findings in the Problems view. A run's start clears what the last one left, so that what is shown is never older
 * than the run one looks at.
 */
export class Problems implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('discern');
  readonly #subscriptions: vscode.Disposable[];

  constructor(model: WindowModel) {
    this.#subscriptions = [
      model.onDidStart(({ verb }) => {
        if (verb !== 'start') this.#collection.clear();
      }),
      model.onDidFinish(({ envelope }) => this.#show(envelope, model.view.folders)),
    ];
  }

  #show(envelope: AnyEnvelope, folders: readonly WindowFolder[]): void {
    const root = whereOf(envelope).root;
    if (root === undefined || !envelope.diagnostics) return;
    const byFile = new Map<string, vscode.Diagnostic[]>();
    const shown = (file: string) =>
      vscode.Uri.file(asShown(isAbsolute(file) ? file : join(root, file), folders));
    for (const one of envelope.diagnostics) {
      // A finding without a file is shown at the configuration that declares the job.
      const file = one.file ?? 'discern.toml';
      const path = asShown(isAbsolute(file) ? file : join(root, file), folders);
      byFile.set(path, [...(byFile.get(path) ?? []), toDiagnostic(one, shown)]);
    }
    for (const [path, found] of byFile) this.#collection.set(vscode.Uri.file(path), found);
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    this.#collection.dispose();
  }
}

/** A finding as VS Code has it; without a column it takes the whole line, without an end its first character. */
function toDiagnostic(one: Diagnostic, shown: (file: string) => vscode.Uri): vscode.Diagnostic {
  const line = Math.max(0, (one.line ?? 1) - 1);
  const column = Math.max(0, (one.column ?? 1) - 1);
  const ends = one.column !== undefined && one.end_line !== undefined && one.end_column !== undefined;
  const endLine = ends ? (one.end_line ?? 1) - 1 : line;
  const endColumn = ends
    ? (one.end_column ?? 1) - 1
    : one.column === undefined
      ? Number.MAX_SAFE_INTEGER
      : column + 1;
  const range = new vscode.Range(line, column, Math.max(line, endLine), endColumn);
  const diagnostic = new vscode.Diagnostic(range, one.message, severities[one.severity]);
  diagnostic.source = `discern: ${one.tool}`;
  if (one.rule !== undefined) {
    diagnostic.code =
      one.rule_url === undefined ? one.rule : { value: one.rule, target: vscode.Uri.parse(one.rule_url) };
  }
  const related = (one.related ?? []).flatMap((other) =>
    other.file === undefined
      ? []
      : [new vscode.DiagnosticRelatedInformation(placeOf(shown(other.file), other), other.message)],
  );
  if (related.length > 0) diagnostic.relatedInformation = related;
  return diagnostic;
}

function placeOf(uri: vscode.Uri, { line = 1, column = 1 }: Related): vscode.Location {
  return new vscode.Location(uri, new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1)));
}
