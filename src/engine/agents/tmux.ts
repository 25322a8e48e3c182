import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { devNull } from 'node:os';
import { Refusal } from '../call/refusal.ts';
import { scrubbedEnv } from '../process/env.ts';
import { programOnPath } from '../process/program.ts';

/** The name of the tmux server of ours: apart from the person's own, whose settings and plugins may do anything with a new session. */
const SOCKET = 'discern';

/** How long tmux itself may take for one command. Milliseconds. */
const PATIENCE_MS = 10_000;

/** A terminal of ours that is there. */
export interface Pane {
  /** tmux's own name of it, which a later one may have again. */
  id: string;
  /** Its program has ended. */
  dead: boolean;
  /** Somebody scrolls or selects in it, and keys go to tmux. */
  inMode: boolean;
}

export interface NewPane {
  name: string;
  /** By which it is known again: a number that nobody else has. */
  mark: string;
  cwd: string;
  /** Added to what the terminal's server has. */
  env: NodeJS.ProcessEnv;
  argv: readonly string[];
}

/**
 * Runs the words after it, as they are. tmux may miss what a program said that ended in the same moment, so one that failed is
 * followed by a second of nothing.
 */
const RUN = '"$@"; code=$?; test "$code" = 0 || sleep 1; exit "$code"';

/** What a person types to see a terminal of ours. */
export const attachCommand = (name: string): string => `tmux -L ${SOCKET} attach -t ${name}`;

/**
 * Starts a program in a new terminal: its words as they are, whatever a shell would make of them. What it said stays readable when it ends. Refuses
 * `unavailable` without tmux.
 */
export async function openPane({ name, mark, cwd, env, argv }: NewPane, signal: AbortSignal): Promise<void> {
  const variables = Object.entries(env).flatMap(([key, value]) =>
    value === undefined ? [] : ['-e', `${key}=${value}`],
  );
  const words = ['--', '/bin/sh', '-c', RUN, 'sh', ...argv];
  await succeed(
    [
      // Before the program begins, which may end at once.
      ...['start-server', ';', 'set-option', '-g', 'remain-on-exit', 'on', ';'],
      ...['new-session', '-d', '-s', name, '-x', '180', '-y', '50', '-c', unbroken(cwd)],
      ...[...variables, ...words].map(unbroken),
      ...[';', 'set-option', '-p', '-t', `${name}:`, '@discern', mark],
    ],
    signal,
  );
}

/** tmux takes a word that ends in a semicolon for the end of its command. */
const unbroken = (word: string): string => (word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word);

/** The terminal with a mark; `undefined` when it is gone, or tmux is. */
export async function paneMarked(mark: string, signal: AbortSignal): Promise<Pane | undefined> {
  const { ok, stdout } = await tmux(
    ['list-panes', '-a', '-F', '#{pane_id} #{@discern} #{pane_dead} #{pane_in_mode}'],
    signal,
  );
  if (!ok) return undefined;
  for (const line of stdout.split('\n')) {
    const [id, marked, dead, inMode] = line.split(' ');
    if (id && marked === mark) return { id, dead: dead === '1', inMode: inMode !== '0' };
  }
  return undefined;
}

/** What stands in a terminal, with what has scrolled away and wrapped lines in one. */
export const textIn = ({ id }: Pane, signal: AbortSignal): Promise<string> =>
  succeed(['capture-pane', '-p', '-J', '-S', '-', '-t', id], signal);

/** Lets a terminal close by itself when its program ends. */
export const closeWhenDone = ({ id }: Pane, signal: AbortSignal): Promise<string> =>
  succeed(['set-option', '-p', '-t', id, 'remain-on-exit', 'off'], signal);

/** Closes a terminal whose program has ended. */
export const closePane = ({ id }: Pane, signal: AbortSignal): Promise<string> =>
  succeed(['kill-pane', '-t', id], signal);

/** Puts a text into a terminal as a paste, which no program takes for keys. The text has no control characters but lines and tabs. */
export async function paste({ id }: Pane, text: string, signal: AbortSignal): Promise<void> {
  // Of its own: two that are typed at once into two terminals must not get each other's text.
  const buffer = `discern-${randomBytes(8).toString('hex')}`;
  await succeed(['load-buffer', '-b', buffer, '-'], signal, text);
  await succeed(['paste-buffer', '-d', '-p', '-b', buffer, '-t', id], signal);
}

/** Presses Enter in a terminal. */
export const pressEnter = ({ id }: Pane, signal: AbortSignal): Promise<string> =>
  succeed(['send-keys', '-t', id, 'Enter'], signal);

async function succeed(args: readonly string[], signal: AbortSignal, input?: string): Promise<string> {
  const { ok, stdout, stderr } = await tmux(args, signal, input);
  if (ok) return stdout;
  const why = stderr.trim().slice(0, 300);
  throw new Refusal('unavailable', `tmux could not do it: ${why || 'it said nothing'}.`);
}

interface Outcome {
  ok: boolean;
  stdout: string;
  stderr: string;
}

function tmux(args: readonly string[], signal: AbortSignal, input = ''): Promise<Outcome> {
  const program = programOnPath('tmux', process.env.PATH, true);
  if (program === undefined) {
    throw new Refusal(
      'unavailable',
      'tmux holds the terminals of agents, and it is not on PATH: install it (apt install tmux, brew install tmux), then call again.',
    );
  }
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['-L', SOCKET, '-f', devNull, ...args], {
      env: scrubbedEnv(),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
      stdio: 'pipe',
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.on('error', (error) => {
      if (signal.aborted) reject(new Refusal('cancelled', 'The call was cancelled.'));
      else if (error.name === 'AbortError') resolve({ ok: false, stdout, stderr: 'it did not answer' });
      else reject(error);
    });
    child.on('close', (code) => resolve({ ok: code === 0, stdout, stderr }));
    // One that ended before it read everything says so by its code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
