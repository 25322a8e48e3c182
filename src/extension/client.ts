import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { Held } from '../contract/data.ts';
import type { Envelope } from '../contract/envelope.ts';
import { FromGateView } from '../contract/gate-view.ts';
import type { Verb } from '../contract/verbs.ts';
import { personMethods, WindowEvent, windowNotification } from '../contract/window.ts';

/** How long the server may take to answer what it answers from memory, in milliseconds. */
const QUICK_MS = 15_000;
/** Gates run for as long as their own limits allow; the client must not be the one to give up. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** MCP over the streams of a process we started ourselves, since its life is the window's and not the client's. */
class ChildTransport implements Transport {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #buffer = new ReadBuffer();
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
  }

  async start(): Promise<void> {
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#buffer.append(chunk);
      this.#drain();
    });
    this.#child.stdin.on('error', (error) => this.onerror?.(error));
    this.#child.once('exit', () => this.onclose?.());
  }

  /** Hands on every whole message; a line that is none (a server that answers garbage) is reported and passed over. */
  #drain(): void {
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error);
      }
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}

/** The person's connection to the window's server. */
export class PersonClient {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Connects over a server's streams. `onEvent` gets what the server tells by itself. */
  static async connect(
    child: ChildProcessWithoutNullStreams,
    version: string,
    onEvent: (event: WindowEvent) => void,
    onError: (error: Error) => void,
  ): Promise<PersonClient> {
    const client = new Client({ name: 'Discern for VS Code', version }, { capabilities: {} });
    client.onerror = onError;
    client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method !== windowNotification) return;
      const event = WindowEvent.safeParse(params);
      if (event.success) onEvent(event.data);
      else
        onError(
          new Error(
            `The server sent an event of a kind this extension does not know: ${event.error.message}`,
          ),
        );
    };
    await client.connect(new ChildTransport(child), { timeout: QUICK_MS });
    return new PersonClient(client);
  }

  /** Runs a verb as the person. Resolves with the envelope, refusals included; rejects when the server is gone. */
  async call(verb: Verb, args: Record<string, unknown>, signal?: AbortSignal): Promise<Envelope> {
    const quick = verb === 'status' || verb === 'scopes';
    const result = await this.#client.callTool({ name: `discern_${verb}`, arguments: args }, undefined, {
      timeout: quick ? QUICK_MS * 4 : NO_LIMIT_MS,
      ...(signal && { signal }),
    });
    return result.structuredContent as unknown as Envelope;
  }

  /** The held root as it stands. */
  async held(): Promise<Held> {
    return (await this.#request(personMethods.held, {})).held;
  }

  /** The person's own re-aim; resolves with the root held then. */
  async aim(path: string): Promise<Held> {
    return (await this.#request(personMethods.aim, { path })).held;
  }

  /** Tells the server that the person trusts the workspace now. */
  async trust(): Promise<void> {
    await this.#request(personMethods.trust, { trusted: true });
  }

  /** Cancels a running call, an agent's too. */
  async cancel(call: number): Promise<boolean> {
    return (await this.#request(personMethods.cancel, { call })).cancelled;
  }

  /** What the server would say of a discern.toml with this text. */
  checkConfig(text: string, file: string): Promise<z.infer<typeof personMethods.checkConfig.result>> {
    return this.#request(personMethods.checkConfig, { text, file });
  }

  /** Calls one of the person's own methods (contract `personMethods`). */
  #request<Result extends z.ZodType>(
    method: { method: string; result: Result },
    params: Record<string, unknown>,
  ): Promise<z.infer<Result>> {
    return this.#client.request({ method: method.method, params }, method.result as never, {
      timeout: QUICK_MS,
    }) as Promise<z.infer<Result>>;
  }
}

/** A message of the Gate view, checked. Here, beside the other schemas, because they are loaded when first needed. */
export const parseGateMessage = (message: unknown): FromGateView => FromGateView.parse(message);
