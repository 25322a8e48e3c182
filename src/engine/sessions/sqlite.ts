import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { isObject } from '../../contract/values.ts';
import { scrubbedEnv } from '../process/env.ts';
import { programOnPath } from '../process/program.ts';

type Row = Record<string, unknown>;

/** What a question to a database came to: its rows, or why there are none, in words that follow the file's name. */
export type Rows = { rows: Row[] } | { problem: string };

/** How long a database that is being written is waited for, and a program that reads it. Milliseconds. */
const BUSY_MS = 500;
const PATIENCE_MS = 5_000;

const MOST_BYTES = 64 * 1024 * 1024;

/** What is used of Node's own SQLite, which Node 20 has not. */
interface NodeSqlite {
  DatabaseSync: new (
    path: string,
    options: { readOnly: boolean },
  ) => { prepare(sql: string): { iterate(): Iterable<unknown> }; exec(sql: string): void; close(): void };
}

/**
 * Asks an SQLite database that is another program's one question, without ever writing to it: by Node's own SQLite (Node 22.13 and
 * later, and VS Code's), else by the program `sqlite3`. Never rejects.
 */
export async function rowsIn(file: string, sql: string, signal: AbortSignal): Promise<Rows> {
  const own = process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined;
  if (own !== undefined) return byNode(own, file, sql);
  const program = programOnPath('sqlite3', process.env.PATH, true);
  if (program === undefined) {
    return { problem: 'is a database, and neither this Node nor a program sqlite3 on PATH can read it' };
  }
  return byProgram(program, file, sql, signal);
}

function byNode({ DatabaseSync }: NodeSqlite, file: string, sql: string): Rows {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      return bounded(database.prepare(sql).iterate());
    } finally {
      database.close();
    }
  } catch (error) {
    return cannot(error instanceof Error ? error.message : String(error));
  }
}

/** Rows within the same limits as a program's answer has: it blocks everything else meanwhile. */
function bounded(rows: Iterable<unknown>): Rows {
  const end = Date.now() + PATIENCE_MS;
  const kept: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (!isObject(row)) continue;
    for (const value of Object.values(row)) bytes += typeof value === 'string' ? value.length : 8;
    if (bytes > MOST_BYTES) return tooLong;
    if (Date.now() > end) return cannot(`it took more than ${PATIENCE_MS / 1_000} s`);
    kept.push(row);
  }
  return { rows: kept };
}

const cannot = (why: string): Rows => ({
  problem: `cannot be read (${why.trim().slice(0, 200) || 'no reason was given'})`,
});

const tooLong = cannot(`the answer has more than ${MOST_BYTES} bytes`);

function byProgram(program: string, file: string, sql: string, signal: AbortSignal): Promise<Rows> {
  return new Promise((resolve) => {
    const args = ['-init', devNull, '-batch', '-readonly', '-json', '-cmd', `.timeout ${BUSY_MS}`, file, sql];
    const child = spawn(program, args, {
      env: scrubbedEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    const said: Buffer[] = [];
    let [bytes, errors] = [0, ''];
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) child.kill();
      else said.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors = (errors + chunk).slice(0, 1_000);
    });
    child.on('error', (error) => resolve(cannot(error.message)));
    child.on('close', (code) => {
      if (bytes > MOST_BYTES) return resolve(tooLong);
      if (code !== 0) return resolve(cannot(errors));
      try {
        const rows: unknown = JSON.parse(Buffer.concat(said).toString('utf8') || '[]');
        resolve(Array.isArray(rows) ? { rows: rows.filter(isObject) } : cannot('the answer is no list'));
      } catch {
        resolve(cannot('the answer is no JSON'));
      }
    });
  });
}
