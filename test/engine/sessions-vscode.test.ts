import assert from 'node:assert/strict';
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WindowEntry } from '../../src/engine/user/windows.ts';
import { succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

/** What a real VS Code wrote of one chat: four requests, of which the third asked for a permission, and the fourth was cancelled. */
const recorded = join(DISCERN_HOME, 'test/fixtures/sessions/.local/share/code-server/User');
const id = '3ae17ae0-3451-4883-bf96-15eb8b84be42';
const asked = [
  '@scripted 11 say The first answer.',
  '@scripted 12 say Shall I go on?',
  '@scripted 13 status',
  '@scripted 14 wait',
];

describe('The chats of VS Code', () => {
  const before = { ...process.env };
  let home: string;
  let workspace: string;
  let file: string;
  let lines: string[];

  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'discern-home-')));
    Object.assign(process.env, { HOME: home, USERPROFILE: home, DISCERN_STATE_DIR: join(home, 'state') });
    for (const name of ['XDG_CONFIG_HOME', 'APPDATA']) delete process.env[name];
    const user = join(home, '.local/share/code-server/User');
    await cp(recorded, user, { recursive: true });
    workspace = join(user, 'workspaceStorage/882197d');
    file = join(workspace, `chatSessions/${id}.jsonl`);
    lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  });
  afterEach(async () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    await rm(home, { recursive: true, force: true });
  });

  const sessions = async () => succeeded(await verb('sessions', '/'));
  const one = async () => {
    const { sessions: all, unread } = await sessions();
    assert.deepEqual([all.length, unread], [1, undefined]);
    return all[0];
  };
  const texts = async () =>
    succeeded(await verb('recollect', '/', { session: id })).queries.map(({ text }) => text);
  /** As long as the first `count` lines were all that VS Code had written; it only adds. */
  const until = (count: number) => writeFile(file, `${lines.slice(0, count).join('\n')}\n`);
  const isOpen = (pid = process.pid) =>
    writeFile(join(workspace, 'vscode.lock'), JSON.stringify({ pid, willReleaseAt: 0 }));
  const states = async () => {
    const { state, needs_attention: why } = (await one()) ?? {};
    return [state, why];
  };

  it('work, ask for a permission, ask a question or idle as their log says, while their window is open', async () => {
    const at = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line)) + 1;
    const asks = at(/"modelState":\{"value":4\}/);
    await isOpen();
    for (const [count, state, why] of [
      [asks, 'waiting', 'asks for permission'],
      [at(/\["requests",2,"modelState"\]/), 'idle', undefined],
      [at(/"text":"@scripted 14 wait"/), 'working', undefined],
      [lines.length, 'idle', undefined],
    ] as const) {
      await until(count);
      assert.deepEqual(await states(), [state, why], `after ${count} lines`);
    }
    // Without the tool that asks, it is the person's word that is waited for; and the second answer ended with a question.
    const question = (lines[asks - 1] ?? '').replace(
      '"kind":"toolInvocationSerialized"',
      '"kind":"elicitation"',
    );
    await writeFile(file, `${[...lines.slice(0, asks - 1), question].join('\n')}\n`);
    assert.deepEqual(await states(), ['waiting', 'asks a question']);
    const { kind, k, v } = JSON.parse(lines[asks - 1] ?? '');
    const second = JSON.stringify({ kind, k, v: v.slice(0, 2) });
    await writeFile(file, `${[...lines.slice(0, asks - 1), second].join('\n')}\n`);
    assert.deepEqual(await states(), ['waiting', 'asks a question']);
    // One that was quiet for long may have been killed with its window.
    await until(at(/"text":"@scripted 14 wait"/));
    await utimes(file, 1_000_000, 1_000_000);
    assert.deepEqual(await states(), ['unknown', undefined]);
  });

  it('have ended with their window, and nothing waits in one that is closed', async () => {
    await until(lines.findIndex((line) => /"value":4/.test(line)) + 1);
    assert.deepEqual(await states(), ['ended', undefined]);
    await isOpen(2 ** 22 + 1);
    assert.deepEqual(await states(), ['ended', undefined]);
    await isOpen();
    assert.deepEqual(await states(), ['waiting', 'asks for permission']);
    // Where VS Code keeps neither, nobody can tell: then the record alone counts.
    for (const name of ['vscode.lock', 'meta.json']) await rm(join(workspace, name));
    assert.deepEqual(await states(), ['waiting', 'asks for permission']);
  });

  it('are recollected by what the person asked, also from before the log was written anew', async () => {
    assert.deepEqual(await texts(), asked);
    const whole = {
      version: 3,
      sessionId: id,
      customTitle: 'A better title',
      requests: asked.map((text, n) => ({
        requestId: `r${n}`,
        timestamp: 1_796_307_624_460 + n,
        message: { text },
        modelState: { value: 1 },
        response: [],
      })),
    };
    const entry = (value: object) => `${JSON.stringify(value)}\n`;
    const more = {
      requestId: 'r4',
      message: { text: 'And a fifth.' },
      modelState: { value: 0 },
      response: [],
    };
    await writeFile(file, entry({ kind: 0, v: whole }) + entry({ kind: 2, k: ['requests'], v: [more] }));
    assert.deepEqual(await texts(), [...asked, 'And a fifth.']);
    assert.equal((await one())?.title, 'A better title');
    // A request that is asked again stands in the place of the last.
    const again = { ...more, message: { text: 'And a better fifth.' } };
    await writeFile(
      file,
      (await readFile(file, 'utf8')) + entry({ kind: 2, k: ['requests'], i: 4, v: [again] }),
    );
    assert.deepEqual(await texts(), [...asked, 'And a better fifth.']);
    await writeFile(file, `${await readFile(file, 'utf8')}{"kind":2,"k":["requests"],"v":[{"mess`);
    assert.deepEqual(await texts(), [...asked, 'And a better fifth.']);
  });

  it('stand where their tools act, else in the folder their window has open, and never on another machine', async () => {
    assert.equal((await one())?.cwd, '/home/person/app');
    await rm(join(workspace, 'discern-vscode.discern-vscode'), { recursive: true });
    assert.equal((await one())?.cwd, undefined);
    const opened = (value: object) => writeFile(join(workspace, 'workspace.json'), JSON.stringify(value));
    await opened({ folder: pathToFileURL(join(home, 'an app ü')).href });
    assert.equal((await one())?.cwd, join(home, 'an app ü'));
    for (const folder of [
      'vscode-remote://ssh-remote%2Bhost/home/person/app',
      'file://host/share',
      'app',
      7,
    ]) {
      await opened({ folder });
      assert.equal((await one())?.cwd, undefined, String(folder));
    }
    await opened({ workspace: 'file:///home/person/app.code-workspace' });
    assert.equal((await one())?.cwd, undefined);
  });

  it('are found in the folder of a window that is open, wherever VS Code was told to keep it', async () => {
    const elsewhere = join(home, 'else where/data/User');
    await mkdir(join(home, 'else where/data'), { recursive: true });
    await cp(recorded, elsewhere, { recursive: true });
    await rm(join(home, '.local'), { recursive: true });
    assert.deepEqual((await sessions()).sessions, []);
    const state = join(elsewhere, 'workspaceStorage/882197d/discern-vscode.discern-vscode/held-0.json');
    const socket = join(home, 'sockets/s');
    await mkdir(join(home, 'sockets'), { mode: 0o700 });
    const server = createServer().listen(socket);
    await new Promise((resolve) => server.once('listening', resolve));
    await chmod(socket, 0o600);
    const entry = WindowEntry.open(process.env, { socket, folders: [], server: '1', state });
    try {
      assert.equal((await one())?.id, id);
    } finally {
      entry?.close();
      server.close();
    }
  });

  it('of an older form, empty, broken or of another kind are said or left out, and never an error', async () => {
    const folder = join(workspace, 'chatSessions');
    await writeFile(join(folder, 'older.json'), '{}');
    await writeFile(join(folder, 'broken.jsonl'), 'no record\n');
    await writeFile(join(folder, 'empty.jsonl'), '');
    await writeFile(join(folder, 'new.jsonl'), `${lines[0]}\n`);
    await mkdir(join(folder, 'folder.jsonl'));
    const wild = [
      ...[
        null,
        7,
        {},
        { kind: 1 },
        { kind: 1, k: 'requests' },
        { kind: 2, k: ['requests', -1, 'response'], v: 1 },
      ],
      ...[
        { kind: 1, k: ['requests', 1e9], v: {} },
        { kind: 1, k: ['__proto__', 'x'], v: 1 },
        { kind: 9, k: [] },
      ],
      { kind: 2, k: ['requests', '0', 'response'], v: [{ value: 7 }], i: -3 },
    ];
    await writeFile(file, [...lines, ...wild.map((value) => JSON.stringify(value))].join('\n'));
    const { sessions: all, unread = [] } = await sessions();
    assert.deepEqual(
      all.map((row) => row.id),
      [id],
    );
    const said = unread.map(({ client, why }) => `${client}: ${why}`).join('\n');
    assert.match(said, /vscode: .*chatSessions has 1 in a format that is not known/);
    assert.match(said, /vscode: .*folder\.jsonl is not a regular file/);
    assert.match(said, /vscode: 2 records with nothing in it that is known/);
    assert.deepEqual(await texts(), asked);
  });
});
