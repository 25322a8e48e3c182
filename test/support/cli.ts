import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Envelope, envelopeSchema } from '../../src/contract/envelope.ts';
import { type Verb, verbs } from '../../src/contract/verbs.ts';
import { environment } from './server.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

/** The built program. */
export const cliFile = join(process.env.DISCERN_DIST ?? join(DISCERN_HOME, 'dist'), 'cli.js');

export interface CliOptions {
  cwd: string;
  env?: Record<string, string>;
  /** In a process group of its own, as a shell starts it, so that a test can interrupt the whole group. */
  detached?: boolean;
}

export interface CliResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  child: ChildProcess & { stdout: Readable; stderr: Readable };
  pid: number;
  stdout(): string;
  stderr(): string;
  ended: Promise<CliResult>;
}

/** Starts the built program in a plain UTF-8 environment, without the test runner's wishes about colour. */
export function startCli(args: string[], { cwd, env, detached = false }: CliOptions): RunningCli {
  const clean: Record<string, string> = environment({
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/bash',
    ...env,
  });
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'LC_ALL', 'LC_CTYPE']) {
    if (env?.[name] === undefined) delete clean[name];
  }
  const child = spawn(process.execPath, [cliFile, ...args], {
    cwd,
    env: clean,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk;
    });
  }
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...said }));
  });
  return { child, pid: child.pid ?? -1, stdout: () => said.stdout, stderr: () => said.stderr, ended };
}

/** Runs the built program to its end. */
export function cli(args: string[], options: CliOptions): Promise<CliResult> {
  return startCli(args, options).ended;
}

/**
 * Runs a verb with `--json`: stdout must be one envelope that the contract's schema takes, with the whole of its data
 * when the verb succeeded.
 */
export async function json<Data = Record<string, unknown>>(
  [verb, ...args]: [Verb, ...string[]],
  options: CliOptions,
): Promise<{ envelope: Envelope & { data: Data }; result: CliResult }> {
  const result = await cli([verb, ...args, '--json'], options);
  assert.notEqual(result.stdout, '', `no envelope; stderr: ${result.stderr}`);
  const envelope = JSON.parse(result.stdout);
  envelopeSchema(verb, verbs[verb].data as never).parse(envelope);
  if (envelope.ok && !envelope.dry_run) verbs[verb].data.parse(envelope.data);
  return { envelope, result };
}
