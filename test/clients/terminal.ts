import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { until } from '../support/processes.ts';
import { type Command, type Launch, surroundings } from './driver.ts';

const exec = promisify(execFile);

/** A client in a terminal of its own, as a person would have it before them. */
export interface Terminal {
  /** Types a line and sends it, past a list of completions that may have opened. */
  type(line: string): Promise<void>;
  /** Presses a key, by tmux's name for it. */
  press(key: string): Promise<void>;
  /** What stands on the screen. */
  screen(): Promise<string>;
  /** Waits for something to stand on the screen. */
  shows(pattern: RegExp): Promise<void>;
  /** Ends the terminal and what runs in it. */
  close(): Promise<void>;
}

/** Starts a client in a terminal that tmux holds, on a socket of its own. */
export async function openTerminal(
  { file, args, env }: Command,
  { home, cwd, around }: Pick<Launch, 'home' | 'cwd' | 'around'>,
): Promise<Terminal> {
  const socket = `discern-${randomUUID()}`;
  const whole = { ...(around ?? surroundings(home)), PWD: cwd, ...env };
  const tmux = (...rest: string[]) =>
    exec('tmux', ['-L', socket, '-f', '/dev/null', ...rest], { env: whole }).then(
      ({ stdout }) => stdout,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        throw new Error('tmux holds interactive clients: install it (apt install tmux, brew install tmux).');
      },
    );
  const size = ['-x', '180', '-y', '50'];
  // What a client that has ended said stays to be read.
  const stays = ['set-option', '-g', 'remain-on-exit', 'on', ';'];
  await tmux('start-server', ';', ...stays, 'new-session', '-d', ...size, '-c', cwd, '--', file, ...args);
  const screen = () => tmux('capture-pane', '-p');
  let closed = false;
  const press = async (key: string) => {
    await tmux('send-keys', key);
    // Escape and the next key would be one key with Alt to a client that reads both at once.
    await sleep(400);
  };
  return {
    screen,
    press,
    async type(line) {
      await tmux('send-keys', '-l', line);
      const typed = async () => (await screen()).includes(line);
      await until(`"${line}" is typed`, typed);
      await sleep(400);
      if (line.startsWith('/')) await press('Escape');
      await press('Enter');
      // A client that is busy may have passed the key over: the line then still stands in its input, on the border below it.
      const stands = async () => {
        const lines = (await screen()).split('\n');
        const at = lines.findLastIndex((one) => one.includes(line));
        return at !== -1 && /^─+$/.test(lines[at + 1]?.trim() ?? '');
      };
      for (let tries = 0; tries < 20 && (await stands()); tries++) {
        await sleep(600);
        if (await stands()) await press('Enter');
      }
    },
    async shows(pattern) {
      try {
        await until(`the screen shows ${pattern}`, async () => pattern.test(await screen()));
      } catch (error) {
        throw new Error(`${error instanceof Error ? error.message : error}\n${await screen()}`);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      // The server of a terminal whose client has ended is gone already.
      await tmux('kill-server').catch((error: Error) => {
        if (!/no server running|error connecting/.test(error.message)) throw error;
      });
    },
  };
}
