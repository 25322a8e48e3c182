import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitEnv, type Project } from '../support/project.ts';
import { serverFile } from '../support/server.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { type Driver, installed } from './driver.ts';
import { gemini } from './gemini.ts';
import type { Turn } from './model.ts';
import { opencode } from './opencode.ts';
import { commit, stage } from './stage.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

/** The clients of the table, in its order. */
export const observed: readonly Driver[] = [claude, copilot, codex, opencode, gemini];

/** One client's column: what was seen of it in one run, by the row it stands in. */
export type Column = Map<string, string>;

type Json = Record<string, unknown>;
interface Note {
  what: string;
  seen: Json;
}

/** Every name a client may keep or take out; the values do not matter. */
const around = (home: string): Record<string, string> => ({
  ...gitEnv,
  PATH: process.env.PATH ?? '',
  HOME: home,
  SHELL: '/bin/sh',
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  NO_PROXY: '127.0.0.1,localhost',
  EXAMPLE_WORD: 'one',
  EXAMPLE_TOKEN: 'two',
  EXAMPLE_API_KEY: 'three',
});

/** Says where a shell stands, in words that no message about the command repeats. */
const where = "pwd | sed 's/^/at:/'";
const stands = (result: string | undefined, path: string) =>
  new RegExp(`at:[^\\s"]*${path.split('/').slice(-2).join('/')}(?![\\w/.-])`).test(result ?? '');

/** What one client hands to our server and how it moves, by a run of the real client with a recorder before the server. */
export async function observe(driver: Driver): Promise<Column> {
  const { make, home: newHome, begin, open, clear } = stage();
  try {
    const project = await make();
    const own = join(project.home, 'app.worktrees', 'own');
    const scene = async (name: string) => {
      const home = await newHome();
      const log = join(project.home, `${name}.jsonl`);
      const recorder = join(DISCERN_HOME, 'scripts/clients/recorder.mjs');
      const recorded = [recorder, log, home, join(project.home, 'app.worktrees')];
      const server = [process.execPath, ...recorded, '--', process.execPath, serverFile];
      return { log, scene: { home, cwd: project.root, server, around: around(home) } };
    };
    const column: Column = new Map();

    const first = await scene('first');
    const work = commit('src/b.txt', 'BROKEN');
    // Where a client has a directory for each command, it works by that; Gemini's has to be below its workspace.
    const inOwn =
      driver === claude
        ? claude.shell(work)
        : driver === codex || driver === opencode
          ? driver.shell(work, own)
          : driver.shell(`cd '${own}' && ${work}`);
    const script: Turn[] = [
      driver.ours('status'),
      driver.ours('update'),
      driver.ours('status', { unknown_word: 1 }),
      driver.shell(`git worktree add -q -b own '${own}'`),
      driver.shell(`cd '${own}' && ${where}`),
      driver.shell(where),
      driver === claude ? { tool: 'EnterWorktree', input: { path: own } } : driver.shell(where, own),
      driver.shell(where),
      inOwn,
      driver.ours('done'),
      { say: 'Done.' },
    ];
    const results = await (await begin(driver, script, first.scene)).end();
    const notes = notesIn(first.log);
    launching(column, { driver, notes, project, given: Object.keys(first.scene.around) });
    reading(column, notes, results);

    const [, , , , , afterCd = '', move = '', afterMove = ''] = results;
    column.set(
      'a `cd` in its shell',
      stands(afterCd, own) ? 'stays for the next command' : 'for one command',
    );
    if (driver === copilot) {
      const second = await scene('second');
      column.set('moves by', await typed(second.scene, own, open));
      const later = notesIn(second.log);
      const launches = later.filter(({ what }) => what === 'launch');
      const where = launches.map(({ seen }) =>
        seen.cwd === project.root ? 'the main checkout' : 'the worktree',
      );
      column.set(
        'the server at a move',
        launches.length === 1 ? 'goes on' : `is started again, in ${where.at(-1)}`,
      );
      following(column, later, project);
    } else {
      const moved =
        driver === claude
          ? stands(afterMove, own) && '`EnterWorktree`'
          : stands(move, own) && 'the directory of each command';
      column.set('moves by', moved || '`cd` inside each command');
      column.set('the server at a move', launchesIn(notes).length === 1 ? 'goes on' : 'is started again');
      following(column, notes, project);
    }
    return column;
  } finally {
    await clear();
  }
}

/** The moves of Copilot CLI that a person types, tried in a terminal. */
async function typed(
  scene: Parameters<ReturnType<typeof stage>['open']>[2],
  own: string,
  open: ReturnType<typeof stage>['open'],
): Promise<string> {
  const script: Turn[] = [
    copilot.ours('status'),
    { say: 'Ready.' },
    copilot.shell(where),
    { say: 'Looked once.' },
    copilot.shell(where),
    copilot.ours('done'),
    { say: 'Looked twice.' },
  ];
  const { model, terminal } = await open(copilot, script, scene);
  await terminal.shows(/Ready\./);
  await terminal.type('/worktree feature');
  await terminal.shows(/Created worktree/);
  await terminal.type('Where are you?');
  await terminal.shows(/Looked once\./);
  const byWorktree = stands(model.results().at(-1), '/app.worktrees/feature');
  await terminal.type(`/cwd ${own}`);
  await terminal.shows(/Changed working directory/);
  await terminal.type('And now?');
  await terminal.shows(/Looked twice\./);
  const byCwd = stands(model.results().at(-2), own);
  const seen = [byWorktree && '`/worktree`', byCwd && '`/cwd`'].filter(Boolean);
  return `${seen.join(', ')} (a person types them)`;
}

function notesIn(log: string): Note[] {
  const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Note);
}

const launchesIn = (notes: Note[]) => notes.filter(({ what }) => what === 'launch');
const sent = (notes: Note[], method: string) =>
  notes.filter(({ what, seen }) => what === 'from client' && seen.method === method).map(({ seen }) => seen);
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ') || 'none';
const object = (value: unknown) => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** How it starts a server and opens the connection. */
function launching(
  column: Column,
  { driver, notes, project, given }: { driver: Driver; notes: Note[]; project: Project; given: string[] },
): void {
  const [launch] = launchesIn(notes);
  assert.ok(launch, `${driver.name} started no server`);
  const { cwd, arguments: args, parent, environment } = launch.seen;
  column.set('launched in', cwd === project.root ? 'the client’s directory' : String(cwd));
  const configured = (args as string[]).at(-1) === serverFile;
  column.set('arguments', configured ? 'as configured' : String(args));
  const command = (object(parent).command as string[] | undefined) ?? [];
  const isClient = command.some(
    (word) => word.includes(installed) || word.includes(driver.package.split('/')[1] ?? ''),
  );
  column.set('the server’s parent', isClient ? 'the client' : String(command[0]));

  const names = Object.keys(object(environment));
  const own = names.filter((name) => !given.includes(name) && /^[A-Z]/.test(name) && !ofTheRun.test(name));
  const values = Object.entries(object(environment));
  const aimed = values
    .filter(([name, value]) => own.includes(name) && value === project.root)
    .map(([name]) => name);
  column.set(
    'environment it adds',
    own.map((name) => `\`${name}\`${aimed.includes(name) ? ' (the launch directory)' : ''}`).join(', ') ||
      'none',
  );
  const kept = given.filter((name) => names.includes(name));
  column.set(
    'of the user’s environment',
    kept.length > given.length / 2
      ? `all but ${code(given.filter((name) => !kept.includes(name)))}`.replace('all but none', 'all')
      : `only ${code(kept)}`,
  );

  const [opening] = sent(notes, 'initialize');
  const [discovering] = sent(notes, 'server/discover');
  const params = object(opening?.params);
  const meta = object(object(discovering?.params)._meta);
  const prefix = 'io.modelcontextprotocol/';
  const era = params.protocolVersion ?? meta[`${prefix}protocolVersion`];
  const info = object(params.clientInfo ?? meta[`${prefix}clientInfo`]);
  const capabilities = object(params.capabilities ?? meta[`${prefix}clientCapabilities`]);
  column.set('calls itself', `\`${info.name}\``);
  column.set('era', `${era}${opening ? '' : ' (`server/discover`)'}`);
  column.set(
    'capabilities',
    Object.entries(capabilities)
      .map(([name, value]) => {
        const parts = Object.keys(object(value));
        return parts.length > 0 ? `${name} (${parts.join(', ')})` : name;
      })
      .join(', ') || 'none',
  );
  const [call] = sent(notes, 'tools/call');
  column.set('`_meta` of a call', metaNames(object(object(call?.params)._meta)));
  const roots = notes
    .filter(({ what }) => what === 'roots')
    .map(({ seen }) => (seen.roots as { uri: string }[]).map(({ uri }) => uri).join(' and '))
    .map((uri) => (uri === `file://${project.root}` ? 'the launch directory' : uri))
    .map((uri) => (uri.includes('/app.worktrees/') ? 'after the move the worktree' : uri));
  column.set('roots', [...new Set(roots)].join(', ') || 'not offered');
}

/** Names that this run gave a client for its own use, or that its shell sets. */
const ofTheRun =
  /^(PWD|OLDPWD|SHLVL|_|USERPROFILE|TMUX.*|COLUMNS|LINES|ANTHROPIC_.*|DISABLE_.*|CLAUDE_CODE_DISABLE_.*|COPILOT_(OFFLINE|MODEL|PROVIDER_.*)|CODEX_HOME|LOOPBACK_KEY|OPENCODE_(CONFIG|DISABLE_.*)|GOOGLE_GEMINI_.*|GEMINI_API_KEY|GEMINI_TELEMETRY_.*)$/;

function metaNames(meta: Json): string {
  const names = Object.entries(meta).map(([name, value]) => {
    const short = name.replace('io.modelcontextprotocol/', '');
    const inner = Object.keys(
      object(typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value),
    );
    const telling = inner.filter((key) => /session|thread|turn_id|cwd|workspace|sandbox/.test(key));
    return `\`${short}\`${telling.length > 0 ? ` (${telling.join(', ')})` : ''}`;
  });
  return names.join(', ') || 'none';
}

/** Which part of an answer its model reads. */
function reading(column: Column, notes: Note[], results: string[]): void {
  const answers = notes
    .filter(({ what, seen }) => what === 'from server' && Array.isArray(object(seen.result).content))
    .map(({ seen }) => object(seen.result));
  const [status = {}, update = {}] = answers;
  const parts = (answer: Json, shown = '') => {
    const [text] = answer.content as { text: string }[];
    const firstLine = text?.text.split('\n')[0] ?? '';
    const verb = object(answer.structuredContent).verb;
    const reads = [
      firstLine !== '' && shown.includes(firstLine) && 'text',
      shown.replaceAll('\\"', '"').includes(`"verb":"${verb}"`) && 'structured part',
    ];
    return reads.filter(Boolean).join(', then ') || 'neither';
  };
  column.set('its model reads, ok', parts(status, results[0]));
  column.set('its model reads, refused', parts(update, results[1]));
  const reached = sent(notes, 'tools/call').some(({ params }) =>
    Object.hasOwn(object(object(params).arguments), 'unknown_word'),
  );
  const refused = /unknown_argument/.test(results[2] ?? '');
  column.set(
    'an unknown argument',
    reached
      ? refused
        ? 'reaches the server, which refuses it'
        : 'reaches the server'
      : 'is refused by the client',
  );
}

/** What on the client's disk names the worktree it works in, and what our answer goes by. */
function following(column: Column, notes: Note[], project: Project): void {
  const records = (notes.filter(({ what }) => what === 'records').at(-1)?.seen ?? []) as unknown as {
    file: string;
    binary: boolean;
    keys: string[];
  }[];
  const telling = records
    .map(({ file, binary, keys }) => ({
      file: general(file),
      says: binary ? 'a database' : keys.filter((key) => /cwd|work|directory|root/i.test(key)).join(', '),
    }))
    .filter(({ says, file }) => says !== '' && !/mcp\.json|\.log$/.test(file));
  const unlike = new Map(telling.map((one) => [one.file, one.says]));
  column.set(
    'names the directory in',
    [...unlike].map(([file, says]) => `\`${file}\` (${says})`).join(', ') || 'no file',
  );

  const text = notes
    .filter(
      ({ what, seen }) =>
        what === 'from server' && object(object(seen.result).structuredContent).verb === 'done',
    )
    .map(({ seen }) => object(seen.result).structuredContent as { data: Json; message: string })
    .at(-1);
  assert.ok(text, 'done was answered');
  const evidence = /You are in [^(]*\(([^)]*)\)/.exec(text.message)?.[1];
  const moved = String(text.data.root).startsWith(join(project.home, 'app.worktrees'));
  column.set(
    'so `done` goes by',
    moved
      ? (evidence ?? 'where it was started')
      : text.data.divergence
        ? 'nothing: it says first where the work is'
        : 'nothing',
  );
}

/** A file's name without what differs from run to run. */
const general = (file: string) =>
  file
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '<id>')
    .replace(/\d{4}\/\d{2}\/\d{2}/, '<date>')
    .replace(/\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}/, '<time>')
    .replace(/-(wal|shm)$/, '')
    .replace(/(ses|msg|prt)_\w+/g, '<$1>')
    .replace(/-[\w-]*discern-test-\w+-app/, '<directory>')
    .replace(/\/\d{2,}\./, '/<pid>.');

/** A client's column of a table that {@link tableOf} made. */
export function columnIn(table: string, driver: Driver): Column {
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  const [head = [], , ...rows] = lines.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  const index = head.findIndex((cell) => cell.startsWith(`${driver.name} `));
  return new Map(rows.map((cells) => [cells[1] ?? '', (cells[index] ?? '').replaceAll('\\|', '|')]));
}

/** The table, as it stands in docs/clients.md. */
export function tableOf(columns: readonly [Driver, string, Column][]): string {
  const [first] = columns;
  const rows = [...(first?.[2].keys() ?? [])];
  const cell = (text: string) => text.replaceAll('|', '\\|');
  return [
    `| | ${columns.map(([driver, version]) => `${driver.name} ${version}`).join(' | ')} |`,
    `| --- |${columns.map(() => ' --- |').join('')}`,
    ...rows.map(
      (row) => `| ${row} | ${columns.map(([, , column]) => cell(column.get(row) ?? '')).join(' | ')} |`,
    ),
  ].join('\n');
}
