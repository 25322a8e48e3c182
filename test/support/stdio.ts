import { spawn } from 'node:child_process';
import type { Envelope } from '../../src/contract/envelope.ts';
import { until } from './processes.ts';
import { environment, serverFile } from './server.ts';

export interface Message {
  jsonrpc: '2.0';
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown> & {
    structuredContent?: Envelope & { data: Record<string, unknown> };
    content?: { text: string }[];
  };
  error?: { code: number; message: string };
}

/** A server process with nothing between the test and its pipes. */
export interface RawServer {
  pid: number;
  /** Every line of stdout so far. */
  lines: string[];
  /** Every line of stdout that is a JSON-RPC message, parsed. */
  messages(): Message[];
  stderr(): string;
  /** Writes messages, all in one write. */
  send(...messages: object[]): void;
  write(text: string | Buffer): void;
  /** The answer to a request, once it is there. */
  answer(id: number): Promise<Message>;
  endInput(): void;
  /** Closes our end of the server's stdout. */
  closeOutput(): void;
  /** Closes our end of the server's stderr. */
  closeErrors(): void;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** One `tools/call` request. */
export const toolCall = (id: number, name: string, args?: unknown, meta?: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, ...(args !== undefined && { arguments: args }), ...(meta && { _meta: meta }) },
});

/** What a 2025-era client says first; the answer has id 0. */
export const hello: object[] = [
  {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
];

interface SpawnOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** A command that becomes the server, given the server's own command line. */
  through?: string[];
}

/** Raw servers of one test file; `stopAll` goes into `afterEach`. */
export function rawServers() {
  const running: RawServer[] = [];
  return {
    start(args: string[] = [], options: SpawnOptions = {}): RawServer {
      const server = spawnServer(args, options);
      running.push(server);
      return server;
    },
    async stopAll(): Promise<void> {
      for (const server of running) server.endInput();
      await Promise.all(running.splice(0).map((server) => server.ended));
    },
  };
}

function spawnServer(args: string[], options: SpawnOptions): RawServer {
  const [command = '', ...rest] = [...(options.through ?? []), process.execPath, serverFile, ...args];
  const child = spawn(command, rest, {
    cwd: options.cwd ?? '/',
    env: environment(options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let partial = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (partial + chunk).split('\n');
    partial = parts.pop() ?? '';
    lines.push(...parts);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  // A server that has ended reads nothing more; what it did before is what tests look at.
  child.stdin.on('error', () => undefined);
  const messages = () => lines.map((line) => JSON.parse(line) as Message);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? -1,
    lines,
    messages,
    stderr: () => said,
    send: (...all) => {
      child.stdin.write(all.map((message) => `${JSON.stringify(message)}\n`).join(''));
    },
    write: (text) => {
      child.stdin.write(text);
    },
    async answer(id) {
      const find = () => messages().find((message) => message.id === id && message.method === undefined);
      await until(`request ${id} is answered`, () => find() !== undefined);
      return find() as Message;
    },
    endInput: () => child.stdin.end(),
    closeOutput: () => child.stdout.destroy(),
    closeErrors: () => child.stderr.destroy(),
    kill: (signal) => {
      child.kill(signal);
    },
    ended,
  };
}
