import { execFile } from 'node:child_process';
import { scrubbedEnv } from '../engine/process/env.ts';

const MOST_OUTPUT = 64 * 1024 * 1024;

/**
 * Runs git as the user has it, hooks and all, where a hook of ours stands in for what a client does by itself; it asks nobody for a
 * password. Rejects with what git said.
 */
export function plainGit(
  cwd: string,
  args: readonly string[],
  signal?: AbortSignal,
  stdin?: string,
): Promise<string> {
  const env = { ...scrubbedEnv(), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GCM_INTERACTIVE: 'never' };
  const options = { cwd, env, maxBuffer: MOST_OUTPUT, windowsHide: true, ...(signal && { signal }) };
  return new Promise((resolve, reject) => {
    const child = execFile('git', [...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else reject(new Error(`git ${args.slice(0, 4).join(' ')}: ${stderr.trim() || error.message}`));
    });
    // A git that wants no input is gone before it is written.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin ?? '');
  });
}

/** What git printed, without the last newline; `undefined` when it failed, which here is an answer. */
export const said = (
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> =>
  plainGit(cwd, args, signal).then(
    (text) => text.replace(/\n$/, ''),
    (error: unknown) => {
      if (signal.aborted) throw error;
      return undefined;
    },
  );
