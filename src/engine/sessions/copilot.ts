import { dirname, join } from 'node:path';
import { scalar, stateHome } from '../callers/copilot.ts';
import { directoryNamed, readTail } from '../callers/record-file.ts';
import { sessionId } from '../callers/standing.ts';
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

/** Copilot CLI (seen with 1.0.102): `session-state/<session>/events.jsonl`, and beside it `workspace.yaml` with the directory. */
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
      ...standing(ends),
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

function standing(ends: Ends): Facts {
  const last = ends.tail.at(-1);
  if (last === undefined) return { state: 'unknown' };
  if (last.type === 'session.shutdown') return { state: 'ended' };
  if (last.type !== 'assistant.turn_end') return { state: open(ends) };
  const message = lastIn(ends.tail, (line) =>
    line.type === 'assistant.message' ? objectOf(line.data) : undefined,
  );
  const calls = message?.toolRequests;
  return Array.isArray(calls) && calls.length > 0 ? { state: open(ends) } : over(message?.content);
}
