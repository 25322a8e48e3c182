import { open, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import * as vscode from 'vscode';
import type { GateViewState, ToGateView } from '../contract/gate-view.ts';
import type { GateVerb } from '../contract/traits.ts';
import { asShown } from './folders.ts';
import { gateViewHtml } from './gate-view-html.ts';
import { type Log, words } from './log.ts';
import type { WindowModel } from './model.ts';

/** How much of a job's output the view shows, in bytes, from its end. */
const OUTPUT_LIMIT = 64 * 1024;
/** State is sent at most this often, in milliseconds: a burst of jobs becomes one message. */
const FRAME_MS = 50;

/** The Gate view's host side: sends the state, answers the view's wishes. */
export class GateView implements vscode.WebviewViewProvider, vscode.Disposable {
  static readonly id = 'discern.gate';
  readonly #dist: vscode.Uri;
  readonly #model: WindowModel;
  readonly #log: Log;
  readonly #run: (verb: GateVerb) => void;
  readonly #cancel: () => void;
  readonly #subscription: vscode.Disposable;
  #view: vscode.WebviewView | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    dist: vscode.Uri,
    parts: {
      model: WindowModel;
      log: Log;
      run: (verb: GateVerb) => void;
      cancel: () => void;
    },
  ) {
    this.#dist = dist;
    this.#model = parts.model;
    this.#log = parts.log;
    this.#run = parts.run;
    this.#cancel = parts.cancel;
    this.#subscription = parts.model.onDidChange(() => this.#soon());
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [this.#dist] };
    view.webview.onDidReceiveMessage((message: unknown) => {
      this.#receive(message).catch((error: unknown) => this.#log.error(`Gate view: ${words(error)}`));
    });
    view.onDidChangeVisibility(() => view.visible && this.#send());
    view.onDidDispose(() => {
      this.#view = undefined;
    });
    view.webview.html = gateViewHtml(view.webview, this.#dist);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, FRAME_MS);
  }

  #send(): void {
    if (!this.#view?.visible) return;
    const { held, run, trusted, server } = this.#model.view;
    const blocked = !trusted
      ? 'This workspace is not trusted, so no project command runs. State can still be read.'
      : server === 'failed'
        ? 'The Discern server isn’t running. Restart it from the status bar.'
        : undefined;
    const state: GateViewState = {
      ...(blocked !== undefined && { blocked }),
      held: held?.root ?? null,
      ...(run && { run }),
    };
    this.#post({ type: 'state', state });
  }

  #post(message: ToGateView): void {
    this.#view?.webview
      .postMessage(message)
      .then(undefined, (error: unknown) => this.#log.warn(words(error)));
  }

  async #receive(message: unknown): Promise<void> {
    const { parseGateMessage } = await import('./client.ts');
    const wish = parseGateMessage(message);
    switch (wish.type) {
      case 'ready':
        return this.#send();
      case 'run':
        return this.#run(wish.verb);
      case 'cancel':
        return this.#cancel();
      case 'output':
        return this.#sendOutput(wish.job);
      case 'openOutput': {
        const path = this.#outputOf(wish.job);
        if (path !== undefined)
          await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true });
        return;
      }
      case 'open':
        return this.#open(wish.diagnostic);
    }
  }

  #outputOf(job: string): string | undefined {
    return this.#model.view.run?.jobs.find((one) => one.name === job)?.output_path;
  }

  async #sendOutput(job: string): Promise<void> {
    const path = this.#outputOf(job);
    if (path === undefined) return;
    const { size } = await stat(path);
    const from = Math.max(0, size - OUTPUT_LIMIT);
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
      const text = stripVTControlCharacters(buffer.subarray(0, bytesRead).toString('utf8'));
      this.#post({ type: 'output', job, text, cut: from });
    } finally {
      await file.close();
    }
  }

  async #open(index: number): Promise<void> {
    const { run, folders } = this.#model.view;
    const found = run?.diagnostics[index];
    if (!run || !found) return;
    const path = found.file ?? found.output_path;
    if (path === undefined) return;
    const uri = vscode.Uri.file(asShown(isAbsolute(path) ? path : join(run.root, path), folders));
    const position = new vscode.Position(
      Math.max(0, (found.line ?? 1) - 1),
      Math.max(0, (found.column ?? 1) - 1),
    );
    await vscode.window.showTextDocument(uri, {
      preview: true,
      ...(found.file !== undefined && { selection: new vscode.Range(position, position) }),
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }
}
