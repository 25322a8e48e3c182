import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as vscode from 'vscode';
import type { WindowEvent } from '../contract/window.ts';
import { type WindowAddress, windowAddress } from '../contract/window-address.ts';
import type { PersonClient } from './client.ts';
import { type Log, words } from './log.ts';
import { type Launch, ServerKeeper, type ServerState } from './server-keeper.ts';

export interface ServerOptions {
  dist: string;
  version: string;
  stateFile: string;
  log: Log;
  /** Told once the connection stands, before anyone else uses it. */
  onConnected: (client: PersonClient) => Promise<void>;
  onEvent: (event: WindowEvent) => void;
}

/** A private address for the window's server, with the folder made where it needs one. */
function newAddress(): WindowAddress {
  const made = windowAddress(randomBytes(8).toString('hex'), tmpdir(), process.platform);
  if (made.folder !== undefined) {
    mkdirSync(made.folder, { mode: 0o700 });
    chmodSync(made.folder, 0o700);
  }
  return made;
}

/**
 * The one server process of this window, kept as long as the window lives and stopped with it. It is started with VS Code's
 * own Node, and is ours alone: what VS Code starts is only `attach.js`, which joins it.
 */
export class WindowServer implements vscode.Disposable {
  readonly #address = newAddress();
  readonly socket = this.#address.address;
  readonly #options: ServerOptions;
  readonly #keeper: ServerKeeper;
  readonly #changed = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.#changed.event;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#keeper = new ServerKeeper({
      launch: () => this.#launch(),
      version: options.version,
      log: options.log,
      onConnected: options.onConnected,
      onEvent: options.onEvent,
      onState: (state) => this.#changed.fire(state),
      tell: (message) => this.#tell(message),
    });
  }

  get state(): ServerState {
    return this.#keeper.state;
  }

  get pid(): number | undefined {
    return this.#keeper.pid;
  }

  /** The connection, starting the server when it does not run. Rejects when it cannot be started. */
  client(): Promise<PersonClient> {
    return this.#keeper.client();
  }

  /** Ends the server, if it runs, and starts another. */
  restart(): Promise<PersonClient> {
    return this.#keeper.restart();
  }

  #launch(): Launch {
    const { dist, stateFile } = this.#options;
    const folders = (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === 'file')
      .map((folder) => folder.uri.fsPath);
    const [first] = folders;
    return {
      command: process.execPath,
      args: [
        join(dist, 'server.js'),
        // Said outright: a person may have set DISCERN_MCP_TRANSPORT for servers of their own.
        '--transport',
        'stdio',
        ...(first === undefined ? [] : ['--root', first]),
        '--state',
        stateFile,
        '--socket',
        this.socket,
        ...(vscode.workspace.isTrusted ? [] : ['--untrusted']),
      ],
      env: {
        ...process.env,
        ELECTRON_RUN_AS_NODE: '1',
        // The other folders of a multi-root window are candidates too, after the first.
        WORKSPACE_FOLDER_PATHS: folders.join(delimiter),
      },
      // Never a project by chance: what the server holds comes from the window, not from where it was started.
      cwd: tmpdir(),
    };
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

  /** Ends the server with the window, and takes its socket away. */
  async stop(): Promise<void> {
    await this.#keeper.stop();
    const { folder } = this.#address;
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
