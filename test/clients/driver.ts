import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../support/server.ts';
import { endProcessesOf } from './processes-of.ts';
import type { Answer, Wire } from './wires.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

/** Where scripts/clients/provision.mjs puts the clients. */
export const installed = join(DISCERN_HOME, '.clients', 'node_modules');

/** The program of a client, by the name npm gives it. */
export const program = (name: string) => join(installed, '.bin', name);

/** What a client needs to be told for one run. */
export interface Launch {
  /** Its own home: what it remembers lies here, and nowhere else. */
  home: string;
  /** Where a person would have typed its command. */
  cwd: string;
  /** The scripted model. */
  model: string;
  /** What the person asks. */
  prompt: string;
  /** The command of our server, as the client's settings have it; an empty one is in none of them. */
  server: string[];
  /** Goes on with the last conversation of this home and directory. */
  resume?: boolean;
  /** Codex's sandbox; it works without one when this is left out. */
  sandbox?: 'workspace-write';
  /** Codex asks its person; it asks nobody when this is left out. */
  approval?: 'on-request';
  /** More lines for Codex's config.toml. */
  toml?: string[];
  /** A directory to work in that the client's own option names; it is launched in \`cwd\`. */
  into?: string;
  /** Its whole environment, in place of this process's own. */
  around?: Record<string, string>;
}

/** A client's command line for one run. */
export interface Command {
  file: string;
  args: string[];
  env: Record<string, string>;
}

/** What the tests need to know of one client. */
export interface Driver {
  name: string;
  package: string;
  wire: Wire;
  /** Calls one of our tools, by the name this client gives it. */
  ours(verb: string, input?: Record<string, unknown>): Answer;
  /** Runs a command in this client's shell; with `workdir` there, if the client has such a thing, else by `cd`. */
  shell(command: string, workdir?: string): Answer;
  /** Writes this client's settings into its home and says how to start it for one request. */
  once(launch: Launch): Promise<Command>;
  /** The same in a terminal, for a person who goes on typing; the prompt is asked at once. */
  interactive?(launch: Launch): Promise<Command>;
}

/** A running client. */
export interface Run {
  child: ChildProcess;
  /** All it printed, standard output and error in the order they came. */
  said(): string;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
}

/** What every client is started with: an own home, no colours, and loopback reached without a proxy. */
export const surroundings = (home: string): Record<string, string> => ({
  ...without(
    environment(),
    /^(XDG_|CLAUDE|COPILOT|CODEX|OPENCODE|GEMINI|GOOGLE|ANTHROPIC|OPENAI|GH_|GITHUB_)/,
  ),
  HOME: home,
  USERPROFILE: home,
  TERM: 'xterm-256color',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
});

const without = (env: Record<string, string>, names: RegExp) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.test(name)));

/** Clients of one test file; `endAll` goes into `afterEach`. */
export function sessions() {
  const runs: Run[] = [];
  const homes: string[] = [];
  return {
    /** An empty home in a temp folder. */
    async home(): Promise<string> {
      const made = await realpath(await mkdtemp(join(tmpdir(), 'discern-client-')));
      homes.push(made);
      await mkdir(join(made, 'tmp'));
      return made;
    },
    /** Starts a client for one request. */
    async start(driver: Driver, launch: Launch): Promise<Run> {
      const { file, args, env } = await driver.once(launch);
      const child = spawn(file, args, {
        cwd: launch.cwd,
        env: { ...(launch.around ?? surroundings(launch.home)), PWD: launch.cwd, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
      }
      const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (code, signal) => resolve(signal ?? code));
      });
      const run = { child, said: () => text, ended };
      runs.push(run);
      return run;
    },
    async endAll(): Promise<void> {
      // A client may leave a daemon behind, which would outlive its home and write it again.
      for (const home of homes) await endProcessesOf(home);
      // One that could not be started has failed its test already.
      await Promise.allSettled(runs.splice(0).map(({ ended }) => ended));
      for (const home of homes.splice(0)) await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
