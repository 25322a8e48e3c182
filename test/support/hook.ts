import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { cliFile } from './cli.ts';
import { environment } from './server.ts';

/** The built program of its own, as a plugin starts it. */
export const hookFile = join(dirname(cliFile), 'hook.js');

export interface HookAnswer {
  code: number | null;
  stdout: string;
  stderr: string;
  /** What was answered; `undefined` where nothing was printed. */
  said: HookSaid | undefined;
}

export interface HookSaid {
  decision?: string;
  reason?: string;
  permissionDecision?: string;
  hookSpecificOutput?: {
    hookEventName: string;
    permissionDecision?: string;
    permissionDecisionReason?: string;
    additionalContext?: string;
  };
}

export interface HookRun {
  /** The user's own folder for state; nothing outside of it may be written. */
  env: Record<string, string>;
  words: string[];
  /** An object goes as JSON, `null` leaves stdin open and says nothing. */
  stdin: object | string | null;
  file?: string;
  /** What it prints is no JSON. */
  raw?: true;
}

/** Starts a hook, gives it its event and reads what it answers. */
export function runHook({ env, words, stdin, file = hookFile, raw }: HookRun): Promise<HookAnswer> {
  const child = spawn(process.execPath, [file, ...words], { cwd: '/', env: environment(env) });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const answer = new Promise<HookAnswer>((resolve, reject) => {
    child.on('error', reject);
    child.stdin.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, ...text, said: raw || text.stdout === '' ? undefined : JSON.parse(text.stdout) });
    });
  });
  if (stdin !== null) child.stdin.end(typeof stdin === 'string' ? stdin : JSON.stringify(stdin));
  return answer;
}
