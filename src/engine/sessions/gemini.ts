import { isAbsolute, join } from 'node:path';
import { directoryNamed, homeOfUser, objectIn, readHead } from '../callers/record-file.ts';
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

/**
 * Gemini CLI (seen with 0.61.0): `tmp/<project>/chats/session-<time>-<part of the id>.jsonl`, whose first line has the id, and
 * `tmp/<project>/.project_root` with the directory.
 */
export const gemini: Adapter = {
  client: 'gemini',
  marks: ['"type":"user"'],
  async find(env, unread) {
    const home = geminiHome(env);
    if (home === undefined) return [];
    const projects = join(home, 'tmp');
    const found = await Promise.all(
      (await namesIn(projects, unread)).map(async (project) => {
        const chats = join(projects, project, 'chats');
        const names = (await namesIn(chats, unread)).filter((name) => name.startsWith('session-'));
        const unknown = names.filter((name) => !name.endsWith('.jsonl')).length;
        if (unknown > 0) unread(`${chats} has ${unknown} in a format that is not known.`);
        return Promise.all(
          names
            .filter((name) => name.endsWith('.jsonl'))
            .map((name) => identified(join(chats, name), unread)),
        );
      }),
    );
    return found.flat(2);
  },
  async describe(ends, { file }) {
    const all = [...ends.head, ...ends.tail];
    if (!all.some((line) => typeof line.sessionId === 'string' || typeof line.type === 'string'))
      return undefined;
    const root = await readHead(join(file, '..', '..', '.project_root'), 4096);
    return {
      cwd: directoryNamed(root?.text.trim()),
      title: ends.head.map(asked).find((query) => query !== undefined)?.text,
      said: lastIn(ends.tail, said),
      ...standing(ends),
    };
  },
  asked,
};

function geminiHome(env: NodeJS.ProcessEnv): string | undefined {
  const named = env.GEMINI_CLI_HOME;
  const home = named !== undefined && isAbsolute(named) ? named : homeOfUser(env);
  return home && join(home, '.gemini');
}

async function identified(file: string, unread: (why: string) => void): Promise<Found[]> {
  const head = await readHead(file, 4096);
  const first = objectIn(head?.text.split('\n')[0] ?? '');
  const id = sessionId(first?.sessionId);
  if (id === undefined) unread(`${file} does not begin as a session does.`);
  return id === undefined ? [] : [{ id, file }];
}

/** What the client tells its model first stands in the person's place too. */
const notSpoken = /^<(?:session_context|state_snapshot)>/;

function asked(line: Json): Query | undefined {
  if (line.type !== 'user') return undefined;
  const text = typeof line.content === 'string' ? line.content : partsText(line.content, [undefined, 'text']);
  if (text === undefined || text === '' || notSpoken.test(text)) return undefined;
  return { at: textOf(line.timestamp), text, key: textOf(line.id) };
}

function said(line: Json): string | undefined {
  const text = line.type === 'gemini' ? textOf(line.content) : undefined;
  return text === '' ? undefined : text;
}

/** The end of its program is not recorded: a turn that is over is `idle`, whether it still runs or not. */
function standing(ends: Ends): Facts {
  const last = lastIn(ends.tail, (line) => (typeof line.type === 'string' ? line : undefined));
  if (last === undefined) return { state: 'unknown' };
  const calls = Array.isArray(last.toolCalls) ? last.toolCalls.map(objectOf) : [];
  const words = textOf(last.content);
  if (last.type !== 'gemini' || calls.length > 0 || !words) return { state: open(ends) };
  return over(words);
}
