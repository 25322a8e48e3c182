import { spawn } from 'node:child_process';
import { type IncomingHttpHeaders, request } from 'node:http';
import { StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { until } from './processes.ts';
import {
  type ClientName,
  type Connection,
  type Elicit,
  environment,
  overNew,
  overOld,
  serverFile,
} from './server.ts';

/** The secret of the servers tests start. */
export const token = 'a-secret-for-tests-0123456789';

/** A server process that serves over HTTP. */
export interface HttpServer {
  url: URL;
  pid: number;
  /** Everything it said, on stdout and on stderr. */
  said(): string;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export type Launched = Omit<HttpServer, 'url'>;

interface LaunchOptions {
  /** What is run with the arguments; the server itself unless given. */
  program?: string[];
  cwd?: string;
  env?: Record<string, string>;
}

/** Starts the built server; it may refuse to serve. */
export function launch(
  args: string[],
  { program = [serverFile], cwd = '/', env = {} }: LaunchOptions = {},
): Launched {
  const child = spawn(process.execPath, [...program, ...args], {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  return { pid: child.pid ?? -1, said: () => said, kill: (signal) => child.kill(signal), ended };
}

/** HTTP servers and connections of one test file; `stopAll` goes into `afterEach`. */
export function httpServers() {
  const running: Launched[] = [];
  const open: Omit<Connection, 'pid'>[] = [];
  return {
    /** Serves on a free port of loopback. */
    async serve(args: string[] = [], options: LaunchOptions = {}): Promise<HttpServer> {
      const env = { DISCERN_MCP_TOKEN: token, ...options.env };
      const server = launch(['--transport', 'http', '--port', '0', ...args], { ...options, env });
      running.push(server);
      let ended = false;
      server.ended.then(
        () => {
          ended = true;
        },
        () => undefined,
      );
      const url = () => /serving (http:\S+)/.exec(server.said())?.[1];
      await until('the server serves', () => {
        if (ended) throw new Error(`The server ended: ${server.said()}`);
        return url() !== undefined;
      });
      return { ...server, url: new URL(url() ?? '') };
    },
    async connect(
      url: URL,
      client: ClientName = 'SDK 1.x',
      elicit?: Elicit,
    ): Promise<Omit<Connection, 'pid'>> {
      const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
      const info = { name: 'test', version: '1.0.0' };
      const connection =
        client === 'SDK 1.x'
          ? await overOld(
              new OldTransport(url, options) as Parameters<typeof overOld>[0],
              info,
              undefined,
              elicit,
            )
          : await overNew(new NewTransport(url, options), info, client, elicit);
      open.push(connection);
      return connection;
    },
    async stopAll(): Promise<void> {
      await Promise.all(open.splice(0).map((connection) => connection.close()));
      for (const { kill } of running) kill('SIGTERM');
      await Promise.all(running.splice(0).map(({ ended }) => ended));
    },
  };
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Sent {
  method?: string;
  path?: string;
  /** Beside or instead of those every MCP client sends; `undefined` leaves one out. */
  headers?: Record<string, string | undefined>;
  body?: string;
}

export const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

/** One request with nothing between the test and the socket. By default a good one: `tools/list` with the secret. */
export function send(url: URL, { method = 'POST', path, headers, body }: Sent = {}): Promise<HttpAnswer> {
  const all = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: url.port,
        path: path ?? url.pathname,
        method,
        headers: given as Record<string, string>,
        agent: false,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    sending.on('error', reject);
    sending.end(method === 'POST' ? (body ?? JSON.stringify(listing)) : undefined);
  });
}
