import { isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import { isObject } from '../contract/values.ts';

/** What a client tells a hook, in the words of Claude Code, which most clients share. */
export interface HookEvent {
  client: Client;
  /** As Claude Code writes it: `PreToolUse`. */
  event: string;
  session: string | undefined;
  /** Absolute; where the client says that its session works. */
  cwd: string | undefined;
  /** Absolute; the one folder the client has open, where it tells these. */
  folder: string | undefined;
  tool: string;
  /** The arguments of the tool. */
  arguments: Record<string, unknown>;
  /** The session goes on because a `Stop` hook asked for it. */
  asked: boolean;
  /** A sub-agent's event, which may stand elsewhere than its session. */
  subagent: boolean;
  /** What a worktree that is to be made is called. */
  name: string | undefined;
  /** The worktree it is about, absolute: that is to be removed, or was left. */
  worktree: string | undefined;
}

export const clients = ['claude', 'codex', 'copilot', 'vscode', 'gemini', 'cursor', 'opencode'] as const;
export type Client = (typeof clients)[number];

/** Events that other clients call otherwise: Gemini CLI's, and Copilot CLI's. */
const sameAs: Readonly<Record<string, string>> = {
  BeforeTool: 'PreToolUse',
  AfterTool: 'PostToolUse',
  AfterAgent: 'Stop',
  AgentStop: 'Stop',
};

const MOST_BYTES = 1024 * 1024;
const DEADLINE_MS = 2000;

/** Reads one event. Rejects, in words for a log, what is no event of a known client; waits two seconds at most. */
export async function readEvent(stdin: Readable, client: string, event: string): Promise<HookEvent> {
  const named = `${event.charAt(0).toUpperCase()}${event.slice(1)}`;
  const name = Object.hasOwn(sameAs, named) ? (sameAs[named] ?? named) : named;
  const known = clients.find((one) => one === client);
  if (!known || !/^[A-Z][A-Za-z]{0,40}$/.test(name)) {
    throw new Error(`usage: discern hook <${clients.join('|')}> <event>`);
  }
  const value: unknown = JSON.parse(await readAll(stdin));
  if (!isObject(value)) throw new Error('stdin holds no JSON object');
  const [folder, ...more] = Array.isArray(value.workspace_roots) ? value.workspace_roots : [];
  const cwd = textOf(value, 'cwd');
  const response = isObject(value.tool_response) ? value.tool_response : {};
  return {
    client: known,
    event: name,
    session: textOf(value, 'session_id', 'sessionId'),
    cwd: cwd !== undefined && isAbsolute(cwd) ? cwd : undefined,
    folder: more.length === 0 && isPath(folder) ? folder : undefined,
    tool: textOf(value, 'tool_name', 'toolName') ?? '',
    arguments: argumentsOf(value.tool_input ?? value.toolInput ?? value.toolArgs),
    asked: value.stop_hook_active === true || value.stopHookActive === true || goesOnAnyway(value),
    subagent: textOf(value, 'agent_id', 'agentId') !== undefined,
    name: textOf(value, 'name'),
    worktree: textOf(value, 'worktree_path') ?? textOf(response, 'worktreePath'),
  };
}

/** Cursor counts how often a hook made it go on, and says also of a turn that a person ended that it stops. */
const goesOnAnyway = ({ loop_count, status }: Record<string, unknown>): boolean =>
  (typeof loop_count === 'number' && loop_count > 0) || status === 'aborted' || status === 'error';

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && isAbsolute(value) && !value.includes('\0');

/** What is beyond the limit is read and let go: the client, which writes it, must not fail for it. */
function readAll(stdin: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => reject(new Error(`stdin did not end in ${DEADLINE_MS} ms`)), DEADLINE_MS);
    const settle = (error?: Error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else if (length > MOST_BYTES) reject(new Error(`stdin has more than ${MOST_BYTES} bytes`));
      else resolve(Buffer.concat(chunks).toString('utf8'));
    };
    stdin.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MOST_BYTES) chunks.push(chunk);
    });
    stdin.once('end', () => settle());
    stdin.once('error', settle);
  });
}

/** Copilot CLI hands the arguments of a tool over as a text. */
function argumentsOf(value: unknown): Record<string, unknown> {
  const parsed: unknown = typeof value === 'string' ? parsedOr(value) : value;
  return isObject(parsed) ? parsed : {};
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text that is no JSON is a tool's own language, in which we look for no path.
    return undefined;
  }
}

function textOf(value: Record<string, unknown>, ...names: string[]): string | undefined {
  for (const name of names) {
    const one = value[name];
    if (typeof one === 'string' && one !== '' && !one.includes('\0')) return one;
  }
  return undefined;
}
