import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { directoryNamed, homeOfUser, objectIn } from '../callers/record-file.ts';
import { sessionId } from '../callers/standing.ts';
import { orWhenAbsent } from '../files/files.ts';
import {
  type Adapter,
  type Facts,
  type Found,
  type Json,
  open,
  over,
  type Query,
  textOf,
} from './adapter.ts';
import { type Rows, rowsIn } from './sqlite.ts';

/** opencode (seen with 1.18.33): one database, `opencode.db`, with the tables `session`, `message` and `part`. */
export const opencode: Adapter = {
  client: 'opencode',
  // It is asked for what is wanted, and has no lines.
  marks: [],
  asked: () => undefined,
  describe: async () => undefined,
  async find(env, unread) {
    const file = databaseOf(env);
    const print = file === undefined ? undefined : await printOf(file);
    if (file === undefined || print === undefined) return [];
    const answer =
      known?.file === file && known.print === print ? known.answer : await rowsIn(file, LIST, never);
    known = { file, print, answer };
    if ('problem' in answer) {
      unread(`${file} ${answer.problem}.`);
      return [];
    }
    return answer.rows.flatMap((row) => foundIn(row, file));
  },
  async recall({ id, file }, signal) {
    const answer = await rowsIn(file, askedSql(id), signal);
    if ('problem' in answer) throw new Refusal('unavailable', `${file} ${answer.problem}.`);
    return { queries: answer.rows.flatMap(queryIn), skipped: 0 };
  },
};

/** Listing has no caller to be cancelled by; it keeps to a time of its own. */
const never = new AbortController().signal;

/** What was read last, and how the files stood then. */
let known: { file: string; print: string; answer: Rows } | undefined;

function databaseOf(env: NodeJS.ProcessEnv): string | undefined {
  const named = env.XDG_DATA_HOME;
  const home = homeOfUser(env);
  const data = named !== undefined && isAbsolute(named) ? named : home && join(home, '.local', 'share');
  return data && join(data, 'opencode', 'opencode.db');
}

/** How the database and what is written ahead of it stand on disk; `undefined` where there is none. */
async function printOf(file: string): Promise<string | undefined> {
  const absent = orWhenAbsent(undefined);
  const [main, ahead] = await Promise.all([file, `${file}-wal`].map((path) => stat(path).catch(absent)));
  return main && [main, ahead].map((one) => `${one?.ino} ${one?.size} ${one?.mtimeMs}`).join();
}

const MOST_SESSIONS = 500;
/** Characters of its last words that are looked at. */
const SAID = 8_000;

/** A member of the JSON in `data`; null where that is broken. */
const of = (table: string, path: string) =>
  `json_extract(CASE WHEN json_valid(${table}.data) THEN ${table}.data END, '$.${path}')`;

const LIST = `
SELECT s.id, s.parent_id AS parent, s.directory, s.title, s.time_updated AS updated,
  (SELECT json_object('role', ${of('m', 'role')}, 'finish', ${of('m', 'finish')}, 'completed', ${of('m', 'time.completed')},
      'error', ${of('m', 'error.name')}, 'updated', m.time_updated)
    FROM message m WHERE m.session_id = s.id ORDER BY m.time_created DESC, m.id DESC LIMIT 1) AS last,
  (SELECT substr(${of('p', 'text')}, -${SAID}) FROM part p JOIN message m ON m.id = p.message_id
    WHERE p.session_id = s.id AND ${of('p', 'type')} = 'text' AND ${of('m', 'role')} = 'assistant'
    ORDER BY p.time_created DESC, p.id DESC LIMIT 1) AS said,
  (SELECT ${of('p', 'tool')} FROM part p WHERE p.session_id = s.id AND ${of('p', 'type')} = 'tool'
    AND ${of('p', 'state.status')} IN ('pending', 'running') ORDER BY p.time_created DESC, p.id DESC LIMIT 1) AS tool
FROM session s ORDER BY s.time_updated DESC LIMIT ${MOST_SESSIONS}`;

/** Texts the client itself puts into the person's place are marked as synthetic. */
const askedSql = (id: string) => `
SELECT m.id AS key, m.time_created AS at, group_concat(text, char(10)) AS text
FROM (SELECT p.message_id, ${of('p', 'text')} AS text FROM part p
    WHERE p.session_id = '${id.replaceAll("'", "''")}' AND ${of('p', 'type')} = 'text'
      AND coalesce(${of('p', 'synthetic')}, 0) = 0 ORDER BY p.id) one
  JOIN message m ON m.id = one.message_id
WHERE ${of('m', 'role')} = 'user' GROUP BY m.id ORDER BY m.time_created, m.id`;

function foundIn(row: Json, file: string): Found[] {
  const id = sessionId(row.id);
  if (id === undefined) return [];
  const last = objectIn(textOf(row.last) ?? '') ?? {};
  const changed = Math.max(...[row.updated, last.updated, 0].filter((time) => typeof time === 'number'));
  const facts: Facts = {
    cwd: directoryNamed(row.directory),
    title: textOf(row.title),
    said: textOf(row.said),
    ...standing(last, row, changed),
    ...(textOf(row.parent) !== undefined && { part: true as const }),
  };
  return [{ id, file, told: { changed, facts } }];
}

/** The end of its program is not recorded: a turn that is over is `idle`, whether it still runs or not. */
function standing({ role, finish, completed, error }: Json, { said, tool }: Json, changed: number): Facts {
  if (role !== 'user' && role !== 'assistant') return { state: 'unknown' };
  if (typeof error === 'string') return { state: 'idle' };
  const ended = role === 'assistant' && typeof completed === 'number' && finish !== 'tool-calls';
  if (ended) return over(said);
  // A permission that it asks for is not recorded.
  if (tool === 'question') return { state: 'waiting', needs_attention: 'asks a question' };
  return { state: open({ head: [], tail: [], changed }) };
}

function queryIn({ key, at, text }: Json): Query[] {
  if (typeof text !== 'string' || text === '') return [];
  const time = typeof at === 'number' ? new Date(at) : undefined;
  const valid = time !== undefined && !Number.isNaN(time.getTime());
  return [{ at: valid ? time.toISOString() : undefined, text, key: textOf(key) }];
}
