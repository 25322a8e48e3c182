import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { configHome } from '../callers/claude.ts';
import { directoryNamed, objectIn, readTail } from '../callers/record-file.ts';
import { sessionId } from '../callers/standing.ts';
import { isThereSince } from '../process/alive.ts';
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
  partsText,
  type Query,
  textOf,
} from './adapter.ts';

/**
 * Claude Code (seen with 2.1.197): `projects/<folder>/<session>.jsonl`, to which a compaction only adds; and `sessions/<pid>.json`
 * of each program that runs, which is removed when it ends.
 */
export const claude: Adapter = {
  client: 'claude',
  marks: ['"type":"user"', '"queued_command"'],
  async find(env, unread) {
    const home = configHome(env);
    if (home === undefined) return [];
    const projects = join(home, 'projects');
    const folders = await namesIn(projects, unread);
    const found = await Promise.all(
      folders.map(async (folder) =>
        (await namesIn(join(projects, folder), unread)).flatMap((name) => {
          const id = name.endsWith('.jsonl') ? sessionId(name.slice(0, -'.jsonl'.length)) : undefined;
          return id === undefined || id.startsWith('agent-')
            ? []
            : [{ id, file: join(projects, folder, name) }];
        }),
      ),
    );
    return found.flat();
  },
  programs(env) {
    const home = configHome(env);
    return home === undefined ? [] : [join(home, 'sessions'), join(home, 'projects')];
  },
  async describe(ends, { id }, env) {
    const own = (line: Json) => line.sessionId === undefined || line.sessionId === id;
    const [head, tail] = [ends.head.filter(own), ends.tail.filter(own)];
    if (![...head, ...tail].some((line) => typeof line.type === 'string' || line.attachment !== undefined)) {
      return undefined;
    }
    const named = (line: Json) => (line.type === 'custom-title' ? textOf(line.customTitle) : undefined);
    const guessed = (line: Json) => (line.type === 'ai-title' ? textOf(line.aiTitle) : undefined);
    return {
      cwd:
        lastIn(tail, (line) => directoryNamed(line.cwd)) ?? lastIn(head, (line) => directoryNamed(line.cwd)),
      title:
        lastIn([...head, ...tail], named) ??
        lastIn([...head, ...tail], guessed) ??
        head.map(asked).find((query) => query !== undefined)?.text,
      said: lastIn(tail, said),
      ...(await standing(id, { ...ends, tail }, env)),
    };
  },
  asked,
};

function asked(line: Json): Query | undefined {
  if (line.isSidechain === true || line.isMeta === true || line.isCompactSummary === true) return undefined;
  const attachment = objectOf(line.attachment);
  const queued = attachment.type === 'queued_command';
  const source = queued ? attachment : line;
  const kind = textOf(objectOf(source.origin).kind);
  if (source.isMeta === true || (kind !== undefined && kind !== 'human')) return undefined;
  if (queued && (attachment.commandMode ?? 'prompt') !== 'prompt') return undefined;
  if (!queued && (line.type !== 'user' || line.toolUseResult !== undefined)) return undefined;
  const content = queued ? attachment.prompt : objectOf(line.message).content;
  const text = spoken(typeof content === 'string' ? content : partsText(content, ['text']));
  return text === undefined ? undefined : { at: textOf(line.timestamp), text, key: textOf(line.uuid) };
}

function said(line: Json): string | undefined {
  if (line.type !== 'assistant' || line.isSidechain === true) return undefined;
  return partsText(objectOf(line.message).content, ['text']);
}

/** What Claude Code itself writes in the person's place. */
const notSpoken =
  /^(?:<(?:local-command-\w+|bash-(?:input|stdout|stderr)|task-notification|system-reminder)\b|\[Request interrupted by user)/;

/** What the person said: a command of theirs as they typed it, and nothing of what the client writes in their place. */
function spoken(text: string | undefined): string | undefined {
  const command = /^\s*<command-(?:name|message)>/.test(text ?? '')
    ? /<command-name>([^<]*)<\/command-name>/.exec(text ?? '')?.[1]
    : undefined;
  if (text !== undefined && command !== undefined) {
    const args = /<command-args>([\s\S]*)<\/command-args>/.exec(text)?.[1]?.trim();
    return args ? `${command} ${args}` : command;
  }
  return text === undefined || text.trim() === '' || notSpoken.test(text.trimStart()) ? undefined : text;
}

async function standing(id: string, ends: Ends, env: NodeJS.ProcessEnv): Promise<Facts> {
  const running = await programOf(id, env);
  if (running === undefined) return { state: 'unknown' };
  if (running === 'none') return { state: 'ended' };
  const { status, waitingFor } = running;
  const last = lastIn(ends.tail, (line) =>
    ['user', 'assistant'].includes(String(line.type)) && line.isSidechain !== true ? line : undefined,
  );
  const message = objectOf(last?.message);
  const parts = Array.isArray(message.content) ? message.content.map(objectOf) : [];
  if (parts.some(({ type, name }) => type === 'tool_use' && name === 'AskUserQuestion')) {
    return { state: 'waiting', needs_attention: 'asks a question' };
  }
  // Its own questions are "permission prompt" there too, and were told apart above.
  if (status === 'waiting') {
    const permission = /permission|request/.test(textOf(waitingFor) ?? '');
    return { state: 'waiting', needs_attention: permission ? 'asks for permission' : 'asks a question' };
  }
  const ended = last?.type === 'assistant' && !parts.some(({ type }) => type === 'tool_use');
  if (status === 'busy' || !ended)
    return { state: status === 'idle' ? 'idle' : open({ ...ends, changed: Date.now() }) };
  return over(partsText(message.content, ['text']));
}

/** What the program that runs a session says of it; `none` when there is none, `undefined` where such records are not kept. */
async function programOf(id: string, env: NodeJS.ProcessEnv): Promise<Json | 'none' | undefined> {
  const home = configHome(env);
  if (home === undefined) return undefined;
  const folder = join(home, 'sessions');
  // An older release kept no such records, and then their absence says nothing.
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return undefined;
  for (const name of names) {
    const pid = Number(/^(\d+)\.json$/.exec(name)?.[1]);
    if (!Number.isSafeInteger(pid) || pid <= 1) continue;
    const found = await readTail(join(folder, name), 16 * 1024);
    const record = found?.whole ? objectIn(found.text) : undefined;
    if (record?.sessionId === id && record.pid === pid && isThereSince(pid, record.procStart)) return record;
  }
  return 'none';
}
