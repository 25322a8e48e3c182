import { join } from 'node:path';
import { codexHome } from '../callers/codex.ts';
import { directoryNamed } from '../callers/record-file.ts';
import { sessionId } from '../callers/standing.ts';
import {
  type Adapter,
  type Ends,
  type Facts,
  type Found,
  type Json,
  lastIn,
  namesIn,
  objectOf,
  open,
  over,
  partsText,
  type Query,
  textOf,
} from './adapter.ts';

/** Codex (seen with 0.169.0): `sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`, to which a compaction only adds. */
export const codex: Adapter = {
  client: 'codex',
  marks: ['"UserMessage"', '"user_message"'],
  async find(env, unread) {
    const home = codexHome(env);
    if (home === undefined) return [];
    let folders = [join(home, 'sessions')];
    for (let depth = 0; depth < 3; depth++) {
      const below = await Promise.all(
        folders.map(async (folder) =>
          (await namesIn(folder, unread))
            .filter((name) => /^\d{1,4}$/.test(name))
            .map((name) => join(folder, name)),
        ),
      );
      folders = below.flat();
    }
    const found = await Promise.all(
      folders.map(async (folder) =>
        (await namesIn(folder, unread)).flatMap((name): Found[] => {
          const id = sessionId(/^rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(.+)\.jsonl$/.exec(name)?.[1]);
          return id === undefined ? [] : [{ id, file: join(folder, name) }];
        }),
      ),
    );
    return found.flat();
  },
  async describe(ends) {
    const all = [...ends.head, ...ends.tail];
    if (!all.some(({ type, payload }) => typeof type === 'string' && payload !== undefined)) return undefined;
    const meta = objectOf(ends.head.find(({ type }) => type === 'session_meta')?.payload);
    const turn = (line: Json) =>
      line.type === 'turn_context' ? directoryNamed(objectOf(line.payload).cwd) : undefined;
    return {
      cwd: lastIn(all, turn) ?? directoryNamed(meta.cwd),
      title: ends.head.map(asked).find((query) => query !== undefined)?.text,
      said: lastIn(ends.tail, said),
      ...standing(ends, meta),
      ...(typeof meta.source === 'object' && meta.source !== null && { part: true as const }),
    };
  },
  asked,
};

function asked(line: Json): Query | undefined {
  if (line.type !== 'event_msg') return undefined;
  const payload = objectOf(line.payload);
  const item = objectOf(payload.item);
  const text =
    payload.type === 'item_completed' && item.type === 'UserMessage'
      ? partsText(item.content, ['text'])
      : payload.type === 'user_message'
        ? textOf(payload.message)
        : undefined;
  return text === undefined || text === '' ? undefined : { at: textOf(line.timestamp), text };
}

function said(line: Json): string | undefined {
  const { type, message, last_agent_message: last } = objectOf(line.payload);
  if (line.type !== 'event_msg') return undefined;
  return type === 'agent_message' ? textOf(message) : type === 'task_complete' ? textOf(last) : undefined;
}

function standing(ends: Ends, meta: Json): Facts {
  const last = lastIn(ends.tail, (line) => {
    const payload = objectOf(line.payload);
    const told = ['task_started', 'task_complete', 'turn_aborted'].includes(String(payload.type));
    return line.type === 'event_msg' && told ? payload : undefined;
  });
  if (last === undefined) return { state: 'unknown' };
  if (last.type === 'task_started') return { state: open(ends) };
  // `codex exec` ends with its turn; it names itself as the source.
  if (meta.source === 'exec') return { state: 'ended' };
  return last.type === 'turn_aborted' ? { state: 'idle' } : over(last.last_agent_message);
}
