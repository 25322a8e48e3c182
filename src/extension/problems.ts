import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { type AnyEnvelope, whereOf } from '../contract/answers.ts';
import type { Diagnostic, Related, Step } from '../contract/envelope.ts';
import { asShown, type WindowFolder } from './folders.ts';
import type { WindowModel } from './model.ts';

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
};

/** One finding as it is shown, and the job it is of; '' where it is of none. */
interface Shown {
  job: string;
  path: string;
  diagnostic: vscode.Diagnostic;
}

/**
 * The gate's findings in the Problems view. Those of a job stay until it has run again in that checkout, or has been reused; then the
 * files in which it has none any more lose theirs, and no other file is touched.
 */
export class Problems implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('discern');
  readonly #subscription: vscode.Disposable;
  readonly #byRoot = new Map<string, Shown[]>();
  /** What each file shows, as text, to tell which have changed. */
  readonly #files = new Map<string, string>();

  constructor(model: WindowModel) {
    this.#subscription = model.onDidFinish(({ envelope }) => this.#take(envelope, model.view.folders));
  }

  #take(envelope: AnyEnvelope, folders: readonly WindowFolder[]): void {
    if (envelope.dry_run) return;
    const { root } = whereOf(envelope);
    const removed =
      (envelope.verb === 'accept' && envelope.data?.landing?.worktree_removed) ||
      (envelope.verb === 'drop' && envelope.data?.worktree_removed);
    if (root !== undefined) this.#judge(root, envelope, folders);
    // What is said of a checkout that is gone leads nowhere.
    if (removed && envelope.data && 'worktree' in envelope.data)
      this.#byRoot.delete(String(envelope.data.worktree));
    this.#show();
  }

  #judge(root: string, { verb, ok, steps = [], diagnostics }: AnyEnvelope, folders: readonly WindowFolder[]) {
    if (steps.length === 0 && diagnostics === undefined) return;
    const judged = new Set(['', ...steps.filter(wasJudged).map(({ name }) => name)]);
    const whole = verb === 'done' && ok;
    const kept = whole ? [] : (this.#byRoot.get(root) ?? []).filter(({ job }) => !judged.has(job));
    const inWindow = (file: string) => asShown(isAbsolute(file) ? file : join(root, file), folders);
    const found = (diagnostics ?? []).map((one) => ({
      job: steps.find(({ output_path: path }) => path !== undefined && path === one.output_path)?.name ?? '',
      // A finding without a file is shown at the configuration that declares the job.
      path: inWindow(one.file ?? 'discern.toml'),
      diagnostic: toDiagnostic(one, (file) => vscode.Uri.file(inWindow(file))),
    }));
    this.#byRoot.set(root, [...kept, ...found]);
  }

  #show(): void {
    const byFile = new Map<string, vscode.Diagnostic[]>();
    for (const { path, diagnostic } of [...this.#byRoot.values()].flat())
      byFile.set(path, [...(byFile.get(path) ?? []), diagnostic]);
    for (const path of [...this.#files.keys()]) {
      if (byFile.has(path)) continue;
      this.#files.delete(path);
      this.#collection.delete(vscode.Uri.file(path));
    }
    for (const [path, list] of byFile) {
      const text = JSON.stringify(list);
      if (this.#files.get(path) === text) continue;
      this.#files.set(path, text);
      this.#collection.set(vscode.Uri.file(path), list);
    }
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#collection.dispose();
  }
}

/** A job that was stopped, or never began, has said nothing of what it had found before. */
const wasJudged = ({ outcome }: Step) => outcome !== 'skipped' && outcome !== 'cancelled';

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
