import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { isLooking, lookingArgs, lookingEnv, namedPattern, programsNamed } from '../call/looking.ts';
import { Refusal } from '../call/refusal.ts';
import { exists } from '../files/files.ts';
import { scrubbedEnv } from '../process/env.ts';
import { endGroup } from '../process/group.ts';
import { gitPath, gitProgram, pathName } from '../process/program.ts';
import { GitError } from './error.ts';
import { heardSignal } from './heard.ts';
import { truthEnv, truthSettings } from './truth.ts';
import { turn } from './turns.ts';

export { GitError };

export interface GitResult {
  stdout: Buffer;
  stderr: string;
  code: number;
}

export interface GitOptions {
  /** Exit codes that are answers rather than failures. Default: only 0. */
  ok?: readonly number[];
  stdin?: string | Buffer;
  /** Extra variables, such as GIT_INDEX_FILE for a private index. */
  env?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Runs the repository's hooks, as a person's own git would. */
  hooks?: boolean;
}

/**
 * Settings of the user that would change what we decide or start something we did not ask for (contract §7).
 * Hooks are off: a landing must not depend on, or be rewritten by, what a hook does. A push alone runs the person's own.
 */
const settings = [
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.safecrlf=false',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
  'submodule.recurse=false',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'worktree.guessRemote=false',
  'rerere.enabled=false',
  'advice.detachedHead=false',
  'advice.graftFileDeprecated=false',
].flatMap((setting) => ['-c', setting]);

const noHooks = ['-c', 'core.hooksPath=/dev/null'];

/**
 * How long one git may take, in milliseconds: far longer than any checkout, so that a filter or a disk which hangs holds
 * nobody for ever. DISCERN_GIT_TIMEOUT sets other seconds.
 */
const limitMs = () => {
  const seconds = Number(process.env.DISCERN_GIT_TIMEOUT);
  return (seconds > 0 && seconds < 1_000_000 ? seconds : 600) * 1000;
};

/** How long the output of a git that was ended may stay open, in milliseconds: what it started may be stuck in the kernel. */
const LETTING_GO_MS = 1_000;

/**
 * Runs one git command in `cwd` and resolves with what it printed. Every git call of the engine goes through
 * here, with the user's environment less what redirects git, and with the settings above; a bounded number runs at once. On
 * abort, and when it takes too long, it is ended with everything it started, filters and hooks too, and the promise settles
 * when they have let go of their output: then nothing of it writes any more.
 *
 * Rejects with {@link GitError} on an exit code outside `ok`; refuses `cancelled` when `signal` aborts, `timed_out` when git
 * took too long, `root_missing` when there is no `cwd`, and `unavailable` when there is no git.
 */
export async function git(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const signal = options.signal ?? heardSignal();
  if (!isLooking()) return inTurn(cwd, args, { ...options, signal });
  const named = await programsIn(cwd, signal);
  try {
    return await inTurn(cwd, args, { ...options, signal }, named);
  } catch (error) {
    throw error instanceof GitError && error.kind === 'not_fetched' ? notFetched(cwd) : error;
  }
}

/** {@link git}, of a command whose failure is an answer too: it resolves with the error, and the caller goes by its `kind`. */
export async function tryGit(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult | GitError> {
  try {
    return await git(cwd, args, options);
  } catch (error) {
    if (error instanceof GitError) return error;
    throw error;
  }
}

const notFetched = (cwd: string) =>
  new Refusal(
    'unavailable',
    `${cwd} is of a partial clone and lacks objects this needs, and whoever only looks fetches nothing: run "git status" there once, or ask a server that is trusted and not --read-only.`,
  );

/** The keys of the programs that the config of `cwd`’s repository names, for {@link lookingEnv}. */
export function programsIn(cwd: string, signal?: AbortSignal): Promise<readonly string[]> {
  return programsNamed(cwd, async () => {
    const asking = ['config', '--null', '--name-only', '--get-regexp', namedPattern];
    const { stdout } = await inTurn(cwd, asking, { ok: [0, 1], signal }, []);
    return fields(stdout).map((raw) => {
      const key = raw.toString('utf8');
      if (!Buffer.from(key, 'utf8').equals(raw)) throw notSwitchedOff(cwd, raw);
      return key;
    });
  });
}

/** No variable holds bytes that are not UTF-8, so a program under such a name could not be named to git either. */
const notSwitchedOff = (cwd: string, key: Buffer) =>
  new Refusal(
    'unavailable',
    `The git config of ${cwd} names a program by ${pathText(key)}, which is not UTF-8: whoever only looks cannot switch that off, so rename it, or ask a server that is trusted and not --read-only.`,
  );

/** Runs one git when it is its turn; with `named` so that it starts no program of the repository's, those under these keys included. */
async function inTurn(
  cwd: string,
  args: readonly string[],
  options: GitOptions,
  named?: readonly string[],
): Promise<GitResult> {
  const { signal } = options;
  if (signal?.aborted) throw cancelled();
  // One call may have many gits in line, and each hears its signal.
  if (signal) setMaxListeners(0, signal);
  const truth = await truthSettings(cwd);
  if (signal?.aborted) throw cancelled();
  const done = await turn(signal);
  try {
    return await runGit(cwd, truth, args, options, named);
  } finally {
    done();
  }
}

const cancelled = () => new Refusal('cancelled', 'The call was cancelled.');

const tookTooLong = (cwd: string, args: readonly string[]) =>
  new Refusal(
    'timed_out',
    `git ${args[0]} in ${cwd} took longer than ${limitMs() / 1000} seconds and was ended: a filter, a lock or a disk keeps it, which "git status" there shows.`,
  );

function runGit(
  cwd: string,
  truth: readonly string[],
  args: readonly string[],
  { ok = [0], stdin, env, signal, hooks = false }: GitOptions,
  named: readonly string[] | undefined,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const outside = named !== undefined;
    const own = scrubbedEnv();
    const path = pathName(own);
    const program = gitProgram(own[path], outside);
    if (program === undefined) {
      notStarted(cwd).then(reject, reject);
      return;
    }
    const first = [...(hooks ? [] : noHooks), ...settings, ...truth];
    const child = spawn(program, [...first, ...(outside ? lookingArgs(args) : args)], {
      cwd,
      env: {
        ...(named === undefined ? own : lookingEnv(own, named)),
        [path]: gitPath(own[path], outside),
        // Reading must never take index.lock from under a person's own git.
        GIT_OPTIONAL_LOCKS: '0',
        GIT_TERMINAL_PROMPT: '0',
        GIT_EDITOR: 'true',
        LC_ALL: 'C',
        ...truthEnv,
        ...env,
      },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // In a session of its own: a terminal's Ctrl-C is for us to act on, not for a git in the middle of a landing.
      detached: process.platform !== 'win32',
    });
    let stopped: Refusal | undefined;
    const stop = (why: Refusal) => {
      if (stopped || child.pid === undefined) return;
      stopped = why;
      endGroup(child.pid).then(() => {
        setTimeout(() => reject(why), LETTING_GO_MS).unref();
      }, reject);
    };
    const abort = () => stop(cancelled());
    signal?.addEventListener('abort', abort, { once: true });
    const limit = setTimeout(() => stop(tookTooLong(cwd, args)), limitMs());
    const over = () => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', abort);
    };
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', (error: NodeJS.ErrnoException) => {
      over();
      if (error.code === 'ENOENT') notStarted(cwd).then(reject, reject);
      else reject(error);
    });
    child.on('close', (code, ended) => {
      over();
      // One that never started is answered on 'error'.
      if (child.pid === undefined) return;
      const stderr = Buffer.concat(err).toString('utf8');
      if (code !== null && ok.includes(code)) resolve({ stdout: Buffer.concat(out), stderr, code });
      else if (stopped) reject(stopped);
      else reject(new GitError(args, code, stderr, ended));
    });
    if (stdin !== undefined) {
      // A git that exits before reading all of it (EPIPE) is judged by its exit code.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(stdin);
    }
  });
}

/** A missing program and a missing directory fail alike; only one of them is this machine's fault. */
async function notStarted(cwd: string): Promise<Refusal> {
  return (await exists(cwd))
    ? new Refusal('unavailable', 'git could not be started: install git 2.38 or later and put it on PATH.')
    : new Refusal('root_missing', `${cwd} is gone: someone removed it, so name another directory by path.`);
}

/** {@link git}, for commands that print one line. */
export async function gitLine(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const { stdout } = await git(cwd, args, options);
  return stdout.toString('utf8').replace(/\r?\n$/, '');
}

/** Splits `-z` output into its fields, without the empty one behind the last NUL. */
export function fields(stdout: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = stdout.indexOf(0); at !== -1; at = stdout.indexOf(0, from)) {
    parts.push(stdout.subarray(from, at));
    from = at + 1;
  }
  if (from < stdout.length) parts.push(stdout.subarray(from));
  return parts;
}

/**
 * A path as git printed it, as text. Bytes that are not UTF-8 (git stores names as bytes) become octal escapes in
 * quotes, as git itself prints them; so does a name that begins with a quote, so that two names never fall together.
 */
export function pathText(raw: Buffer): string {
  const text = raw.toString('utf8');
  if (raw[0] !== 0x22 && Buffer.from(text, 'utf8').equals(raw)) return text;
  let quoted = '"';
  for (const byte of raw) {
    if (byte === 0x22 || byte === 0x5c) quoted += `\\${String.fromCharCode(byte)}`;
    else if (byte >= 0x20 && byte < 0x7f) quoted += String.fromCharCode(byte);
    else quoted += `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `${quoted}"`;
}
