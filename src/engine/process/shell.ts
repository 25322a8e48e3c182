import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { endGroup, groupAlive } from './group.ts';
import { unwatchGroup, watchGroup } from './watchdog.ts';

export interface CommandOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** File that gets everything the command prints, appended. */
  outputPath: string;
  /** Milliseconds; absent for no limit. */
  timeoutMs?: number | undefined;
  signal: AbortSignal;
}

export interface CommandResult {
  /** Absent when a signal ended it or it could not be started. */
  exitCode?: number;
  /** Why we ended it; absent when it ended by itself. */
  ended?: 'timed_out' | 'cancelled';
  /** Set when the shell itself could not be started. */
  startError?: string;
  /** It left processes running behind its back; they were ended. */
  leftovers: boolean;
}

/**
 * Waits for one line before becoming the command. A server that dies between starting the process and telling the
 * watchdog of it never sends that line, and the shell then reads the end of its input and leaves.
 */
const gated = 'read -r _ || exit 125; exec /bin/sh -c "$1" </dev/null';

function spawnShell(command: string, cwd: string, env: NodeJS.ProcessEnv, output: number): ChildProcess {
  if (process.platform === 'win32') {
    return spawn(command, { cwd, env, shell: true, stdio: ['ignore', output, output], windowsHide: true });
  }
  return spawn('/bin/sh', ['-c', gated, 'discern', command], {
    cwd,
    env,
    stdio: ['pipe', output, output],
    detached: true,
  });
}

/**
 * Runs one command through the platform's shell, in its own process group, with its output going straight to a file
 * so that any amount of it costs us no memory. Resolves when nothing of the group is left. Never rejects.
 */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandResult> {
  const { cwd, env, outputPath, timeoutMs, signal } = options;
  if (signal.aborted) return { ended: 'cancelled', leftovers: false };
  const output = openSync(outputPath, 'a');
  let child: ChildProcess;
  try {
    child = spawnShell(command, cwd, env, output);
  } finally {
    closeSync(output);
  }
  const exit = new Promise<{ code: number | null; error?: Error }>((resolve) => {
    child.on('exit', (code) => resolve({ code }));
    child.on('error', (error) => resolve({ code: null, error }));
  });
  const { pid } = child;
  if (pid === undefined) {
    const { error } = await exit;
    return { startError: error?.message ?? 'the shell could not be started', leftovers: false };
  }
  await watchGroup(pid);
  // EPIPE when the shell was ended before it read the line; its exit tells.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end('go\n');

  let ended: CommandResult['ended'];
  const end = (why: 'timed_out' | 'cancelled') => {
    if (ended) return;
    ended = why;
    ending = endGroup(pid);
  };
  let ending: Promise<void> | undefined;
  const onAbort = () => end('cancelled');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const timer = timeoutMs ? setTimeout(() => end('timed_out'), timeoutMs) : undefined;
  const { code } = await exit;
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  await ending;
  let leftovers = false;
  if (process.platform !== 'win32' && groupAlive(pid)) {
    leftovers = !ended;
    await endGroup(pid);
  }
  unwatchGroup(pid);
  return { ...(code !== null && { exitCode: code }), ...(ended && { ended }), leftovers };
}
