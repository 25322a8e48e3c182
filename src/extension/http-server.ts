import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** Where projects are served, and the secret every request has to bring. */
export interface Served {
  url: string;
  secret: string;
}

export interface ServeOptions {
  /** Where the built programs lie. */
  dist: string;
  /** Directories of the projects. */
  roots: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Told what the server says, line by line; the secret is never in it. */
  log: (line: string) => void;
  /** Told when the server ended though nobody stopped it. */
  onEnded: () => void;
}

/** How long a server may take to serve, and to leave, in milliseconds. */
const STARTING_MS = 15_000;
const LEAVING_MS = 2_500;

/**
 * One server over HTTP on loopback, with a fresh secret and a free port for each start. It ends when it is stopped, and also when
 * this process dies, since its stdin ends then.
 */
export class HttpServer {
  #child: ChildProcess | undefined;
  #served: Promise<Served> | undefined;

  /** What is served, or nothing. */
  get served(): Promise<Served> | undefined {
    return this.#served;
  }

  /** Starts the server where none runs. Rejects with what it said when it cannot serve. */
  start(options: ServeOptions): Promise<Served> {
    if (this.#served !== undefined) return this.#served;
    const secret = randomBytes(32).toString('hex');
    const child = spawn(
      process.execPath,
      [
        join(options.dist, 'server.js'),
        ...['--transport', 'http', '--host', '127.0.0.1', '--port', '0', '--path', '/mcp'],
        '--until-stdin-ends',
        ...options.roots.flatMap((root) => ['--root', root]),
      ],
      {
        cwd: options.cwd,
        env: { ...withoutOurs(options.env), ELECTRON_RUN_AS_NODE: '1', DISCERN_MCP_TOKEN: secret },
        stdio: ['pipe', 'ignore', 'pipe'],
        windowsHide: true,
      },
    );
    this.#child = child;
    const serving = this.#whenServing(child, options).then((url) => ({ url, secret }));
    this.#served = serving;
    child.once('close', () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#served = undefined;
      serving.then(options.onEnded, () => undefined);
    });
    return serving;
  }

  #whenServing(child: ChildProcess, { log }: ServeOptions): Promise<string> {
    return new Promise((resolve, reject) => {
      let said = '';
      const timer = setTimeout(() => {
        reject(new Error('The server does not serve.'));
        child.kill('SIGKILL');
      }, STARTING_MS);
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        log(chunk.trimEnd());
        said = `${said}${chunk}`.slice(-4_000);
        const url = /serving (http:\S+)/.exec(said)?.[1];
        if (url === undefined) return;
        clearTimeout(timer);
        resolve(url);
      });
      child.once('error', reject);
      child.once('close', () => {
        clearTimeout(timer);
        reject(new Error(said.trim() || 'The server ended.'));
      });
    });
  }

  /** Ends the server, if one runs, and with it what runs in it. Resolves when it is gone. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#served = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), LEAVING_MS);
      child.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      child.stdin?.end();
    });
  }
}

/** Settings of servers a person starts by hand are none of this one's: they could open it to other machines. */
const withoutOurs = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^DISCERN_/i.test(name)));

/** A client's configuration, as its file or its command line has it. */
export const clientConfigs = {
  'mcpServers (Claude Code, Copilot CLI, Cursor, Gemini CLI)': ({ url, secret }: Served) =>
    json({ mcpServers: { discern: { type: 'http', url, headers: bearer(secret) } } }),
  'servers (VS Code’s mcp.json)': ({ url, secret }: Served) =>
    json({ servers: { discern: { type: 'http', url, headers: bearer(secret) } } }),
  'claude mcp add (a command)': ({ url, secret }: Served) =>
    `claude mcp add --transport http discern ${url} --header "Authorization: Bearer ${secret}"`,
} as const;

const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });
const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
