import type { FromGateView, ToGateView } from '../contract/gate-view.ts';
import { type Memory, readMemory } from './model/memory.ts';

interface VsCodeApi {
  postMessage(message: FromGateView): void;
  getState(): unknown;
  setState(state: Memory): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The extension, and what VS Code keeps for the view while it is hidden. May be made once only. */
export class Host {
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

  /** Hands on every message of the extension's. Nothing else can post to a webview's own window. */
  listen(receive: (message: ToGateView) => void): void {
    window.addEventListener('message', ({ data }: MessageEvent<ToGateView>) => receive(data));
  }
}
