import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  type JSONRPCMessage,
  McpError,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { AnswerOf, AnyEnvelope } from '../contract/answers.ts';
import type { Held } from '../contract/data.ts';
import { FromGateView } from '../contract/gate-view.ts';
import { traits } from '../contract/traits.ts';
import type { Args, Verb } from '../contract/verbs.ts';
import { wholeAnswer } from '../contract/whole.ts';
import { personMethods, WindowEvent, WireEnvelope, windowNotification } from '../contract/window.ts';

/** Gates run for as long as their own limits allow; the client must not be the one to give up. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** The resource that changes as the fleet does. */
const FLEET_URI = 'discern://fleet';

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
      try {
        this.#buffer.append(chunk);
      } catch (error) {
        // A message without an end would fill our memory. Whoever sends it is no server of ours any more.
        this.onerror?.(error as Error);
        this.#child.kill('SIGKILL');
        return;
      }
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

export interface PersonOptions {
  /** How long the server may take to answer what it answers from memory, in milliseconds. */
  quick: number;
  /** Gets what the server tells by itself. */
  onEvent: (event: WindowEvent) => void;
  onError: (error: Error) => void;
  /** Told when the server let a quick question pass and then did not answer a ping either. */
  onSilence: () => void;
}

/** The person's connection to the window's server. */
export class PersonClient {
  readonly #client: Client;
  readonly #quick: number;
  readonly #onSilence: () => void;

  private constructor(client: Client, { quick, onSilence }: PersonOptions) {
    this.#client = client;
    this.#quick = quick;
    this.#onSilence = onSilence;
  }

  /** Connects over a server's streams. Rejects when they end, or when it does not greet in time. */
  static async connect(
    child: ChildProcessWithoutNullStreams,
    version: string,
    options: PersonOptions,
  ): Promise<PersonClient> {
    const { quick, onEvent, onError } = options;
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
    await client.connect(new ChildTransport(child), { timeout: quick });
    return new PersonClient(client, options);
  }

  /** Runs a verb as the person. Resolves with the envelope, refusals included; rejects when the server is gone. */
  async call<V extends Verb>(verb: V, args: Args<V>, signal?: AbortSignal): Promise<AnswerOf<V>> {
    const result = await this.#heard(
      this.#client.callTool(
        { name: `discern_${verb}`, arguments: args, _meta: { [wholeAnswer]: true } },
        undefined,
        { timeout: traits[verb].quick ? this.#quick * 4 : NO_LIMIT_MS, ...(signal && { signal }) },
      ),
    );
    const envelope = WireEnvelope.parse(result.structuredContent);
    if (envelope.verb !== verb)
      throw new Error(`The server answered ${envelope.verb} where ${verb} was asked.`);
    // It is of that verb, which no compiler can see of a name it does not know.
    return envelope as AnyEnvelope as AnswerOf<V>;
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

  /** Tells the server which folders are open now. */
  async folders(folders: string[]): Promise<void> {
    await this.#request(personMethods.folders, { folders });
  }

  /** Has the server tell of changes of the fleet from now on. */
  async followFleet(changed: () => void): Promise<void> {
    this.#client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      if (params.uri === FLEET_URI) changed();
    });
    await this.#heard(this.#client.subscribeResource({ uri: FLEET_URI }, { timeout: this.#quick }));
  }

  /** Writes the server into a project's `.mcp.json`, removes it, or shows what would be written; resolves with what a person is told. */
  async mcpJson(action: 'print' | 'write' | 'remove', path: string): Promise<string[]> {
    return (await this.#request(personMethods.mcpJson, { action, path })).lines;
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
    return this.#heard(
      this.#client.request({ method: method.method, params }, method.result as never, {
        timeout: this.#quick,
      }) as Promise<z.infer<Result>>,
    );
  }

  /** An answer; when it does not come in time, the server is asked whether it is there at all. */
  async #heard<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (isTimeout(error)) this.#ping();
      throw error;
    }
  }

  #ping(): void {
    this.#client.ping({ timeout: this.#quick }).catch((error: unknown) => {
      // A connection that has ended is told of by the process's own end.
      if (isTimeout(error)) this.#onSilence();
    });
  }
}

const isTimeout = (error: unknown) => error instanceof McpError && error.code === ErrorCode.RequestTimeout;

/** A message of the Gate view, checked. Here, beside the other schemas, because they are loaded when first needed. */
export const parseGateMessage = (message: unknown): FromGateView => FromGateView.parse(message);
