import { APP_REVISION } from '../../contract/app.ts';

/** What a chat client tells a page of itself. */
export interface HostContext {
  theme?: 'light' | 'dark';
  styles?: { variables?: Record<string, string | undefined> };
}

interface Initialized {
  hostCapabilities?: { serverTools?: object };
  hostContext?: HostContext;
}

interface Wire {
  jsonrpc: '2.0';
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { message?: string };
}

/** The window a page is shown in. */
interface Around {
  postMessage(message: object, origin: string): void;
}

interface Listeners {
  result(result: unknown): void;
  cancelled(): void;
  context(context: HostContext): void;
}

/** The chat client a page is shown in: JSON-RPC by messages to the window around it (MCP Apps, revision 2026-01-26). */
export class ChatHost {
  readonly #parent: Around;
  readonly #listeners: Listeners;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #last = 0;
  #callsTools = false;

  constructor(parent: Around, listeners: Listeners) {
    this.#parent = parent;
    this.#listeners = listeners;
  }

  /** Whether the page may call tools of the server. */
  get callsTools(): boolean {
    return this.#callsTools;
  }

  /** Shakes hands; what is to be shown comes after it. */
  async open(name: string): Promise<void> {
    const { hostCapabilities, hostContext } = (await this.#ask('ui/initialize', {
      appInfo: { name, version: '1' },
      appCapabilities: { availableDisplayModes: ['inline'] },
      protocolVersion: APP_REVISION,
    })) as Initialized;
    this.#callsTools = hostCapabilities?.serverTools !== undefined;
    if (hostContext) this.#listeners.context(hostContext);
    this.#tell('ui/notifications/initialized', {});
  }

  /** Calls a tool of the server. */
  callTool(name: string, args: Record<string, unknown>): Promise<unknown> {
    return this.#ask('tools/call', { name, arguments: args });
  }

  /** Says how much room the page needs. */
  size(width: number, height: number): void {
    this.#tell('ui/notifications/size-changed', { width, height });
  }

  /** Takes one message of the client's. */
  receive(data: unknown): void {
    const message = (data ?? {}) as Wire;
    if (message.method === undefined) this.#answered(message);
    else if (message.id === undefined) this.#heard(message.method, message.params ?? {});
    else this.#answer(message.id, message.method);
  }

  #answered({ id, result, error }: Wire): void {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) return;
    this.#waiting.delete(id as number);
    if (error) waiting.reject(new Error(error.message ?? 'The client refused.'));
    else waiting.resolve(result);
  }

  #heard(method: string, params: Record<string, unknown>): void {
    if (method === 'ui/notifications/tool-result') this.#listeners.result(params);
    else if (method === 'ui/notifications/tool-cancelled') this.#listeners.cancelled();
    else if (method === 'ui/notifications/host-context-changed') this.#listeners.context(params);
  }

  #answer(id: number | string, method: string): void {
    const known = method === 'ping' || method === 'ui/resource-teardown';
    const error = { code: -32_601, message: `This page has no method "${method}".` };
    this.#send({ jsonrpc: '2.0', id, ...(known ? { result: {} } : { error }) });
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  #tell(method: string, params: object): void {
    this.#send({ jsonrpc: '2.0', method, params });
  }

  /** To any origin: a page does not know that of the client it is shown in, and sends nothing that the client has not. */
  #send(message: object): void {
    this.#parent.postMessage(message, '*');
  }
}
