import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { WindowEvent } from '../contract/window.ts';
import type { PersonClient } from './client.ts';
import { type Log, words } from './log.ts';

/** What the window's server is doing. */
export type ServerState = 'stopped' | 'starting' | 'running' | 'failed';

export interface ServerOptions {
  dist: string;
  version: string;
  stateFile: string;
  log: Log;
  /** Told once the connection stands, before anyone else uses it. */
  onConnected: (client: PersonClient) => Promise<void>;
  onEvent: (event: WindowEvent) => void;
}

/** Restart delays grow from the first to the last, in milliseconds. */
const BACK_OFF = { first: 300, last: 20_000 };
/** A server that lived this long, in milliseconds, was healthy: the delay starts over. */
const HEALTHY_MS = 30_000;
/** After this many deaths in a row the person decides. */
const MOST_DEATHS = 5;
/** How long a server may take to leave when its input ends, in milliseconds. */
const LEAVING_MS = 2_500;

/** A private address for the window socket: a pipe on Windows, elsewhere a socket only this user can reach. */
function newSocketAddress(): string {
  const id = randomBytes(8).toString('hex');
  if (process.platform === 'win32') return `\\\\.\\pipe\\discern-${id}`;
  // Socket paths are short (104 bytes on macOS), so it lies directly below the temp folder.
  const dir = join(tmpdir(), `discern-${id}`);
  mkdirSync(dir, { mode: 0o700 });
  chmodSync(dir, 0o700);
  return join(dir, 's');
}

/**
 * The one server process of this window: started, watched, restarted with a growing delay, and stopped with the window.
 * It is started with VS Code's own Node, and is ours alone: what VS Code starts is only `attach.js`, which joins it.
 */
export class WindowServer implements vscode.Disposable {
  readonly socket = newSocketAddress();
  readonly #options: ServerOptions;
  readonly #changed = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.#changed.event;
  #state: ServerState = 'stopped';
  #child: ChildProcessWithoutNullStreams | undefined;
  #client: Promise<PersonClient> | undefined;
  #deaths = 0;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  get state(): ServerState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The connection, starting the server when it does not run. Rejects when it cannot be started. */
  client(): Promise<PersonClient> {
    if (this.#client) return this.#client;
    if (this.#stopping) return Promise.reject(new Error('The window is closing.'));
    clearTimeout(this.#timer);
    this.#client = this.#start();
    return this.#client;
  }

  /** Ends the server, if it runs, and starts another. */
  async restart(): Promise<PersonClient> {
    this.#deaths = 0;
    const old = this.#child;
    this.#child = undefined;
    this.#client = undefined;
    if (old) await leave(old);
    return this.client();
  }

  async #start(): Promise<PersonClient> {
    const { dist, version, stateFile, log, onConnected, onEvent } = this.#options;
    this.#set('starting');
    const folders = (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === 'file')
      .map((folder) => folder.uri.fsPath);
    const [first] = folders;
    const args = [
      join(dist, 'server.js'),
      ...(first === undefined ? [] : ['--root', first]),
      '--state',
      stateFile,
      '--socket',
      this.socket,
      ...(vscode.workspace.isTrusted ? [] : ['--untrusted']),
    ];
    const began = Date.now();
    const child = spawn(process.execPath, args, {
      env: {
        ...process.env,
        ELECTRON_RUN_AS_NODE: '1',
        // The other folders of a multi-root window are candidates too, after the first.
        WORKSPACE_FOLDER_PATHS: folders.join(delimiter),
      },
      // Never a project by chance: what the server holds comes from the window, not from where it was started.
      cwd: tmpdir(),
      windowsHide: true,
    });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => log.warn(`server: ${chunk.toString('utf8').trimEnd()}`));
    child.once('error', (error) => log.error(`The server could not be started: ${error.message}`));
    child.once('exit', (code, signal) => this.#died(child, Date.now() - began, signal ?? code));
    try {
      const { PersonClient } = await import('./client.ts');
      const client = await PersonClient.connect(child, version, onEvent, (error) =>
        log.warn(`server: ${words(error)}`),
      );
      await onConnected(client);
      log.info(`Server ${child.pid} runs for ${first ?? 'a window without a folder'}.`);
      this.#set('running');
      return client;
    } catch (error) {
      if (this.#child === child) this.#client = undefined;
      await leave(child);
      throw error;
    }
  }

  #died(child: ChildProcessWithoutNullStreams, lived: number, how: string | number | null): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#client = undefined;
    if (this.#stopping) {
      this.#set('stopped');
      return;
    }
    this.#deaths = lived > HEALTHY_MS ? 1 : this.#deaths + 1;
    this.#options.log.error(`The server ended by itself (${how}) after ${Math.round(lived / 1000)} s.`);
    if (this.#deaths >= MOST_DEATHS) {
      this.#set('failed');
      this.#tell(`Discern's server ended ${this.#deaths} times in a row.`);
      return;
    }
    this.#set('starting');
    if (this.#deaths === 1)
      this.#tell('Discern’s server ended unexpectedly; it was started again, and holds the same root.');
    const delay = Math.min(BACK_OFF.first * 3 ** (this.#deaths - 1), BACK_OFF.last);
    this.#timer = setTimeout(() => {
      this.client().catch((error: unknown) =>
        this.#options.log.error(`The server did not start: ${words(error)}`),
      );
    }, delay);
  }

  #tell(message: string): void {
    const restart = 'Restart Server';
    const show = 'Show Log';
    vscode.window.showWarningMessage(message, restart, show).then(
      (choice) => {
        if (choice === restart) return vscode.commands.executeCommand('discern.restartServer');
        if (choice === show) return vscode.commands.executeCommand('discern.showLog');
      },
      (error: unknown) => this.#options.log.error(words(error)),
    );
  }

  #set(state: ServerState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#changed.fire(state);
  }

  /** Ends the server by ending its input, as MCP says; it takes everything it started along. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child) await leave(child);
    if (process.platform !== 'win32') rmSync(dirname(this.socket), { recursive: true, force: true });
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** Resolves when the process is gone; one that will not leave is killed, and its watchdog ends its jobs. */
function leave(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), LEAVING_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.stdin.end();
  });
}
