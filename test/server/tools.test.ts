import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { seeksAmongKnown } from '../../src/contract/traits.ts';
import { type Verb, verbNames, verbs } from '../../src/contract/verbs.ts';
import { wholeAnswer } from '../../src/contract/whole.ts';
import { git, type Project, projects } from '../support/project.ts';
import { type Connection, connections, type ToolAnswer } from '../support/server.ts';
import { snapshot } from '../support/snapshot.ts';
import { hello, rawServers, toolCall } from '../support/stdio.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const raw = rawServers();

interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: {
    type: string;
    additionalProperties?: unknown;
    properties: Record<string, { description?: string; type?: string }>;
    required?: string[];
  };
  outputSchema: { type: string; properties: Record<string, unknown>; required: string[] };
  annotations: Record<string, unknown>;
}

const listed = async (connection: Connection) => (await connection.tools()) as unknown as Tool[];

describe('The tools', () => {
  afterEach(async () => {
    await closeAll();
    await raw.stopAll();
    await removeAll();
  });

  it('come with instructions of at most 200 words, each with title, description, a closed schema of its arguments and annotations', async () => {
    const connection = await open();
    const instructions = connection.instructions() ?? '';
    const words = instructions.split(/\s+/).filter(Boolean).length;
    assert.ok(words > 50 && words <= 200, `${words} words`);
    for (const verb of ['start', 'prepare', 'test', 'done', 'update', 'accept', 'status']) {
      assert.ok(instructions.includes(`discern_${verb}`), `the instructions name ${verb}`);
    }
    const tools = await listed(connection);
    assert.deepEqual(
      tools.map((tool) => tool.name),
      verbNames.map((verb) => `discern_${verb}`),
    );
    for (const tool of tools) {
      assert.match(tool.name, /^discern_[a-z]+$/);
      assert.ok(tool.title && tool.description && tool.description.length > 60, tool.name);
      const { annotations } = verbs[tool.name.replace('discern_', '') as Verb];
      const defaults = {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      };
      assert.deepEqual({ ...defaults, ...tool.annotations }, { ...annotations, openWorldHint: false });
      assert.equal(tool.inputSchema.type, 'object');
      assert.equal(tool.inputSchema.additionalProperties, false);
      assert.equal(tool.outputSchema.type, 'object');
      assert.deepEqual(Object.keys(tool.outputSchema.properties), ['ok', 'verb', 'data']);
      assert.deepEqual(tool.outputSchema.required, ['ok', 'verb']);
      const { path } = verbs[tool.name.replace('discern_', '') as Verb].args.shape as { path?: unknown };
      assert.equal('path' in tool.inputSchema.properties, path !== undefined, `${tool.name} takes path`);
      for (const [name, property] of Object.entries(tool.inputSchema.properties)) {
        assert.ok(property.description, `${tool.name} ${name}`);
      }
    }
  });

  it('are all listed wherever the server stands', async () => {
    const project = await make();
    const [nowhere, connection] = [await open(), await open({ args: ['--root', project.root] })];
    const everywhere = JSON.stringify(await listed(nowhere));
    assert.equal(JSON.stringify(await listed(connection)), everywhere);
    await connection.call('discern_start');
    assert.equal(JSON.stringify(await listed(connection)), everywhere);
  });

  it('are understood by their bare verbs, and an unknown one is a JSON-RPC error with a suggestion', async () => {
    const project = await make();
    const server = raw.start(['--root', project.root]);
    server.send(...hello, toolCall(1, 'status'), toolCall(2, 'discern_statsu'), toolCall(3, 'acept'));
    server.send(toolCall(4, 'wholly_else'), toolCall(5, ''));
    const { result } = await server.answer(1);
    assert.equal(result?.structuredContent?.verb, 'status');
    for (const [id, says] of [
      [2, 'There is no tool "discern_statsu"; did you mean "discern_status"? There are: discern_status, '],
      [3, 'There is no tool "acept"; did you mean "discern_accept"? There are: '],
      [4, 'There is no tool "wholly_else". There are: discern_status, '],
      [5, 'There is no tool "". There are: '],
    ] as const) {
      const { error } = await server.answer(id);
      assert.equal(error?.code, -32602);
      assert.ok(error.message.includes(says), error.message);
    }
  });

  it('that only read change nothing, and neither does any preview', async () => {
    const project = await make();
    const connection = await open({ args: ['--root', project.root] });
    const { envelope } = await connection.call('discern_start', { name: 'x' });
    const worktree = envelope.data.path as string;
    await project.commit({ 'src/b.txt': 'b\n' }, worktree);
    await project.write({ 'src/loose.txt': 'x\n' }, worktree);
    const unmade = join(project.home, 'unmade');
    await git(project.home, 'clone', '--quiet', project.root, unmade);
    await git(unmade, 'rm', '--quiet', 'discern.toml');
    await connection.call('discern_status');
    const before = await snapshot(project.home);
    const needed = (schema: { type?: string }) => (schema.type === 'boolean' ? true : 'x');
    for (const { name, inputSchema, annotations } of await listed(connection)) {
      const { properties, required = [] } = inputSchema;
      const preview = 'dry_run' in properties;
      // What is noted of a worktree is nobody's work: it is shown by leaving out what to note.
      if (!annotations.readOnlyHint && !preview && seeksAmongKnown(name.replace('discern_', '') as Verb))
        continue;
      // status changes something only where an interrupted landing is to be finished, which here is none.
      // await lands what waits, so it has no preview; queue shows it, where no action is named.
      if (name === 'discern_await') continue;
      if (!annotations.readOnlyHint && !preview && !['discern_status', 'discern_queue'].includes(name))
        assert.fail(`${name} changes things and has no preview`);
      const given = {
        ...Object.fromEntries(required.map((one) => [one, needed(properties[one] ?? {})])),
        ...(preview && { dry_run: true }),
        // An id that no client has.
        ...(['discern_todo', 'discern_peek'].includes(name) && { worktree }),
        ...(name === 'discern_recollect' && { session: 'no-session-of-anyone' }),
        ...(name === 'discern_explain' && { job: 'lint' }),
        ...(name === 'discern_launch' && { client: 'claude', worktree }),
        ...(name === 'discern_start' && { path: project.root }),
        ...(name === 'discern_init' && { path: unmade }),
        ...(name === 'discern_drop' && { worktree, delete_branch: true, force: true }),
      };
      const answer = await connection.call(name, given);
      // accept refuses the loose file also as a preview, and verify what is not proved; that changes nothing either.
      const refused = ['discern_accept', 'discern_verify', 'discern_recollect'].includes(name);
      // Whether there is a terminal for it, and the client, is this machine's affair.
      if (name !== 'discern_launch') assert.equal(answer.envelope.ok, !refused, answer.text);
      assert.deepEqual(await snapshot(project.home), before, name);
    }
  });
});

describe('What a tool answers', () => {
  let project: Project;
  let connection: Connection;
  const validators = new Map<string, (value: unknown) => boolean>();

  before(async () => {
    project = await make({
      config:
        '[project]\nname = "x"\n[jobs]\nlint = "! grep -rn BROKEN src"\ntest = "test -f src/a.txt"\n[scopes.docs]\npaths = ["docs/**"]\nneutral = true\n[worktree.setup]\nensure = ["true"]\n[standards.size]\ndirection = "down"\nlimit = 9\nrun = "echo DISCERN_METRIC size 4"\n[generated.g]\npaths = ["gen/**"]\nrun = "mkdir -p gen; cp src/a.txt gen/a.txt"\n',
      files: { 'gen/a.txt': 'a\n' },
    });
    connection = await open({ args: ['--root', project.root] });
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    for (const { name, outputSchema } of await listed(connection)) {
      validators.set(name, ajv.compile(outputSchema));
    }
  });
  after(async () => {
    await closeAll();
    await removeAll();
  });

  /** Calls a tool and checks its answer against what it lists and, where it is a success, against the whole contract. */
  async function call(verb: Verb, args: Record<string, unknown>, expected: string): Promise<ToolAnswer> {
    const answer = await connection.call(`discern_${verb}`, args, { meta: { [wholeAnswer]: true } });
    const { envelope, text } = answer;
    const validate = validators.get(`discern_${verb}`);
    assert.equal(validate?.(envelope), true, JSON.stringify((validate as { errors?: unknown }).errors));
    assert.equal(envelope.error ?? (envelope.dry_run ? 'preview' : 'ok'), expected, text);
    assert.equal(envelope.verb, verb);
    assert.equal(answer.isError, !envelope.ok);
    assert.ok(envelope.dry_run || envelope.message, 'there is a sentence');
    if (expected === 'ok') verbs[verb].data.parse(envelope.data);
    if (expected === 'preview') assert.ok(envelope.plan, 'a preview has a plan');
    return answer;
  }

  it('validates against its schema through a piece of work that lands', async () => {
    await call('status', {}, 'ok');
    await call('status', { path: '/' }, 'not_initialized');
    await call('sessions', {}, 'ok');
    await call('sessions', { repo: '/' }, 'not_a_git_repository');
    await call('recollect', { session: 'no-session-of-anyone' }, 'invalid_argument');
    for (const verb of ['phase', 'todo', 'describe'] as const) {
      await call(verb, { worktree: 'no worktree' }, 'path_not_found');
      await call(verb, { worktree: project.root }, 'ok');
    }
    await call('ticket', { action: 'attach', worktree: 'main', ref: 'x' }, 'invalid_argument');
    await call('ticket', { action: 'attach', worktree: 'main', ref: 'https://x.example/a/b/pull/1' }, 'ok');
    for (const verb of ['park', 'unpark'] as const)
      await call(verb, { worktree: 'no worktree' }, 'path_not_found');
    await call('park', { worktree: project.root }, 'not_in_worktree');
    await call('unpark', { worktree: project.root }, 'invalid_argument');
    await call('help', {}, 'ok');
    await call('help', { topic: 'nothing of the kind' }, 'invalid_argument');
    await call('prune', {}, 'preview');
    await call('prune', { dry_run: false }, 'ok');
    await call('prune', { path: '/' }, 'not_initialized');
    await call('scopes', {}, 'ok');
    await call('scopes', { path: 'x' }, 'invalid_argument');
    await call('accept', {}, 'not_in_worktree');
    await call('update', {}, 'not_in_worktree');
    await call('doctor', {}, 'ok');
    await call('doctor', { path: '/no/such' }, 'ok');
    await call('doctor', { path: 'x' }, 'invalid_argument');
    await call('start', { dry_run: true }, 'preview');
    await call('start', { from: 'nothing' }, 'unknown_ref');
    const worktree = (await call('start', { name: 'x' }, 'ok')).envelope.data.path as string;
    await call('start', {}, 'already_in_worktree');
    await call('standards', { dry_run: true }, 'preview');
    await call('standards', { names: ['sise'] }, 'invalid_argument');
    await call('standards', {}, 'ok');
    await call('standards', { pin: true }, 'ok');
    await call('prepare', { dry_run: true }, 'preview');
    await call('test', { dry_run: true }, 'preview');
    await call('done', { dry_run: true }, 'preview');
    await call('commit', { message: 'm' }, 'invalid_argument');
    await project.write({ 'src/committed.txt': 'c\n' }, worktree);
    await call('commit', { message: 'm', dry_run: true }, 'preview');
    await call('commit', { message: 'm' }, 'ok');
    await project.write({ 'src/b.txt': 'BROKEN\n' }, worktree);
    await call('prepare', {}, 'gate_failed');
    await call('done', {}, 'gate_failed');
    await call('status', {}, 'ok');
    await project.commit({ 'src/b.txt': 'b\n' }, worktree);
    await call('prepare', {}, 'ok');
    await call('test', {}, 'ok');
    await call('test', { pth: '/' }, 'unknown_argument');
    await project.commit({ 'src/c.txt': 'trunk\n' });
    await call('done', {}, 'behind_trunk');
    await call('accept', { dry_run: true }, 'preview');
    await call('update', { dry_run: true }, 'preview');
    await call('update', {}, 'ok');
    await call('update', {}, 'ok');
    await project.commit({ 'gen/a.txt': 'by hand\n' }, worktree);
    await call('done', {}, 'generated_drift');
    await git(worktree, 'commit', '--quiet', '--all', '-m', 'generated');
    await call('done', {}, 'ok');
    await project.write({ 'src/b.txt': 'in the way\n' });
    await call('accept', {}, 'dirty_landing_checkout');
    await rm(join(project.root, 'src/b.txt'));
    await call('accept', { dry_run: true }, 'preview');
    await call('drop', { worktree, delete_branch: true }, 'dirty_worktree');
    await call('accept', {}, 'ok');
  });

  it('validates against its schema through a piece of work that conflicts and is dropped', async () => {
    const other = (await call('start', { name: 'y' }, 'ok')).envelope.data.path as string;
    await project.commit({ 'src/a.txt': 'theirs\n', 'gen/a.txt': 'theirs\n' }, other);
    await project.commit({ 'src/a.txt': 'ours\n', 'gen/a.txt': 'ours\n' });
    await call('update', {}, 'merge_conflict');
    await call('drop', { worktree: other, delete_branch: true, dry_run: true }, 'dirty_worktree');
    await call('drop', { worktree: other, delete_branch: true, force: true, dry_run: true }, 'preview');
    await call('drop', { worktree: other, delete_branch: true, force: true }, 'ok');
    await call('status', {}, 'root_missing');
  });

  it('validates against its schema where a project is made', async () => {
    const unmade = await make({ config: null });
    const { root } = unmade;
    await call('init', { path: project.root }, 'path_exists');
    await call('init', { path: '/' }, 'not_a_git_repository');
    await call('init', { path: root, dry_run: true }, 'preview');
    await call('init', { path: root }, 'ok');
    const red = await make({ config: null, files: { Makefile: 'test:\n\tfalse\n' } });
    await call('init', { path: red.root }, 'gate_failed');
  });

  it('validates against its schema for every tool that is called with what it does not take', async () => {
    for (const verb of verbNames) await call(verb, { nothing_of_the_kind: 1 }, 'unknown_argument');
  });
});
