import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HelpData } from '../../src/contract/data.ts';
import { refusals } from '../../src/contract/refusals.ts';
import { verbNames } from '../../src/contract/verbs.ts';
import { cli, json } from '../support/cli.ts';
import { projects } from '../support/project.ts';
import { connections } from '../support/server.ts';
import { hello, rawServers } from '../support/stdio.ts';

declare const DISCERN_HOME: string;

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const raw = rawServers();
const cwd = tmpdir();

interface Resource {
  uri: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

describe('help at a terminal', () => {
  it('lists the topics with a line each, anywhere', async () => {
    const { code, stdout } = await cli(['help'], { cwd: '/' });
    assert.equal(code, 0);
    for (const topic of [
      'roots',
      'gate',
      'landing',
      'verbs',
      'config',
      'refusals',
      'vscode',
      'remote',
      'troubleshooting',
    ]) {
      assert.match(stdout, new RegExp(`^  ${topic} +\\S.{20,}\\.$`, 'm'));
    }
  });

  it('shows a topic, a verb and a refusal', async () => {
    const page = await cli(['help', 'gate'], { cwd });
    assert.match(page.stdout, /^The gate\n\nWhat `done`/);
    const verb = await cli(['help', 'drop'], { cwd });
    assert.match(verb.stdout, /^drop\n/);
    assert.match(verb.stdout, /--delete-branch/);
    const refusal = await cli(['help', 'behind_trunk'], { cwd });
    assert.match(refusal.stdout, /Do: call `update`/);
  });

  it('answers its envelope with --json, before and behind', async () => {
    for (const topic of [undefined, 'roots']) {
      const { envelope, result } = await json<HelpData>(['help', ...(topic ? [topic] : [])], { cwd });
      assert.equal(result.code, 0);
      assert.ok(envelope.data.topics.length >= 8);
      assert.equal(envelope.data.topic, topic);
      const before = await cli(['--json', 'help', ...(topic ? [topic] : [])], { cwd });
      assert.equal(before.stdout, result.stdout);
    }
  });

  it('suggests the nearest of an unknown topic, and exits with 1', async () => {
    const { envelope, result } = await json<HelpData>(['help', 'trobleshooting'], { cwd });
    assert.equal(envelope.error, 'invalid_argument');
    assert.match(
      envelope.message ?? '',
      /^There is no help on "trobleshooting"\. Did you mean "troubleshooting"\? Topics: roots, /,
    );
    assert.equal(result.code, 1);
    assert.equal((await json(['help', '__proto__'], { cwd })).envelope.error, 'invalid_argument');
  });

  it('is about no directory, so it takes none', async () => {
    const { code, stderr } = await cli(['help', 'roots', '--path', '/'], { cwd });
    assert.equal(code, 2);
    assert.match(stderr, /leave --path out/);
  });
});

describe('help over MCP', () => {
  afterEach(async () => {
    await closeAll();
    await raw.stopAll();
    await removeAll();
  });

  it('answers where there is no project, and of every verb and refusal', async () => {
    const connection = await open({ cwd: '/' });
    const listed = await connection.call('discern_help');
    assert.equal(listed.isError, false);
    assert.match(listed.text, /^Topics:\n- roots: /);
    for (const topic of ['roots', ' Roots ', ...verbNames, ...refusals]) {
      const { envelope, text } = await connection.call('discern_help', { topic });
      assert.equal(envelope.ok, true, topic);
      assert.equal(text, envelope.data.text, 'the text is the page, and nothing else');
    }
    const { text } = await connection.call('discern_help', { topic: 'gat' });
    assert.match(text, /^help: invalid_argument\. There is no help on "gat"\. Did you mean "gate"\?/);
  });

  it('takes no path, and does not wait for a start that is in flight', async () => {
    const project = await make({ config: '[jobs]\ntest = "true"\n[worktree.setup]\nsteps = ["sleep 30"]\n' });
    const connection = await open({ args: ['--root', project.root] });
    assert.equal((await connection.call('discern_help', { path: '/' })).envelope.error, 'unknown_argument');
    const abort = new AbortController();
    const start = connection.call('discern_start', {}, { signal: abort.signal });
    const answer = await connection.call('discern_help', { topic: 'roots' });
    assert.equal(answer.envelope.ok, true);
    abort.abort();
    await assert.rejects(start);
  });

  it('is there as resources, in Markdown', async () => {
    const server = raw.start([]);
    server.send(
      ...hello,
      { jsonrpc: '2.0', id: 1, method: 'resources/list', params: {} },
      { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'discern://help/gate' } },
      { jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'discern://help/nothing' } },
    );
    const { result: list } = await server.answer(1);
    const ours = ((list?.resources ?? []) as Resource[]).filter(({ uri }) =>
      uri.startsWith('discern://help/'),
    );
    const topics = readdirSync(join(DISCERN_HOME, 'docs/help'));
    assert.equal(ours.length, topics.length);
    for (const one of ours)
      assert.ok(one.mimeType === 'text/markdown' && one.title && one.description, one.uri);
    const { result } = await server.answer(2);
    const [content] = (result?.contents ?? []) as { mimeType: string; text: string }[];
    assert.equal(content?.mimeType, 'text/markdown');
    assert.match(content?.text ?? '', /^# The gate\n/);
    assert.match(
      (await server.answer(3)).error?.message ?? '',
      /There is no resource discern:\/\/help\/nothing/,
    );
  });
});
