import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** True while a process runs; a zombie that nobody has reaped does not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // Without /proc the signal's answer stands; with it, the process has just ended.
    return process.platform !== 'linux';
  }
}

/** Waits for something that must come; how long it takes is not judged, only that it comes at all. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error(`It never came to be that ${what}.`);
}

type Part = (...args: string[]) => Promise<void>;

/**
 * Lets a test file stand in for another process: it calls this first, and is no test file when it answers true. Started by
 * {@link processes}, it then plays the part it was asked for and exits.
 */
export function playsPart(parts: Record<string, Part>): boolean {
  const [, , flag, name = '', ...args] = process.argv;
  if (flag !== '--part') return false;
  const part = parts[name];
  if (!part) throw new Error(`There is no part "${name}".`);
  part(...args).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
      process.exit(1);
    },
  );
  return true;
}

export interface Player {
  child: ChildProcess;
  pid: number;
  /** What it printed so far. */
  said(): string;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
}

/** Other processes of one test file; `endAll` goes into `afterEach`. */
export function processes(file: string) {
  const started: Player[] = [];
  return {
    /** Starts `file` again, to play a part. */
    play(part: string, ...args: string[]): Player {
      const child = spawn(process.execPath, [file, '--part', part, ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
        child.on('close', (code, signal) => resolve(signal ?? code));
      });
      const player = { child, pid: child.pid ?? -1, said: () => text, ended };
      started.push(player);
      return player;
    },
    async endAll(): Promise<void> {
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.splice(0).map(({ ended }) => ended));
    },
  };
}
