import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { WindowEvent } from '../contract/window.ts';
import type { PersonClient } from './client.ts';
import { type Log, words } from './log.ts';

/** What the window's server is doing. */
export type ServerState = 'stopped' | 'starting' | 'running' | 'failed';

/** One start of the server's process. */
export interface Launch {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** Times in milliseconds, and how many deaths in a row are one's limit. */
export interface Pace {
  /** Restart delays grow from the first to the last. */
  firstDelay: number;
  lastDelay: number;
  /** A server that lived this long was healthy: the delay starts over. */
  healthy: number;
  /** After this many deaths in a row the person decides. */
  mostDeaths: number;
  /** How long a server may take to leave when its input ends. */
  leaving: number;
  /** How long the server may take to answer what it answers from memory. */
  quick: number;
}

const usual: Pace = {
  firstDelay: 300,
  lastDelay: 20_000,
  healthy: 30_000,
  mostDeaths: 5,
  leaving: 2_500,
  quick: 15_000,
};

export interface KeeperOptions {
  /** Worked out anew for each start: folders and trust may have changed since the last. */
  launch: () => Launch;
  version: string;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Told once the connection stands, before anyone else uses it. */
  onConnected: (client: PersonClient) => Promise<void>;
  onEvent: (event: WindowEvent) => void;
  onState: (state: ServerState) => void;
  /** Says something to the person. */
  tell: (message: string) => void;
  pace?: Partial<Pace>;
}

/**
 * Keeps one server process: starts it when it is needed, connects to it as the person, starts it again with a growing delay
 * when it dies or no longer answers, and gives up after several deaths in a row. There is never more than one: the next is
 * started when the last is gone, since the two share a socket and a state file.
 */
export class ServerKeeper {
  readonly #options: KeeperOptions;
  readonly #pace: Pace;
  #state: ServerState = 'stopped';
  #child: ChildProcessWithoutNullStreams | undefined;
  #client: Promise<PersonClient> | undefined;
  #deaths = 0;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#pace = { ...usual, ...options.pace };
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
    return this.#take(this.#start());
  }

  /** Ends the server, if it runs, and starts another. */
  restart(): Promise<PersonClient> {
    if (this.#stopping) return Promise.reject(new Error('The window is closing.'));
    clearTimeout(this.#timer);
    this.#deaths = 0;
    const old = this.#child;
    this.#child = undefined;
    return this.#take((old ? this.#leave(old) : Promise.resolve()).then(() => this.#start()));
  }

  /** Ends the server by ending its input, as MCP says; it takes everything it started along. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    if (this.#child) await this.#leave(this.#child);
  }

  /** Makes a start the one everybody waits for, until it fails. */
  #take(starting: Promise<PersonClient>): Promise<PersonClient> {
    this.#client = starting;
    starting.catch(() => {
      if (this.#client === starting) this.#client = undefined;
    });
    return starting;
  }

  async #start(): Promise<PersonClient> {
    const { launch, version, log, onConnected, onEvent } = this.#options;
    this.#set('starting');
    const { command, args, env, cwd } = launch();
    const began = Date.now();
    const child = spawn(command, args, { env, cwd, windowsHide: true });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => log.warn(`server: ${chunk.toString('utf8').trimEnd()}`));
    child.once('error', (error) => {
      log.error(`The server could not be started: ${error.message}`);
      // A process that never was does not exit either.
      if (child.pid === undefined) this.#died(child, 0, error.message);
    });
    child.once('exit', (code, signal) => this.#died(child, Date.now() - began, signal ?? code));
    try {
      const { PersonClient } = await import('./client.ts');
      const client = await PersonClient.connect(child, version, {
        quick: this.#pace.quick,
        onEvent,
        onError: (error) => log.warn(`server: ${words(error)}`),
        onSilence: () => this.#silent(child),
      });
      await onConnected(client);
      log.info(`Server ${child.pid} runs: ${args.slice(1).join(' ')}`);
      this.#set('running');
      return client;
    } catch (error) {
      await this.#leave(child);
      throw error;
    }
  }

  /** A server that does not even answer a ping is as good as dead, and is ended so that another can take its place. */
  #silent(child: ChildProcessWithoutNullStreams): void {
    if (this.#child !== child || this.#stopping) return;
    this.#options.log.error(`Server ${child.pid} does not answer any more; it is ended.`);
    child.kill('SIGKILL');
  }

  #died(child: ChildProcessWithoutNullStreams, lived: number, how: string | number | null): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#client = undefined;
    if (this.#stopping) {
      this.#set('stopped');
      return;
    }
    this.#deaths = lived > this.#pace.healthy ? 1 : this.#deaths + 1;
    this.#options.log.error(`The server ended by itself (${how}) after ${Math.round(lived / 1000)} s.`);
    if (this.#deaths >= this.#pace.mostDeaths) {
      this.#set('failed');
      this.#options.tell(`Discern's server ended ${this.#deaths} times in a row.`);
      return;
    }
    this.#set('starting');
    if (this.#deaths === 1)
      this.#options.tell(
        'Discern’s server ended unexpectedly; it is started again, and holds the same root.',
      );
    const delay = Math.min(this.#pace.firstDelay * 3 ** (this.#deaths - 1), this.#pace.lastDelay);
    this.#timer = setTimeout(() => {
      this.client().catch((error: unknown) =>
        this.#options.log.error(`The server did not start: ${words(error)}`),
      );
    }, delay);
  }

  #set(state: ServerState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState(state);
  }

  /** Resolves when the process is gone; one that will not leave is killed, and its watchdog ends its jobs. */
  #leave(child: ChildProcessWithoutNullStreams): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
      return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), this.#pace.leaving);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      child.stdin.end();
    });
  }
}
