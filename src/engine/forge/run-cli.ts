import { spawn } from 'node:child_process';
import { Refusal } from '../call/refusal.ts';
import { scrubbedEnv } from '../process/env.ts';
import { endGroup } from '../process/group.ts';
import { programOnPath } from '../process/program.ts';
import { unwatchGroup, watchGroup } from '../process/watchdog.ts';

/** The forges' own command lines. */
export const forgeTools = ['gh', 'glab', 'tea'] as const;
export type ForgeTool = (typeof forgeTools)[number];

/** What one run of a forge's command line came to. */
export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Most bytes that are read of each stream; a longer one keeps its end. */
const MOST_BYTES = 4 * 1024 * 1024;

/** How long one command may take, in milliseconds. DISCERN_FORGE_TIMEOUT sets other seconds. */
const limitMs = () => {
  const seconds = Number(process.env.DISCERN_FORGE_TIMEOUT);
  return (seconds > 0 && seconds < 1_000_000 ? seconds : 60) * 1000;
};

/**
 * Nobody is there to answer, and what is printed is for a program: no question, no pager, no colours, no notice of a new version (gh
 * help environment; glab's README; tea asks only where its input is a terminal).
 */
const asksNobody = {
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  GH_PAGER: '',
  GH_SPINNER_DISABLED: '1',
  GH_FORCE_TTY: undefined,
  GLAB_NO_PROMPT: 'true',
  NO_PROMPT: 'true',
  GLAB_CHECK_UPDATE: 'false',
  GLAB_PAGER: '',
  PAGER: '',
  NO_COLOR: '1',
  CLICOLOR_FORCE: undefined,
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
};

/** Whether a forge's command line is installed: on PATH, in no repository. */
export const isInstalled = (tool: ForgeTool): boolean =>
  programOnPath(tool, process.env.PATH, true) !== undefined;

/**
 * Runs a forge's command line in `cwd`, with nothing to read on its input and in a process group of its own, which is ended with everything in it
 * on abort, when it takes too long, and when this process dies. What it exits with is the caller's to judge. Refuses
 * `unavailable` where it is not installed, `timed_out`, and `cancelled`.
 */
export async function runForgeCli(
  tool: ForgeTool,
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<CliResult> {
  const program = programOnPath(tool, process.env.PATH, true);
  if (program === undefined)
    throw new Refusal('unavailable', `${tool} is not on PATH: ${installAdvice[tool]}.`);
  if (signal.aborted) throw new Refusal('cancelled', 'The call was cancelled.');
  const child = spawn(program, args, {
    cwd,
    env: { ...scrubbedEnv(), ...asksNobody },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    detached: process.platform !== 'win32',
  });
  const { pid } = child;
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)];
  let stopped: Refusal | undefined;
  let stop: (why: Refusal) => void = () => undefined;
  const exit = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
    stop = (why) => {
      if (stopped || pid === undefined) return;
      stopped = why;
      // What has left the group may hold the output open for ever.
      endGroup(pid).then(() => resolve(null), reject);
    };
  });
  const limit = setTimeout(() => stop(tookTooLong(tool, args)), limitMs());
  const abort = () => stop(new Refusal('cancelled', 'The call was cancelled.'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (pid !== undefined) await watchGroup(pid);
    const code = await exit;
    if (stopped) throw stopped;
    return { code, stdout: stdout(), stderr: stderr() };
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', abort);
    child.stdout.destroy();
    child.stderr.destroy();
    if (pid !== undefined) unwatchGroup(pid);
  }
}

/** What to do where a forge's command line is missing, as the end of a sentence. */
export const installAdvice: Record<ForgeTool, string> = {
  gh: 'install the GitHub CLI (https://cli.github.com) and run "gh auth login"',
  glab: 'install the GitLab CLI (https://gitlab.com/gitlab-org/cli) and run "glab auth login"',
  tea: 'install Gitea’s tea (https://gitea.com/gitea/tea) and run "tea login add"',
};

const tookTooLong = (tool: ForgeTool, args: readonly string[]) =>
  new Refusal(
    'timed_out',
    `"${tool} ${args.slice(0, 2).join(' ')}" took longer than ${limitMs() / 1000} seconds and was ended: it may wait for an answer or for the network. Run "${tool} ${loginOf[tool].status}" in a terminal to see.`,
  );

/** How each is asked who is logged in, and how one logs in. */
export const loginOf: Record<ForgeTool, { status: string; login: (host: string) => string }> = {
  gh: { status: 'auth status', login: (host) => `gh auth login --hostname ${host}` },
  glab: { status: 'auth status', login: (host) => `glab auth login --hostname ${host}` },
  tea: { status: 'logins list', login: (host) => `tea login add --url https://${host}` },
};

/** The end of a stream, as text, once it is over. */
function gather(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    while (chunks.length > 1 && bytes - (chunks[0]?.length ?? 0) >= MOST_BYTES)
      bytes -= chunks.shift()?.length ?? 0;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
