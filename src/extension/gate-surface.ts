import { open, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import type { GateRunView, GateViewState, OfferedVerb, ToGateView } from '../contract/gate-view.ts';
import { nextStep } from '../contract/next-step.ts';
import { asShown } from './folders.ts';
import { gateViewHtml } from './gate-view-html.ts';
import { type Log, words } from './log.ts';
import type { WindowModel } from './model.ts';

/** How much of a job's output the view shows, in bytes, from its end. */
const OUTPUT_LIMIT = 64 * 1024;
/** With room, the view shows more of it. */
const ROOMY_OUTPUT_LIMIT = 512 * 1024;
/** State is sent at most this often, in milliseconds: a burst of jobs becomes one message. */
const FRAME_MS = 50;

/** What the gate's views share. */
export interface GateParts {
  dist: vscode.Uri;
  model: WindowModel;
  log: Log;
  run: (verb: OfferedVerb) => void;
  cancel: () => void;
  review: () => void;
  openEditor: () => void;
}

/** The gate in one webview, in the side bar, the panel or an editor: sends the state, answers the page's wishes. */
export class GateSurface implements vscode.Disposable {
  readonly #parts: GateParts;
  readonly #webview: vscode.Webview;
  readonly #roomy: boolean;
  readonly #visible: () => boolean;
  readonly #subscriptions: vscode.Disposable[];
  /** The call of the run of the history that is shown, if not the last one. */
  #chosen: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    parts: GateParts,
    webview: vscode.Webview,
    { roomy, visible }: { roomy: boolean; visible: () => boolean },
  ) {
    this.#parts = parts;
    this.#webview = webview;
    this.#roomy = roomy;
    this.#visible = visible;
    webview.options = { enableScripts: true, localResourceRoots: [parts.dist] };
    this.#subscriptions = [
      parts.model.onDidChange(() => this.#soon()),
      webview.onDidReceiveMessage((message: unknown) => {
        this.#receive(message).catch((error: unknown) => parts.log.error(`Gate view: ${words(error)}`));
      }),
    ];
    webview.html = gateViewHtml(webview, parts.dist);
  }

  /** Sends what is so now, if anybody can see it. */
  send(): void {
    if (this.#visible()) this.#post({ type: 'state', state: this.#state() });
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.send();
    }, FRAME_MS);
  }

  /** The run that is shown: one that is going on comes before one a person chose. */
  get #run(): GateRunView | undefined {
    const { run } = this.#parts.model.view;
    if (run?.running || this.#chosen === undefined) return run;
    return this.#parts.model.past(this.#chosen) ?? run;
  }

  #state(): GateViewState {
    const { held, status, trusted, server, history } = this.#parts.model.view;
    const run = this.#run;
    const blocked = !trusted
      ? 'This workspace is not trusted, so no project command runs. State can still be read.'
      : server === 'failed'
        ? 'The Discern server isn’t running. Restart it from the status bar.'
        : undefined;
    const next = status && nextStep(status);
    return {
      ...(blocked !== undefined && { blocked }),
      held: held?.root ?? null,
      roomy: this.#roomy,
      ...(next && { next }),
      ...(status && { proof: status.proof, reviewable: status.ahead > 0 }),
      ...(this.#roomy && { history: [...history] }),
      ...(run && { run }),
    };
  }

  #post(message: ToGateView): void {
    this.#webview
      .postMessage(message)
      .then(undefined, (error: unknown) => this.#parts.log.warn(words(error)));
  }

  async #receive(message: unknown): Promise<void> {
    const { parseGateMessage } = await import('./client.ts');
    const wish = parseGateMessage(message);
    switch (wish.type) {
      case 'ready':
        return this.send();
      case 'run':
        return this.#parts.run(wish.verb);
      case 'cancel':
        return this.#parts.cancel();
      case 'review':
        return this.#parts.review();
      case 'openEditor':
        return this.#parts.openEditor();
      case 'showRun':
        this.#chosen = wish.call;
        return this.send();
      case 'output':
        return this.#sendOutput(wish.job);
      case 'openOutput': {
        const path = this.#outputOf(wish.job);
        if (path !== undefined)
          await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true });
        return;
      }
      case 'open':
        return this.#openFinding(wish.diagnostic);
      case 'openPlace':
        return this.#openPrinted(wish.file, wish.line, wish.column);
      case 'openUrl':
        if (/^https?:\/\//.test(wish.url)) await vscode.env.openExternal(vscode.Uri.parse(wish.url));
    }
  }

  #outputOf(job: string): string | undefined {
    return this.#run?.jobs.find((one) => one.name === job)?.output_path;
  }

  async #sendOutput(job: string): Promise<void> {
    const path = this.#outputOf(job);
    if (path === undefined) return;
    const { size } = await stat(path);
    const from = Math.max(0, size - (this.#roomy ? ROOMY_OUTPUT_LIMIT : OUTPUT_LIMIT));
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
      const text = buffer.subarray(0, bytesRead).toString('utf8');
      this.#post({ type: 'output', job, text, cut: from });
    } finally {
      await file.close();
    }
  }

  async #openFinding(index: number): Promise<void> {
    const found = this.#run?.diagnostics[index];
    const path = found?.file ?? found?.output_path;
    if (!found || path === undefined) return;
    await this.#openAt(path, found.file === undefined ? undefined : (found.line ?? 1), found.column);
  }

  /** A place that a job printed, which may be no file at all. */
  async #openPrinted(file: string, line: number, column: number | undefined): Promise<void> {
    try {
      await this.#openAt(file, line, column);
    } catch (error) {
      this.#parts.log.info(`${file} cannot be opened: ${words(error)}`);
      vscode.window.setStatusBarMessage(`$(warning) There is no file ${file} here`, 5000);
    }
  }

  async #openAt(path: string, line: number | undefined, column = 1): Promise<void> {
    const run = this.#run;
    if (!run) return;
    const { folders } = this.#parts.model.view;
    const uri = vscode.Uri.file(asShown(isAbsolute(path) ? path : join(run.root, path), folders));
    const position = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, column - 1));
    await vscode.window.showTextDocument(uri, {
      preview: true,
      ...(line !== undefined && { selection: new vscode.Range(position, position) }),
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const one of this.#subscriptions) one.dispose();
  }
}
