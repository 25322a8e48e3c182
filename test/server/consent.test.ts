import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listing, started } from '../support/checkouts.ts';
import { cli } from '../support/cli.ts';
import { until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';
import { clients, connections, type Elicit } from '../support/server.ts';
import { hello, type Message, rawServers, toolCall } from '../support/stdio.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const raw = rawServers();

const asking = { 'discern-vscode.toml': '[consent]\nmode = "ask"\n' };

/** Every ref, checkout and file of the work: what a refusal must leave as it was. */
async function state(project: Project, worktree: string) {
  return {
    refs: await git(project.root, 'for-each-ref', '--format=%(refname) %(objectname)'),
    worktrees: await git(project.root, 'worktree', 'list', '--porcelain'),
    status: await git(worktree, 'status', '--porcelain'),
    files: [await listing(worktree), await listing(join(project.root, 'src'))],
  };
}

/** A worktree with a commit that would have nobody asked, if a branch could say so. */
async function work(project: Project, name: string) {
  const { path } = await started(project.root, { name });
  const files = { [`src/${name}.txt`]: 'x\n', 'discern-vscode.toml': '[consent]\nmode = "never"\n' };
  return { path, commit: await project.commit(files, path) };
}

describe('[consent] mode = "ask"', () => {
  afterEach(async () => {
    await closeAll();
    await raw.stopAll();
    await removeAll();
  });

  for (const client of clients) {
    it(`has ${client} ask before it lands, and land nothing without a yes`, async () => {
      const project = await make({ files: asking });
      const { path, commit } = await work(project, 'one');
      const asked: string[] = [];
      let said: 'accept' | 'decline' | 'cancel' = 'decline';
      const elicit: Elicit = async (question) => {
        asked.push(question);
        return { action: said };
      };
      const server = await open({ args: ['--root', path], elicit }, client);
      const before = await state(project, path);
      const preview = await server.call('discern_accept', { dry_run: true });
      assert.deepEqual([preview.envelope.ok, asked], [true, []]);
      for (const [answer, words] of [
        ['decline', /said no/],
        ['cancel', /closed the question/],
      ] as const) {
        said = answer;
        const { envelope, text, isError } = await server.call('discern_accept');
        assert.deepEqual([isError, envelope.error], [true, 'cancelled'], text);
        assert.match(envelope.message ?? '', words);
        assert.deepEqual(await state(project, path), before);
      }
      assert.equal(asked.length, 2);
      assert.ok(
        asked.every((one) => one.includes(path) && one.includes(commit.slice(0, 10))),
        asked[0],
      );
      said = 'accept';
      const { envelope, text } = await server.call('discern_accept');
      assert.equal(envelope.ok, true, text);
      assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
      assert.equal(asked.length, 3);
    });

    it(`takes no yes of Codex over ${client} without the field that only a person fills in`, async () => {
      const project = await make({ files: asking });
      const { path, commit } = await work(project, 'four');
      const before = await state(project, path);
      let content: Record<string, boolean> | undefined;
      const elicit: Elicit = async () => ({ action: 'accept', ...(content && { content }) });
      const server = await open({ args: ['--root', path], elicit, name: 'codex-mcp-client' }, client);
      for (const given of [undefined, {}, { confirmed: false }]) {
        content = given as typeof content;
        const { envelope, text } = await server.call('discern_accept');
        assert.equal(envelope.error, 'cancelled', text);
        assert.match(envelope.message ?? '', /nobody said yes/);
        assert.deepEqual(await state(project, path), before);
      }
      content = { confirmed: true };
      const { envelope, text } = await server.call('discern_accept');
      assert.equal(envelope.ok, true, text);
      assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
    });

    it(`refuses ${client} that cannot ask, before the gate runs`, async () => {
      const project = await make({ files: asking, config: '[jobs]\ntest = "echo ran >> ../ran"\n' });
      const { path } = await work(project, 'two');
      const server = await open({ args: ['--root', path] }, client);
      const before = await state(project, path);
      const tools: [string, Record<string, unknown>][] = [
        ['discern_accept', {}],
        ['discern_drop', { worktree: path, delete_branch: true, force: true }],
      ];
      for (const [tool, args] of tools) {
        const { envelope, text } = await server.call(tool, args);
        assert.equal(envelope.error, 'unavailable', text);
        assert.match(envelope.message ?? '', /cannot ask: tell the person.*terminal/);
        assert.deepEqual(await state(project, path), before);
      }
      await assert.rejects(readFile(join(path, '..', 'ran')), { code: 'ENOENT' });
    });

    it(`has ${client} ask before it drops unlanded work`, async () => {
      const project = await make({ files: asking });
      const { path, commit } = await work(project, 'three');
      let said: 'accept' | 'decline' = 'decline';
      const asked: string[] = [];
      const elicit: Elicit = async (question) => {
        asked.push(question);
        return { action: said };
      };
      const server = await open({ args: ['--root', project.root], elicit }, client);
      const before = await state(project, path);
      const args = { worktree: path, delete_branch: true, force: true };
      await server.call('discern_drop', { ...args, dry_run: true });
      assert.equal(asked.length, 0);
      const no = await server.call('discern_drop', args);
      assert.equal(no.envelope.error, 'cancelled', no.text);
      assert.deepEqual(await state(project, path), before);
      said = 'accept';
      const yes = await server.call('discern_drop', args);
      assert.equal(yes.envelope.ok, true, yes.text);
      const kept = String(yes.envelope.data.recovery_ref);
      assert.equal(await git(project.root, 'merge-base', kept, commit), commit);
      assert.equal(asked.length, 2);
      assert.ok(asked[0]?.includes(path) && /recovery ref/.test(asked[0]), asked[0]);
    });

    it(`takes a yes of ${client} for no other commit than the one asked about`, async () => {
      const project = await make({ files: asking });
      const { path } = await work(project, 'four');
      const main = await git(project.root, 'rev-parse', 'main');
      const asked: string[] = [];
      let later = '';
      const elicit: Elicit = async (question) => {
        asked.push(question);
        if (asked.length > 1) return { action: 'decline' };
        later = await project.commit({ 'src/later.txt': 'x\n' }, path);
        return { action: 'accept' };
      };
      const server = await open({ args: ['--root', path], elicit }, client);
      const { envelope, text } = await server.call('discern_accept');
      assert.equal(envelope.error, 'cancelled', text);
      assert.ok(asked[1]?.includes(later.slice(0, 10)), asked.join('\n'));
      assert.equal(await git(project.root, 'rev-parse', 'main'), main);
      assert.equal(await git(path, 'rev-parse', 'HEAD'), later);
    });
  }

  it('takes nothing that is no answer for one, says that nobody was asked, and waits for no such client', async () => {
    const project = await make({ files: asking });
    const { path } = await work(project, 'one');
    const before = await state(project, path);
    const server = raw.start(['--root', path]);
    const [initialize, initialized] = hello as [Message, Message];
    const client = { ...initialize.params, capabilities: { elicitation: {} } };
    server.send({ ...initialize, params: client }, initialized);
    const none = [
      { result: null },
      { result: [] },
      { result: {} },
      { result: { action: 'ACCEPT' } },
      { result: { action: 'accept', content: 'yes' } },
      { error: { code: -32603, message: 'the window is gone' } },
      { error: 'no' },
    ];
    for (const [index, answer] of none.entries()) {
      server.send(toolCall(index + 1, 'discern_accept'));
      const asks = () => server.messages().filter(({ method }) => method === 'elicitation/create');
      await until('it asks', () => asks().length === index + 1);
      server.send({ jsonrpc: '2.0', id: asks()[index]?.id, ...answer });
      const { result } = await server.answer(index + 1);
      const { error, message = '', verb } = result?.structuredContent ?? {};
      assert.deepEqual([error, verb], ['unavailable', 'accept'], JSON.stringify([answer, result]));
      assert.match(message, /^Nothing was changed: this client was to ask a person about this accept/);
    }
    assert.deepEqual(await state(project, path), before);
  });

  it('has a command line without a terminal say so, and take --yes', async () => {
    const project = await make({ files: asking });
    const { path, commit } = await work(project, 'five');
    const before = await state(project, path);
    const no = await cli(['accept', '--json'], { cwd: path });
    const { error, message } = JSON.parse(no.stdout);
    assert.deepEqual([no.code, error], [1, 'unavailable'], no.stdout);
    assert.match(message, /no terminal.*--yes/);
    assert.deepEqual(await state(project, path), before);
    assert.equal((await cli(['accept', '--yes'], { cwd: path })).code, 0);
    assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
  });
});
