import * as vscode from 'vscode';
import { readFolders } from './folders.ts';
import { type Log, words } from './log.ts';
import type { WindowModel } from './model.ts';
import type { WindowServer } from './window-server.ts';

/** Changes to files come in bursts; one look follows them, this many milliseconds after the last. */
const SETTLE_MS = 400;

/**
 * Reads the held root's status when something says it may have changed: the server (a call ended, the root moved), git's own
 * files, or files of the checkouts shown. Nothing polls.
 */
export class Refresher implements vscode.Disposable {
  readonly #server: WindowServer;
  readonly #model: WindowModel;
  readonly #log: Log;
  readonly #disposables: vscode.Disposable[] = [];
  #watchers: vscode.Disposable[] = [];
  #watched = '';
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #again = false;

  constructor(server: WindowServer, model: WindowModel, log: Log) {
    this.#server = server;
    this.#model = model;
    this.#log = log;
    this.#disposables.push(
      model.onDidMoveHeld(() => this.now()),
      model.onDidFinish(() => this.now()),
      model.onDidChange(() => this.#watch()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#readFolders()),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.soon()),
    );
    this.#readFolders();
  }

  /** Reads after things have settled. */
  soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(), SETTLE_MS);
  }

  /** Reads at once; a wish while one is going on is granted after it. */
  now(): void {
    clearTimeout(this.#timer);
    if (this.#running) {
      this.#again = true;
      return;
    }
    if (this.#server.state !== 'running') return;
    this.#running = true;
    this.#read()
      .catch((error: unknown) => this.#log.warn(`Status could not be read: ${words(error)}`))
      .finally(() => {
        this.#running = false;
        if (!this.#again) return;
        this.#again = false;
        this.now();
      });
  }

  async #read(): Promise<void> {
    const { held } = this.#model.view;
    if (!held) return;
    const client = await this.#server.client();
    if (held.root === null) {
      // An agent's init may have made a project where the server had looked for one.
      const now = await client.held();
      if (now.root !== null) this.#model.setHeld(now);
      return;
    }
    this.#model.setStatus(await client.call('status', {}));
  }

  #readFolders(): void {
    readFolders().then(
      (folders) => this.#model.setFolders(folders),
      (error: unknown) => this.#log.warn(words(error)),
    );
  }

  /** Watches the held root and the checkout work lands in, wherever they lie. */
  #watch(): void {
    const { held, status } = this.#model.view;
    const landing = status?.worktrees.find((tree) => tree.landing);
    const roots = [
      ...new Set([held?.root, landing?.path].filter((path): path is string => typeof path === 'string')),
    ];
    const key = roots.join('\n');
    if (key === this.#watched) return;
    this.#watched = key;
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = roots.map((root) => {
      const watcher = vscode.workspace.createFileSystemWatcher(
        new vscode.RelativePattern(vscode.Uri.file(root), '**'),
      );
      const changed = (uri: vscode.Uri) => {
        if (isNoise(uri.path)) return;
        this.soon();
      };
      watcher.onDidChange(changed);
      watcher.onDidCreate(changed);
      watcher.onDidDelete(changed);
      return watcher;
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const one of [...this.#watchers, ...this.#disposables]) one.dispose();
  }
}

/** What changes in a checkout without changing its state: git's objects and locks, our own files, dependencies. */
function isNoise(path: string): boolean {
  return /\/\.git\/(objects|discern-vscode|logs|lfs)\/|\.lock$|\/node_modules\//.test(path);
}
