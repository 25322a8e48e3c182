import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { scalar, stateHome } from '../callers/copilot.ts';
import { directoryNamed, readTail } from '../callers/record-file.ts';
import { sessionId } from '../callers/standing.ts';
import { isThere } from '../process/alive.ts';
import {
  type Adapter,
  type Ends,
  type Facts,
  type Json,
  lastIn,
  namesIn,
  objectOf,
  open,
  over,
  type Query,
  textOf,
} from './adapter.ts';

/**
 * Copilot CLI (seen with 1.0.102): `session-state/<session>/events.jsonl`, and beside it `workspace.yaml` with the directory and
 * `inuse.<pid>.lock` of the program that runs it, which is removed when that ends.
 */
export const copilot: Adapter = {
  client: 'copilot',
  marks: ['"user.message"'],
  async find(env, unread) {
    const home = stateHome(env);
    if (home === undefined) return [];
    const folder = join(home, 'session-state');
    return (await namesIn(folder, unread)).flatMap((name) => {
      const id = sessionId(name);
      return id === undefined ? [] : [{ id, file: join(folder, name, 'events.jsonl') }];
    });
  },
  async describe(ends, { file }) {
    if (
      ![...ends.head, ...ends.tail].some(({ type, data }) => typeof type === 'string' && data !== undefined)
    ) {
      return undefined;
    }
    const workspace = await readTail(join(dirname(file), 'workspace.yaml'));
    const of = (key: string) => (workspace?.whole ? scalar(workspace.text, key) : undefined);
    const began = objectOf(objectOf(ends.head.find(({ type }) => type === 'session.start')?.data).context);
    return {
      cwd: directoryNamed(of('cwd')) ?? directoryNamed(began.cwd),
      title: of('name') ?? ends.head.map(asked).find((query) => query !== undefined)?.text,
      said: lastIn(ends.tail, said),
      ...standing(ends, await programOf(dirname(file))),
    };
  },
  asked,
};

function asked(line: Json): Query | undefined {
  if (line.type !== 'user.message' || line.agentId !== undefined) return undefined;
  const { content, source } = objectOf(line.data);
  if (source !== undefined && source !== 'user') return undefined;
  const text = textOf(content);
  return text === undefined || text === ''
    ? undefined
    : { at: textOf(line.timestamp), text, key: textOf(line.id) };
}

function said(line: Json): string | undefined {
  const text = line.type === 'assistant.message' ? textOf(objectOf(line.data).content) : undefined;
  return text === '' ? undefined : text;
}

/** Whether the program that runs a session is there; `undefined` where nothing says which it is. */
async function programOf(folder: string): Promise<'there' | 'gone' | undefined> {
  const names = await readdir(folder).catch(() => []);
  const pids = names.flatMap((name) => /^inuse\.(\d{1,10})\.lock$/.exec(name)?.[1] ?? []).map(Number);
  if (pids.length === 0) return undefined;
  return pids.some((pid) => pid > 1 && isThere(pid)) ? 'there' : 'gone';
}

function standing(ends: Ends, program: 'there' | 'gone' | undefined): Facts {
  const last = ends.tail.at(-1);
  if (last === undefined) return { state: 'unknown' };
  if (last.type === 'session.shutdown' || program === 'gone') return { state: 'ended' };
  const needs = asking(ends.tail);
  if (needs !== undefined) return { state: 'waiting', needs_attention: needs };
  const going = program === 'there' ? ({ state: 'working' } as const) : { state: open(ends) };
  if (last.type !== 'assistant.turn_end') return going;
  const message = lastIn(ends.tail, (line) =>
    line.type === 'assistant.message' ? objectOf(line.data) : undefined,
  );
  const calls = message?.toolRequests;
  return Array.isArray(calls) && calls.length > 0 ? going : over(message?.content);
}

/** What it waits for the person with: a permission it asked for, or a question by its own tool, that is not answered yet. */
function asking(lines: readonly Json[]): string | undefined {
  const open = new Map<unknown, string>();
  for (const { type, data } of lines) {
    const { requestId, toolCallId, toolName } = objectOf(data);
    if (type === 'permission.requested') open.set(requestId, 'asks for permission');
    if (type === 'permission.completed') open.delete(requestId);
    if (type === 'tool.execution_start' && toolName === 'ask_user') open.set(toolCallId, 'asks a question');
    if (type === 'tool.execution_complete') open.delete(toolCallId);
    // Nothing is asked any more beyond what the person says next.
    if (type === 'user.message') open.clear();
  }
  return [...open.values()].at(-1);
}
