import assert from 'node:assert/strict';
import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Data } from '../../src/contract/verbs.ts';
import { succeeded } from '../support/checkouts.ts';
import { type CliOptions, cli, json } from '../support/cli.ts';
import { verb } from '../support/engine.ts';
import { httpServers } from '../support/http.ts';
import { projects } from '../support/project.ts';
import { connections } from '../support/server.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

/** Records that real clients wrote in two turns; long texts in them are shortened, and the home is another. */
const recorded = join(DISCERN_HOME, 'test', 'fixtures', 'sessions');

const claudeId = '9c466457-0cd1-4f6d-9471-8c55506cf0e4';
const codexId = '01a23a34-83fe-7852-96f9-f001dd93aab2';
const copilotId = '45ddeb8a-6c99-4e83-aaea-a0f4afc678dc';
const geminiId = '46ece11c-0e8f-4d0f-933e-7c0d826df351';
const chatId = '3ae17ae0-3451-4883-bf96-15eb8b84be42';
const asked = ['The first request, please.\nWith a second line.', 'And the second request.'];

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const http = httpServers();

describe('The sessions of this machine', () => {
  let home: string;
  const claudeFile = (id = claudeId) => join(home, '.claude', 'projects', '-home-person-app', `${id}.jsonl`);
  const at = (): CliOptions => ({ cwd: '/', env: { HOME: home, USERPROFILE: home } });
  const list = async (...more: string[]) =>
    (await json<Data<'sessions'>>(['sessions', ...more], at())).envelope;
  const recollect = async (...more: string[]) =>
    (await json<Data<'recollect'>>(['recollect', ...more], at())).envelope;
  const texts = ({ data }: { data: Data<'recollect'> }) => data.queries.map(({ text }) => text);

  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'discern sessions ')));
    await cp(recorded, home, { recursive: true });
    // Claude Code keeps a record of each program that runs here; git keeps no empty folder.
    await mkdir(join(home, '.claude', 'sessions'));
  });
  afterEach(async () => {
    await closeAll();
    await http.stopAll();
    await removeAll();
    await rm(home, { recursive: true, force: true });
  });

  it('are listed of five clients, each with its place, its title and what it is doing', async () => {
    const { data } = await list();
    const rows = data.sessions.map(({ id, client, cwd, title, state }) => [client, id, cwd, title, state]);
    const title = 'The first request, please. With a second line.';
    assert.deepEqual(rows.sort(), [
      ['claude', claudeId, '/home/person/app', title, 'ended'],
      ['codex', codexId, '/home/person/app', title, 'ended'],
      ['copilot', copilotId, '/home/person/app', title, 'ended'],
      ['gemini', geminiId, '/home/person/app', title, 'waiting'],
      ['vscode', chatId, '/home/person/app', '@scripted 11 say The first answer.', 'ended'],
    ]);
    const gemini = data.sessions.find(({ client }) => client === 'gemini');
    assert.equal(gemini?.needs_attention, 'asks a question');
    assert.deepEqual([data.total, data.unread], [5, undefined]);
  });

  it('of Claude Code wait, work, idle or have ended by what its running program says', async () => {
    const programs = join(home, '.claude', 'sessions');
    const stateWith = async (record: object) => {
      await writeFile(join(programs, `${process.pid}.json`), JSON.stringify(record));
      const { data } = await list();
      const mine = data.sessions.find(({ client }) => client === 'claude');
      return [mine?.state, mine?.needs_attention];
    };
    const one = { pid: process.pid, sessionId: claudeId, cwd: '/home/person/app' };
    assert.deepEqual(await stateWith({ ...one, status: 'busy' }), ['working', undefined]);
    const waiting = { ...one, status: 'waiting', waitingFor: 'permission prompt' };
    assert.deepEqual(await stateWith(waiting), ['waiting', 'asks for permission']);
    assert.deepEqual(await stateWith({ ...waiting, waitingFor: 'input needed' }), [
      'waiting',
      'asks a question',
    ]);
    // Its last words end with a question mark.
    assert.deepEqual(await stateWith({ ...one, status: 'idle' }), ['waiting', 'asks a question']);
    // Another session's program, another program with its number, and a program that has ended say nothing of it.
    assert.deepEqual(await stateWith({ ...waiting, sessionId: 'other' }), ['ended', undefined]);
    if (process.platform === 'linux') {
      assert.deepEqual(await stateWith({ ...waiting, procStart: '1' }), ['ended', undefined]);
    }
    await rm(programs, { recursive: true });
    const { data } = await list();
    assert.equal(data.sessions.find(({ client }) => client === 'claude')?.state, 'unknown');
  });

  it('of Copilot CLI wait for a permission or an answer until that is given, and end with their program', async () => {
    const folder = join(home, '.copilot/session-state', copilotId);
    const file = join(folder, 'events.jsonl');
    const ended = await readFile(file, 'utf8');
    const before = { ...process.env };
    Object.assign(process.env, { HOME: home, USERPROFILE: home });
    delete process.env.COPILOT_HOME;
    const stateWith = async (...events: { type: string; data: object }[]) => {
      const going = ended.split('\n').filter((line) => line !== '' && !line.includes('"session.shutdown"'));
      await writeFile(file, `${[...going, ...events.map((event) => JSON.stringify(event))].join('\n')}\n`);
      const mine = succeeded(await verb('sessions', '/')).sessions.find(({ client }) => client === 'copilot');
      return [mine?.state, mine?.needs_attention];
    };
    const turn = { type: 'assistant.turn_start', data: { turnId: '1' } };
    const asks = { type: 'permission.requested', data: { requestId: 'p1', permissionRequest: {} } };
    const allowed = { type: 'permission.completed', data: { requestId: 'p1', result: { kind: 'approved' } } };
    const question = { type: 'tool.execution_start', data: { toolCallId: 't1', toolName: 'ask_user' } };
    const answer = { type: 'tool.execution_complete', data: { toolCallId: 't1', success: true } };
    const spoken = { type: 'user.message', data: { content: 'No, go on.' } };
    try {
      assert.deepEqual(await stateWith(turn), ['working', undefined]);
      assert.deepEqual(await stateWith(turn, asks), ['waiting', 'asks for permission']);
      assert.deepEqual(await stateWith(turn, asks, allowed), ['working', undefined]);
      assert.deepEqual(await stateWith(turn, question), ['waiting', 'asks a question']);
      assert.deepEqual(await stateWith(turn, question, answer), ['working', undefined]);
      assert.deepEqual(await stateWith(turn, asks, spoken), ['working', undefined]);
      await writeFile(join(folder, `inuse.${process.pid}.lock`), `${process.pid}`);
      assert.deepEqual(await stateWith(turn, asks), ['waiting', 'asks for permission']);
      // A long tool writes nothing for as long as it runs.
      await stateWith(turn);
      await utimes(file, 1_000_000, 1_000_000);
      const { sessions: quiet } = succeeded(await verb('sessions', '/'));
      assert.equal(quiet.find(({ client }) => client === 'copilot')?.state, 'working');
      await rename(join(folder, `inuse.${process.pid}.lock`), join(folder, `inuse.${2 ** 22 + 1}.lock`));
      assert.deepEqual(await stateWith(turn, asks), ['ended', undefined]);
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });

  it('are told by what was asked alone, oldest first and whole, by an id or its beginning', async () => {
    for (const id of [claudeId, codexId, copilotId, geminiId]) {
      assert.deepEqual(texts(await recollect(id)), asked);
      assert.deepEqual(texts(await recollect(id.slice(0, 6))), asked);
    }
    const last = await recollect(claudeId, '--last', '1');
    assert.deepEqual([texts(last), last.data.total], [asked.slice(1), 2]);
    const { stdout } = await cli(['recollect', claudeId], at());
    assert.ok(stdout.includes(asked[1] ?? '') && !stdout.includes('First answer.'), stdout);
  });

  it('are refused by no id, an unknown one, and the beginning of two', async () => {
    for (const id of ['../../etc/passwd', 'a/b', '..', 'x'.repeat(200), '\u001b[2J']) {
      const { error, message } = await recollect(id);
      assert.equal(error, 'invalid_argument', id);
      assert.match(message ?? '', /not a session id/);
    }
    assert.match((await recollect('0000')).message ?? '', /There is no session "0000"/);
    const second = `${claudeId.slice(0, 8)}-0000-0000-0000-000000000000`;
    await copyAs(second);
    const several = await recollect(claudeId.slice(0, 8));
    assert.equal(several.error, 'invalid_argument');
    assert.ok(several.message?.includes(claudeId) && several.message.includes(second), several.message);
    assert.deepEqual(texts(await recollect(claudeId)), asked);
  });

  it('stand in the repository that is asked for, and in no other', async () => {
    const [project, other] = [await make(), await make()];
    const text = (await readFile(claudeFile(), 'utf8')).replaceAll('/home/person/app', project.root);
    await writeFile(claudeFile(), text);
    const found = await list(project.root);
    assert.deepEqual(
      found.data.sessions.map(({ id }) => id),
      [claudeId],
    );
    assert.deepEqual((await list(other.root)).data.sessions, []);
    assert.equal((await list('/')).error, 'not_a_git_repository');
    assert.equal((await list('relative')).error, 'invalid_argument');
  });

  it('are said to be unread where a folder or a record cannot be, and the others are listed', async () => {
    await rm(join(home, '.copilot', 'session-state'), { recursive: true });
    await symlink('session-state', join(home, '.copilot', 'session-state'));
    const chats = join(home, '.gemini', 'tmp', 'app', 'chats');
    await writeFile(join(chats, 'session-2020.json'), '{}');
    await writeFile(claudeFile('aaaa'), 'not a record\n');
    await mkdir(join(home, '.local/share/opencode'), { recursive: true });
    await writeFile(join(home, '.local/share/opencode/opencode.db'), 'SQLite format 3\0');
    const { data } = await list();
    assert.deepEqual(data.sessions.map(({ client }) => client).sort(), [
      'claude',
      'codex',
      'gemini',
      'vscode',
    ]);
    const said = Object.fromEntries((data.unread ?? []).map(({ client, why }) => [client, why]));
    assert.match(said.copilot ?? '', /session-state cannot be read \(ELOOP\)/);
    assert.match(said.gemini ?? '', /has 1 in a format that is not known/);
    assert.match(said.claude ?? '', /1 record with nothing in it that is known, such as .*aaaa\.jsonl/);
    assert.match(said.opencode ?? '', /opencode\.db (?:cannot be read|is a database)/);
  });

  it('show nothing that moves a cursor, in a title or in what was asked', async () => {
    const text = (await readFile(claudeFile(), 'utf8')).replaceAll('The first', '\\u001b[2J\\u202eThe first');
    await writeFile(claudeFile(), text);
    const { data } = await list();
    const mine = data.sessions.find(({ client }) => client === 'claude');
    assert.ok(mine?.title?.startsWith('\\u{1b}[2J\\u{202e}The first'), mine?.title);
    const [one] = texts(await recollect(claudeId));
    assert.equal(one, `\\u{1b}[2J\\u{202e}${asked[0]}`);
  });

  it('of which one is being written are read up to its last whole line', async () => {
    const whole = await readFile(claudeFile(), 'utf8');
    appendFileSync(claudeFile(), '{"type":"user","message":{"role":"user","content":"half wri');
    assert.deepEqual(texts(await recollect(claudeId)), asked);
    const line = {
      type: 'user',
      message: { role: 'user', content: 'A third.' },
      sessionId: claudeId,
      uuid: 'u3',
    };
    await writeFile(claudeFile(), `${whole}${JSON.stringify(line)}`);
    assert.deepEqual(texts(await recollect(claudeId)), [...asked, 'A third.']);
  });

  it('whose record grows, is cut or is written anew is read as it is, by a server that read it before', async () => {
    const connection = await open({ env: { HOME: home, USERPROFILE: home } });
    const read = async () => {
      const { envelope } = await connection.call('discern_recollect', { session: claudeId });
      return texts(envelope as unknown as { data: Data<'recollect'> });
    };
    const line = (content: string) =>
      `${JSON.stringify({ type: 'user', message: { role: 'user', content }, sessionId: claudeId, uuid: content })}\n`;
    assert.deepEqual(await read(), asked);
    appendFileSync(claudeFile(), line('three'));
    assert.deepEqual(await read(), [...asked, 'three']);
    assert.deepEqual(await read(), [...asked, 'three']);
    await writeFile(claudeFile(), line('only'));
    assert.deepEqual(await read(), ['only']);
    await writeFile(claudeFile(), `${line('other')}${line('words')}`);
    assert.deepEqual(await read(), ['other', 'words']);
  });

  it('with a record of 200 MB are read within the memory of a few of its pieces', async () => {
    const tool = JSON.stringify({
      type: 'user',
      toolUseResult: {},
      message: { content: 'x'.repeat(1_000_000) },
    });
    const file = openSync(claudeFile(), 'a');
    for (let i = 0; i < 200; i++) writeSync(file, `${tool}\n`);
    writeSync(file, `{"type":"user","message":{"content":"${'y'.repeat(100_000)}"},"uuid":"z"}\n`);
    closeSync(file);
    const env = { HOME: home, USERPROFILE: home, NODE_OPTIONS: '--max-old-space-size=96' };
    const connection = await open({ env });
    const { envelope } = await connection.call('discern_recollect', { session: claudeId });
    const all = texts(envelope as unknown as { data: Data<'recollect'> });
    assert.deepEqual(
      all.map((text) => text.length),
      [...asked.map((text) => text.length), 100_000],
    );
    const status = await readFile(`/proc/${connection.pid}/status`, 'utf8').catch(() => 'VmHWM: 0 kB');
    const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
    assert.ok(peak < 190_000, `${peak} kB at most`);
  });

  it('keep to the limit, the last active first, and count the others', async () => {
    for (let i = 0; i < 60; i++) {
      const id = `copy-${String(i).padStart(2, '0')}`;
      await copyAs(id);
      await utimes(claudeFile(id), 1_000_000 + i, 1_000_000 + i);
    }
    await rm(join(home, '.gemini'), { recursive: true });
    const { data } = await list('--limit', '8');
    assert.deepEqual([data.sessions.length, data.total], [8, 64]);
    assert.deepEqual(
      data.sessions.slice(4).map(({ id }) => id),
      ['copy-59', 'copy-58', 'copy-57', 'copy-56'],
    );
  });

  it('over HTTP are told of only where their directory is served', async () => {
    const [project, other] = [await make(), await make()];
    const text = await readFile(claudeFile(), 'utf8');
    await writeFile(claudeFile(), text.replaceAll('/home/person/app', project.root));
    await copyAs('elsewhere', (own) => own.replaceAll(project.root, other.root));
    const server = await http.serve(['--root', project.root], { env: { HOME: home, USERPROFILE: home } });
    const connection = await http.connect(server.url);
    const call = async (name: string, args = {}) => (await connection.call(name, args)).envelope;
    const { sessions, total, unread } = (await call('discern_sessions')).data as Data<'sessions'>;
    assert.deepEqual([sessions.map(({ id }) => id), total, unread], [[claudeId], 1, undefined]);
    assert.equal((await call('discern_sessions', { repo: other.root })).error, 'not_a_git_repository');
    assert.equal((await call('discern_recollect', { session: 'elsewhere' })).error, 'invalid_argument');
    assert.equal((await call('discern_recollect', { session: claudeId })).ok, true);
  });

  it('whatever stands in a record, are listed or said, and never an error', async () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('user', 'assistant', '/x'), fc.jsonValue());
    const names = ['type', 'message', 'content', 'cwd', 'sessionId', 'attachment', 'payload', 'data', 'text'];
    const line = fc.dictionary(fc.constantFrom(...names), value).map((one) => JSON.stringify(one));
    const before = process.env.HOME;
    process.env.HOME = home;
    try {
      const files = [
        claudeFile(),
        ...(await Promise.all(['.codex', '.copilot', '.gemini', '.local'].map(recordIn))),
      ];
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(line, fc.string())), async (lines) => {
          for (const file of files) await writeFile(file, lines.join('\n'));
          const listed = await verb('sessions', '/');
          assert.equal(listed.ok, true, listed.message);
          const told = await verb('recollect', '/', { session: claudeId });
          assert.equal(told.ok, true, told.message);
        }),
        { numRuns: 60 },
      );
    } finally {
      process.env.HOME = before;
    }
  });

  /** The record of another session of Claude Code, which says the same. */
  async function copyAs(id: string, change = (text: string) => text): Promise<void> {
    const text = await readFile(claudeFile(), 'utf8');
    await writeFile(claudeFile(id), change(text.replaceAll(claudeId, id)));
  }

  /** The one record below a folder of the home. */
  async function recordIn(folder: string): Promise<string> {
    const names = await readdir(join(home, folder), { recursive: true });
    const found = names.find((name) => name.endsWith('.jsonl'));
    assert.ok(found);
    return join(home, folder, found);
  }
});
