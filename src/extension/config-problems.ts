import * as vscode from 'vscode';
import { type Log, words } from './log.ts';
import type { WindowServer } from './window-server.ts';

/** How long after the last keystroke a discern.toml is checked, in milliseconds. */
const TYPING_MS = 250;

const isConfig = (document: vscode.TextDocument) =>
  document.uri.scheme === 'file' && /[\\/]discern(?:-vscode)?\.toml$/.test(document.uri.fsPath);

/** Squiggles in our configuration files, as one types: what the server would refuse, before it is saved. */
export class ConfigProblems implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('discern.toml');
  readonly #server: WindowServer;
  readonly #log: Log;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #subscriptions: vscode.Disposable[];

  constructor(server: WindowServer, log: Log) {
    this.#server = server;
    this.#log = log;
    this.#subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => this.#soon(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#soon(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document)),
      server.onDidChangeState((state) => state === 'running' && this.#all()),
    ];
    this.#all();
  }

  #all(): void {
    for (const document of vscode.workspace.textDocuments) this.#soon(document);
  }

  #soon(document: vscode.TextDocument): void {
    if (!isConfig(document)) return;
    const key = document.uri.toString();
    clearTimeout(this.#timers.get(key));
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#check(document).catch((error: unknown) =>
          this.#log.warn(`discern.toml could not be checked: ${words(error)}`),
        );
      }, TYPING_MS),
    );
  }

  async #check(document: vscode.TextDocument): Promise<void> {
    if (document.isClosed || this.#server.state !== 'running') return;
    const { version } = document;
    const client = await this.#server.client();
    const { problems, notes } = await client.checkConfig(document.getText(), document.uri.fsPath);
    if (document.isClosed || document.version !== version) return;
    this.#collection.set(document.uri, [
      ...problems.map((problem) => {
        const range = new vscode.Range(
          problem.line - 1,
          problem.column - 1,
          problem.endLine - 1,
          problem.endColumn - 1,
        );
        return sourced(new vscode.Diagnostic(range, problem.message, vscode.DiagnosticSeverity.Error));
      }),
      ...notes.map((note) => {
        const line = Math.max(0, Number(/:(\d+):/.exec(note)?.[1] ?? 1) - 1);
        const range = new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER);
        return sourced(new vscode.Diagnostic(range, note, vscode.DiagnosticSeverity.Information));
      }),
    ]);
  }

  #forget(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    this.#collection.delete(document.uri);
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const one of this.#subscriptions) one.dispose();
    this.#collection.dispose();
  }
}

function sourced(diagnostic: vscode.Diagnostic): vscode.Diagnostic {
  diagnostic.source = 'discern';
  return diagnostic;
}
