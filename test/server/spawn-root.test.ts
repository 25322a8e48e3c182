import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Held } from '../../src/contract/data.ts';
import { beginsAtDirectory, needsNoRoot } from '../../src/contract/traits.ts';
import type { Verb } from '../../src/contract/verbs.ts';
import { git, type Project, plainConfig, projects } from '../support/project.ts';
import { type Connection, type ConnectOptions, connections, requiredArguments } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

/** What a server says of its root, by the resource and, but for how it was looked for, by status alike. */
async function heldBy(connection: Connection): Promise<Held> {
  const resource = (await connection.resource('discern://root')) as Held;
  const { envelope } = await connection.call('discern_status');
  const { candidates: _candidates, ...rest } = resource;
  assert.deepEqual(envelope.data.held, rest, 'status says what discern://root says');
  return resource;
}

/** The candidates a server tried, as `mechanism value: outcome`. */
const tried = (held: Held) =>
  (held.candidates ?? []).map(({ mechanism, value, outcome }) => `${mechanism} ${value ?? '-'}: ${outcome}`);

describe('The spawn root of a server', () => {
  let project: Project;
  let outside: string;

  beforeEach(async () => {
    project = await make();
    outside = join(project.home, 'outside');
    await mkdir(outside);
  });
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  const mechanisms: [string, (to: string) => ConnectOptions][] = [
    ['--root', (to) => ({ args: ['--project', to] })],
    ['DISCERN_ROOT', (to) => ({ env: { DISCERN_ROOT: to } })],
    ['WORKSPACE_FOLDER_PATHS', (to) => ({ env: { WORKSPACE_FOLDER_PATHS: to } })],
    ['CLAUDE_PROJECT_DIR', (to) => ({ env: { CLAUDE_PROJECT_DIR: to } })],
    ['roots/list', (to) => ({ roots: [to] })],
    ['cwd', (to) => ({ cwd: to })],
  ];

  for (const [index, [name, given]] of mechanisms.entries()) {
    it(`is what ${name} says, where nothing before it says anything and whatever is behind it does`, async () => {
      const { root: other } = await make();
      const { root } = project;
      const options = [...mechanisms.slice(index + 1).map(([, later]) => later(other)), given(root)];
      const env = Object.assign({}, ...options.map((one) => one.env ?? {}));
      const held = await heldBy(await open(Object.assign({}, ...options, { env })));
      assert.equal(held.mechanism, name);
      assert.equal(held.root, root, name);
      assert.equal(held.spawn_root, root, name);
      const before = mechanisms.slice(0, index).map(([earlier]) => `${earlier} -: not given`);
      assert.deepEqual(tried(held), [...before, `${name} ${root}: chosen`]);
    });
  }

  it('may be none: the server starts, lists its tools, and every call that needs a project answers not_initialized', async () => {
    const connection = await open({ args: ['--root', outside], cwd: project.home });
    const tools = await connection.tools();
    assert.ok(tools.length >= 9);
    // These begin at a directory, to find out what is wrong there or to make it a project, or nowhere.
    const anywhere = (name: string) =>
      beginsAtDirectory(name.replace('discern_', '') as Verb) ||
      needsNoRoot(name.replace('discern_', '') as Verb);
    for (const { name } of tools.filter((tool) => !anywhere(tool.name))) {
      const { envelope, text, isError } = await connection.call(name, requiredArguments[name]);
      assert.equal(envelope.error, 'not_initialized', text);
      assert.equal(isError, true);
      assert.ok(text.includes(outside) && text.includes(project.home), 'it says where it looked');
    }
    const held = await heldBy(connection);
    assert.deepEqual([held.root, held.spawn_root, held.mechanism], [null, null, null]);
    assert.equal(held.missing, false);
    assert.equal(held.candidates?.length, 6);
    const config = (await connection.resource('discern://config')) as { error: string };
    assert.equal(config.error, 'not_initialized');

    const byPath = await connection.call('discern_test', { path: project.root });
    assert.equal(byPath.envelope.ok, true, byPath.text);
    assert.equal((await heldBy(connection)).root, null, 'a path is for one call');

    const started = await connection.call('discern_start', { path: project.root });
    assert.equal(started.envelope.ok, true, started.text);
    const moved = await heldBy(connection);
    assert.equal(moved.root, started.envelope.data.path, 'a start gives the server its first root');
    assert.equal(moved.spawn_root, null);
    assert.equal(moved.moved_by, 'start');
  });

  it('is looked for again while there is none, and never again once there is one', async () => {
    const connection = await open({ cwd: outside });
    assert.equal((await connection.call('discern_status')).envelope.error, 'not_initialized');
    await git(project.home, 'init', '--quiet', '--initial-branch', 'main', outside);
    await project.commit({ 'discern.toml': plainConfig }, outside);
    assert.equal((await connection.call('discern_status')).envelope.data.root, outside);
    await rm(join(outside, 'discern.toml'));
    assert.equal((await connection.call('discern_status')).envelope.error, 'not_initialized');
    assert.equal((await heldBy(connection)).root, outside);
  });
});
