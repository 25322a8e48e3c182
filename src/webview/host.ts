import type { FromGateView, ToGateView } from '../contract/gate-view.ts';
import { type Memory, readMemory } from './model/memory.ts';

/** Whoever shows the page: it hears what the page wants, sends what is to be shown, and keeps what the page remembers. */
export interface Host {
  post(message: FromGateView): void;
  recall(): Memory | undefined;
  remember(memory: Memory): void;
  /** Hands on every message of the host's. */
  listen(receive: (message: ToGateView) => void): void;
}

interface VsCodeApi {
  postMessage(message: FromGateView): void;
  getState(): unknown;
  setState(state: Memory): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** True in a webview of VS Code. */
export const isInVsCode = (): boolean => typeof acquireVsCodeApi === 'function';

/** The extension, and what VS Code keeps for the view while it is hidden. May be made once only. */
export class VsCodeHost implements Host {
  readonly #api = acquireVsCodeApi();

  post(message: FromGateView): void {
    this.#api.postMessage(message);
  }

  recall(): Memory | undefined {
    return readMemory(this.#api.getState());
  }

  remember(memory: Memory): void {
    this.#api.setState(memory);
  }

  /** Nothing else than the extension can post to a webview's own window. */
  listen(receive: (message: ToGateView) => void): void {
    window.addEventListener('message', ({ data }: MessageEvent<ToGateView>) => receive(data));
  }
}
