import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOnPath } from '../../src/engine/process/program.ts';
import { rowsIn } from '../../src/engine/sessions/sqlite.ts';
import { succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

/** The database that opencode 1.18.33 wrote in two runs, less the tables that are not read; the home is another. */
const recorded = join(DISCERN_HOME, 'test', 'fixtures', 'opencode', 'opencode.db');
const id = 'ses_dc43f5031ffeLB9tZnz0khRAf1';
/** `opencode run` puts quotes around what has spaces. */
const asked = ['"The first request, please.\nWith a second line."', '"And the second request."'];

/** Whether anything here can read such a database: where nothing can, that is said. */
const readable =
  process.getBuiltinModule?.('node:sqlite') !== undefined ||
  programOnPath('sqlite3', process.env.PATH, true) !== undefined;

describe('The sessions of opencode', () => {
  const before = { ...process.env };
  let home: string;
  let file: string;

  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "discern open'code ")));
    const data = join(home, 'data', 'opencode');
    await mkdir(data, { recursive: true });
    file = join(data, 'opencode.db');
    await cp(recorded, file);
    Object.assign(process.env, { HOME: home, USERPROFILE: home, XDG_DATA_HOME: join(home, 'data') });
  });
  afterEach(async () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    await rm(home, { recursive: true, force: true });
  });

  const listed = async () => succeeded(await verb('sessions', '/'));

  /** Changes the record as its client could have. */
  async function change(sql: string): Promise<void> {
    const { spawnSync } = await import('node:child_process');
    const done = spawnSync('sqlite3', ['-init', '/dev/null', file, sql], { encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
  }

  it('are listed with place, title and state, and recollected, out of its database, which stays as it is', async () => {
    const bytes = await readFile(file);
    const { sessions, unread } = await listed();
    if (!readable) {
      assert.match(unread?.[0]?.why ?? '', /is a database, and neither/);
      return;
    }
    assert.equal(unread, undefined);
    assert.deepEqual(sessions, [
      {
        id,
        client: 'opencode',
        cwd: '/home/person/app',
        title: 'A title',
        last_activity: new Date(1_796_298_822_333).toISOString(),
        state: 'waiting',
        needs_attention: 'asks a question',
      },
    ]);
    const { queries } = succeeded(await verb('recollect', '/', { session: id.slice(0, 9) }));
    assert.deepEqual(
      queries.map(({ text }) => text),
      asked,
    );
    assert.ok(queries.every(({ at }) => !Number.isNaN(Date.parse(at ?? ''))));
    assert.deepEqual(await readFile(file), bytes);
  });

  it('change their state with the last message; parts of others and what the client wrote itself are left out', async () => {
    if (programOnPath('sqlite3', before.PATH, true) === undefined) {
      assert.equal((await listed()).sessions.length, readable ? 1 : 0);
      return;
    }
    const state = async () => (await listed()).sessions.map((one) => one.state);
    const last = '(SELECT id FROM message ORDER BY time_created DESC LIMIT 1)';
    await change(`UPDATE message SET data = json_set(data, '$.finish', 'tool-calls') WHERE id = ${last}`);
    assert.notDeepEqual(await state(), ['waiting']);
    await change(`UPDATE message SET time_updated = ${Date.now()} WHERE id = ${last}`);
    assert.deepEqual(await state(), ['working']);
    const part = (tool: string, status: string) =>
      change(
        `INSERT OR REPLACE INTO part (id, message_id, session_id, time_created, time_updated, data) SELECT 'prt_zz', id, session_id, ${Date.now()}, ${Date.now()}, json('{"type":"tool","tool":"${tool}","state":{"status":"${status}"}}') FROM message WHERE id = ${last}`,
      );
    await part('question', 'running');
    const [asking] = (await listed()).sessions;
    assert.deepEqual([asking?.state, asking?.needs_attention], ['waiting', 'asks a question']);
    for (const [tool, status] of [
      ['question', 'completed'],
      ['bash', 'running'],
    ] as const) {
      await part(tool, status);
      assert.deepEqual(await state(), ['working'], `${tool} ${status}`);
    }
    await change(
      `UPDATE message SET data = json_set(data, '$.error.name', 'MessageAbortedError') WHERE id = ${last}`,
    );
    assert.deepEqual(await state(), ['idle']);
    await change(`UPDATE message SET data = 'broken' WHERE id = ${last}`);
    assert.deepEqual(await state(), ['unknown']);
    await change(
      "UPDATE part SET data = json_set(data, '$.synthetic', json('true')) WHERE data LIKE '%second request%'",
    );
    const { queries } = succeeded(await verb('recollect', '/', { session: id }));
    assert.deepEqual(
      queries.map(({ text }) => text),
      asked.slice(0, 1),
    );
    await change("UPDATE session SET parent_id = 'ses_other'");
    assert.deepEqual(await state(), []);
  });

  it('are said to be unread where the tables are others, the file is no database, or nothing can read it', async () => {
    const why = async () => {
      const { sessions, unread = [] } = await listed();
      assert.deepEqual(sessions, []);
      return unread.map((one) => `${one.client}: ${one.why}`).join();
    };
    await writeFile(file, 'SQLite format 3\0');
    const expected = readable
      ? /^opencode: .*opencode\.db cannot be read \(.+\)\.$/
      : /is a database, and neither/;
    assert.match(await why(), expected);
    await writeFile(file, '');
    assert.match(await why(), readable ? /no such table: session/ : expected);
    assert.equal((await readFile(file)).length, 0);
    if (process.getBuiltinModule?.('node:sqlite') !== undefined) return;
    process.env.PATH = home;
    const none = await rowsIn(file, 'SELECT 1', new AbortController().signal);
    assert.match('problem' in none ? none.problem : '', /neither this Node nor a program sqlite3/);
  });
});
