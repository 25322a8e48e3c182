import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { endGroup, groupGone } from './group.ts';
import { unwatchGroup, watchGroup } from './watchdog.ts';

export interface CommandOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** File that gets everything the command prints, appended. */
  outputPath: string;
  /** A file of its own for what it prints on its standard output. */
  stdoutPath?: string;
  /** A file it reads as its standard input; absent for nothing to read. */
  stdinPath?: string;
  /** Milliseconds; absent for no limit. */
  timeoutMs?: number | undefined;
  signal: AbortSignal;
}

export interface CommandResult {
  /** Absent when a signal ended it or it could not be started. */
  exitCode?: number;
  /** The signal that ended it, whoever sent it. */
  killedBy?: NodeJS.Signals;
  /** Why we ended it; absent when it ended by itself. */
  ended?: 'timed_out' | 'cancelled';
  /** Set when the shell itself could not be started. */
  startError?: string;
  /** It left processes running behind its back; they were ended. */
  leftovers: boolean;
  /** Something of it could not be ended and may still run. */
  stuck: boolean;
}

/** What still runs this many milliseconds after its shell has ended was left behind, and is not just leaving. */
const LEAVING_MS = 200;

/**
 * Waits for one line before becoming the command. A server that dies between starting the process and telling the
 * watchdog of it never sends that line, and the shell then reads the end of its input and leaves.
 */
const gated = 'read -r _ || exit 125; exec /bin/sh -c "$1" <"$2"';

interface Streams {
  stdin: number;
  stdout: number;
  stderr: number;
}

function spawnShell(
  command: string,
  options: CommandOptions,
  { stdin, stdout, stderr }: Streams,
): ChildProcess {
  const { cwd, env, stdinPath = '/dev/null' } = options;
  if (process.platform === 'win32') {
    return spawn(command, { cwd, env, shell: true, stdio: [stdin, stdout, stderr], windowsHide: true });
  }
  return spawn('/bin/sh', ['-c', gated, 'discern', command, stdinPath], {
    cwd,
    env,
    stdio: ['pipe', stdout, stderr],
    detached: true,
  });
}

function start(command: string, options: CommandOptions): ChildProcess | Error {
  const { outputPath, stdoutPath = outputPath, stdinPath = devNull } = options;
  const open: number[] = [];
  const opened = (path: string, flags: string) => {
    const file = openSync(path, flags);
    open.push(file);
    return file;
  };
  try {
    // One file gets both streams as they come.
    const stderr = opened(outputPath, 'a');
    const stdout = stdoutPath === outputPath ? stderr : opened(stdoutPath, 'a');
    return spawnShell(command, options, { stdin: opened(stdinPath, 'r'), stdout, stderr });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    for (const file of open) closeSync(file);
  }
}

interface Exit {
  code: number | null;
  killedBy?: NodeJS.Signals | null;
  error?: Error;
}

/**
 * Runs one command through the platform's shell, in its own process group, with its output going straight to a file
 * so that any amount of it costs us no memory. Resolves when nothing of the group is left, or with `stuck`. Never rejects.
 */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandResult> {
  if (options.signal.aborted) return { ended: 'cancelled', leftovers: false, stuck: false };
  const child = start(command, options);
  if (child instanceof Error) return { startError: child.message, leftovers: false, stuck: false };
  const exit = new Promise<Exit>((resolve) => {
    child.on('exit', (code, killedBy) => resolve({ code, killedBy }));
    child.on('error', (error) => resolve({ code: null, error }));
  });
  const { pid } = child;
  if (pid === undefined) {
    const { error } = await exit;
    return { startError: error?.message ?? 'it has no process', leftovers: false, stuck: false };
  }
  await watchGroup(pid);
  // EPIPE when the shell was ended before it read the line; its exit tells.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end('go\n');
  const result = await follow(pid, exit, options);
  if (result.stuck) child.unref();
  unwatchGroup(pid);
  return result;
}

/** Waits for a started command, ends it when it must, and ends what it leaves behind. */
async function follow(pid: number, exit: Promise<Exit>, options: CommandOptions): Promise<CommandResult> {
  const interruption = interrupted(options);
  const why = await Promise.race([exit, interruption.came]);
  interruption.forget();
  if (typeof why === 'string') {
    const gone = await endGroup(pid);
    return { ...exitOf(gone ? await exit : { code: null }), ended: why, leftovers: false, stuck: !gone };
  }
  const leftovers = process.platform !== 'win32' && !(await groupGone(pid, LEAVING_MS));
  const gone = leftovers ? await endGroup(pid) : true;
  return { ...exitOf(why), leftovers, stuck: !gone };
}

function exitOf({ code, killedBy }: Exit): Pick<CommandResult, 'exitCode' | 'killedBy'> {
  return { ...(code !== null && { exitCode: code }), ...(killedBy && { killedBy }) };
}

/** Resolves `came` when the caller cancels or the time is up; `forget` gives both up. */
function interrupted({ signal, timeoutMs }: CommandOptions) {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const came = new Promise<'timed_out' | 'cancelled'>((resolve) => {
    onAbort = () => resolve('cancelled');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    if (timeoutMs) timer = setTimeout(() => resolve('timed_out'), timeoutMs);
  });
  return {
    came,
    forget() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
