import assert from 'node:assert/strict';
import { cp, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { needsNoRoot } from '../../src/contract/traits.ts';
import { type Verb, verbNames, verbs } from '../../src/contract/verbs.ts';
import { instructions } from '../../src/server/instructions.ts';
import { started } from '../support/checkouts.ts';
import { httpServers, send, token } from '../support/http.ts';
import { killedAt } from '../support/invariants.ts';
import { git, plainConfig, projects } from '../support/project.ts';
import { clients, namesNothing, requiredArguments } from '../support/server.ts';
import { snapshot } from '../support/snapshot.ts';

const { make, removeAll } = projects();
const { serve, connect, stopAll } = httpServers();

interface Tool {
  name: string;
  description?: string;
  inputSchema: { properties: Record<string, { description?: string }>; required?: string[] };
}

describe('A server over HTTP', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  for (const client of clients) {
    it(`takes a piece of work from start to landing, each call by its path (${client})`, async () => {
      const project = await make();
      const server = await serve(['--root', project.root]);
      const { call, ...connection } = await connect(server.url, client);
      const listed = await call('discern_projects');
      verbs.projects.data.parse(listed.envelope.data);
      assert.deepEqual(listed.envelope.data.projects, [
        { path: project.root, name: 'sample', branch: 'main', location: 'main', empty: true },
      ]);
      assert.match(listed.text, new RegExp(`^- ${project.root} \\(sample, main, main\\)$`, 'm'));

      const begun = await call('discern_start', { path: join(project.root, 'src'), name: 'far away' });
      const path = begun.envelope.data.path as string;
      assert.match(begun.text, new RegExp(`This server holds no root: pass path "${path}" with every call`));
      assert.doesNotMatch(begun.text, /already acts there|held root/);
      await project.commit({ 'src/b.txt': 'BROKEN\n' }, path);
      const red = await call('discern_done', { path });
      assert.deepEqual([red.envelope.error, red.envelope.data.root], ['gate_failed', path]);
      const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
      const green = await call('discern_done', { path });
      assert.equal(green.envelope.ok, true, green.text);
      const rows = (await call('discern_projects')).envelope.data.projects as {
        path: string;
        location: string;
      }[];
      assert.deepEqual(
        rows.map((row) => [row.path, row.location]),
        [
          [project.root, 'main'],
          [path, 'worktree'],
        ],
      );
      const landed = await call('discern_accept', { path });
      assert.equal(landed.envelope.ok, true, landed.text);
      assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
      const status = await call('discern_status', { path: project.root });
      assert.equal(status.envelope.data.held, undefined);
      assert.equal((await call('discern_status')).envelope.error, 'path_required', 'nothing was remembered');
      assert.equal(connection.instructions(), instructions.remote.all);
    });
  }

  it('lists tools that require a path and speak of no held root', async () => {
    const server = await serve();
    const connection = await connect(server.url);
    const tools = (await connection.tools()) as Tool[];
    assert.deepEqual(
      tools.map(({ name }) => name),
      verbNames.map((verb) => `discern_${verb}`),
    );
    for (const { name, description = '', inputSchema } of tools) {
      const rooted = !needsNoRoot(name.replace('discern_', '') as Verb);
      assert.equal(inputSchema.required?.includes('path') ?? false, rooted, name);
      const words = [
        description,
        ...Object.values(inputSchema.properties).map((one) => one.description ?? ''),
      ];
      for (const text of words) {
        assert.doesNotMatch(text, /held root|re-aim|without `path`|Leave out|where this server/i, name);
      }
    }
  });

  it('refuses path_required for every tool that acts on a root, whatever else it lacks', async () => {
    const project = await make();
    const before = await snapshot(project.home);
    // Neither what it was started for nor what hosts export stands in for a path.
    const env = { DISCERN_ROOT: project.root, WORKSPACE_FOLDER_PATHS: project.root };
    const server = await serve(['--root', project.root], { cwd: project.root, env });
    for (const client of clients) {
      const connection = await connect(server.url, client);
      for (const verb of verbNames) {
        const rooted = !needsNoRoot(verb);
        const needed = requiredArguments[`discern_${verb}`] ?? {};
        for (const args of [{}, needed]) {
          const { envelope, isError } = await connection.call(`discern_${verb}`, args);
          // What it is about is not named, or there is nothing of that name.
          const lacks = !verbs[verb].args.safeParse(args).success;
          const nothing = lacks || verb === 'recollect' ? 'invalid_argument' : 'path_not_found';
          const otherwise = lacks || namesNothing(`discern_${verb}`) ? nothing : undefined;
          assert.equal(envelope.error, rooted ? 'path_required' : otherwise, verb);
          assert.equal(isError, envelope.error !== undefined);
          if (rooted) assert.match(envelope.message ?? '', /pass path.*discern_projects lists/);
        }
        if (!rooted) continue;
        const misspelt = await connection.call(`discern_${verb}`, { ...needed, paht: project.root });
        assert.equal(misspelt.envelope.error, 'unknown_argument', verb);
        assert.match(misspelt.envelope.message ?? '', /did you mean "path"/);
        const relative = await connection.call(`discern_${verb}`, { ...needed, path: 'src' });
        assert.equal(relative.envelope.error, 'invalid_argument', verb);
      }
      const extra = await connection.call('discern_projects', { path: project.root });
      assert.equal(extra.envelope.error, 'unknown_argument');
    }
    assert.deepEqual(await snapshot(project.home), before);
  });

  it('lists each project it was started for, and finds one again whose checkout has landed', async () => {
    const [one, other] = [await make(), await make({ config: '[project]\nname = "other"\n' })];
    const { path, branch } = await started(one.root, { name: 'mine' });
    const server = await serve(['--root', path, '--root', 'src', '--root', '/no/such'], { cwd: other.root });
    const connection = await connect(server.url);
    const rows = async () => {
      const { envelope } = await connection.call('discern_projects');
      const all = envelope.data.projects as {
        path: string;
        name: string;
        branch: string;
        location: string;
      }[];
      return { rows: all.map((row) => `${row.location} ${row.name} ${row.branch} ${row.path}`), ...envelope };
    };
    const both = await rows();
    const others = `main other main ${other.root}`;
    assert.deepEqual(both.rows, [
      `main sample main ${one.root}`,
      `worktree sample ${branch} ${path}`,
      others,
    ]);
    assert.ok(
      both.hints?.some((hint) => /--root \/no\/such: .*does not exist/.test(hint)),
      both.hints?.join(),
    );
    await one.commit({ 'src/b.txt': 'b\n' }, path);
    assert.equal((await connection.call('discern_accept', { path })).envelope.ok, true);
    assert.deepEqual((await rows()).rows, [`main sample main ${one.root}`, others]);
    await one.remove();
    const left = await rows();
    assert.deepEqual(left.rows, [others]);
    assert.ok(
      left.hints?.some((hint) => hint.includes(`${path} is gone`)),
      left.hints?.join(),
    );
  });

  it('serves only the projects it was started for and their worktrees, whatever a path is made to look like', async () => {
    const [project, stranger] = [await make({ files: { 'src/deep/x.txt': 'x\n' } }), await make()];
    const server = await serve(['--root', project.root]);
    const connection = await connect(server.url);
    const status = (path: string) => connection.call('discern_status', { path });
    const started = await connection.call('discern_start', { path: project.root, name: 'work' });
    const worktree = started.envelope.data.path as string;
    assert.equal((await status(worktree)).envelope.ok, true);
    assert.equal((await status(join(project.root, 'src/deep'))).envelope.ok, true);

    // A stranger's directory that calls itself a worktree of the served repository, and a link to one.
    const forged = join(stranger.home, 'forged');
    await mkdir(forged);
    await writeFile(join(forged, 'discern.toml'), plainConfig);
    await writeFile(join(forged, '.git'), await readFile(join(worktree, '.git')));
    await symlink(stranger.root, join(project.home, 'link'));
    const nested = join(project.root, 'vendor/other');
    await cp(stranger.root, nested, { recursive: true });
    const outside = [
      stranger.root,
      forged,
      join(project.home, 'link'),
      nested,
      join(project.root, '../../..', stranger.root),
    ];
    for (const path of outside) {
      for (const verb of ['status', 'done', 'doctor', 'init']) {
        const { envelope, text } = await connection.call(`discern_${verb}`, { path });
        assert.equal(envelope.error, 'path_not_found', `${verb} ${path}: ${text}`);
        assert.match(envelope.message ?? '', /--any-project/);
      }
    }
    const any = await serve(['--root', project.root, '--any-project']);
    const wide = await connect(any.url);
    assert.equal((await wide.call('discern_done', { path: stranger.root })).envelope.ok, true);
  });

  it('that was started nowhere serves nothing, and says what would help', async () => {
    const project = await make();
    const server = await serve([], { cwd: await realpath('/') });
    const connection = await connect(server.url);
    const { envelope } = await connection.call('discern_projects');
    assert.deepEqual([envelope.ok, envelope.data.projects], [true, []]);
    assert.match(envelope.message ?? '', /started for no project.*--root.*--any-project/);
    const status = await connection.call('discern_status', { path: project.root });
    assert.equal(status.envelope.error, 'path_not_found');
    const wide = await serve([], { cwd: await realpath('/'), env: { DISCERN_MCP_ANY_PROJECT: '1' } });
    const found = await (await connect(wide.url)).call('discern_status', { path: project.root });
    assert.equal(found.envelope.data.root, project.root);
  });

  it('serves two clients on two worktrees at once, each its own', async () => {
    const project = await make({
      config:
        '[project]\nname = "x"\n[jobs]\nlint = "touch ../$(basename $PWD).here; while [ $(ls ../*.here | wc -l) -lt 2 ]; do sleep 0.05; done; pwd"\n',
    });
    const server = await serve(['--root', project.root]);
    const both = await Promise.all(
      (['SDK 1.x', 'SDK 2.x, 2026-07-28'] as const).map(async (client) => {
        const connection = await connect(server.url, client);
        const begun = await connection.call('discern_start', { path: project.root, name: client });
        return { connection, path: begun.envelope.data.path as string };
      }),
    );
    // Neither job ends before the other has begun.
    const done = await Promise.all(
      both.map(({ connection, path }) => connection.call('discern_done', { path })),
    );
    for (const [index, { envelope, text }] of done.entries()) {
      const path = both[index]?.path;
      assert.equal(envelope.ok, true, text);
      assert.equal(envelope.data.root, path);
      assert.equal(await readFile(envelope.steps?.[0]?.output_path ?? '', 'utf8'), `${path}\n`);
    }
    assert.notEqual(both[0]?.path, both[1]?.path);
  });

  it('keeps its secret from jobs, from setup commands and from what it says', async () => {
    const project = await make({
      config: `[project]\nname = "x"\n[jobs]\ntest = "env; git config -l >/dev/null; cat /proc/self/environ | tr '\\\\0' '\\\\n'"\n[worktree.setup]\nsteps = ["env > setup.log"]\n`,
    });
    const server = await serve(['--root', project.root]);
    const connection = await connect(server.url);
    const begun = await connection.call('discern_start', { path: project.root });
    const path = begun.envelope.data.path as string;
    const tested = await connection.call('discern_test', { path });
    const printed = await readFile(tested.envelope.steps?.[0]?.output_path ?? '', 'utf8');
    const setUp = await readFile(join(path, 'setup.log'), 'utf8');
    for (const text of [printed, setUp]) {
      assert.match(text, new RegExp(`^DISCERN_ROOT=${path}$`, 'm'));
      assert.ok(!text.includes(token) && !text.includes('DISCERN_MCP_TOKEN'), text);
    }
    for (const answer of [begun, tested]) assert.ok(!JSON.stringify(answer).includes(token));
    assert.ok(!server.said().includes(token));
  });

  it('holds its answers to the schemas it lists', async () => {
    const project = await make();
    const server = await serve(['--root', project.root]);
    const connection = await connect(server.url);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    for (const { name, outputSchema } of await connection.tools()) {
      const validate = ajv.compile(outputSchema as object);
      for (const args of [{}, { path: project.root }]) {
        const changes = /start|init|drop/.test(name) ? { dry_run: true } : {};
        const { envelope } = await connection.call(name, { ...args, ...changes });
        assert.equal(validate(envelope), true, `${name}: ${JSON.stringify(validate.errors)}`);
      }
    }
  });

  it('offers the help as resources, and nothing about a root', async () => {
    const server = await serve();
    const ask = async (method: string, params: object) => {
      const { body } = await send(server.url, {
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? '');
    };
    const { resources } = (await ask('resources/list', {})).result;
    assert.ok(resources.length > 5);
    for (const { uri } of resources) {
      if (uri === 'discern://fleet') continue;
      assert.match(uri, /^discern:\/\/help\//);
      const read = await ask('resources/read', { uri });
      assert.match(read.result.contents[0].text, /^# /);
    }
    for (const uri of ['discern://root', 'discern://status', 'discern://config']) {
      assert.equal((await ask('resources/read', { uri })).error.code, -32602, uri);
    }
  });
});

describe('A server over HTTP with --read-only', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  for (const client of clients) {
    it(`lists what only looks, withholds the rest, and leaves an interrupted landing (${client})`, async () => {
      const project = await make();
      const { path } = await started(project.root, { name: 'cut-off' });
      await project.commit({ 'src/a.txt': 'landed\n' }, path);
      await killedAt('accept.moved', 'accept', path);
      const server = await serve(['--root', project.root, '--read-only']);
      const connection = await connect(server.url, client);
      assert.equal(connection.instructions(), instructions.remote.looking);
      const looks = verbNames.filter((verb) => verb === 'status' || verbs[verb].annotations.readOnlyHint);
      const tools = await connection.tools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        looks.map((verb) => `discern_${verb}`),
      );
      const before = await snapshot(project.home);
      for (const { name, annotations } of tools) {
        assert.equal((annotations as { readOnlyHint: boolean }).readOnlyHint, true, name);
        const rooted = !needsNoRoot(name.replace('discern_', '') as Verb);
        const { envelope } = await connection.call(name, rooted ? { path: project.root } : {});
        assert.equal(envelope.ok, !namesNothing(name), name);
      }
      for (const verb of verbNames.filter((verb) => !looks.includes(verb))) {
        await assert.rejects(
          connection.call(`discern_${verb}`, { path: project.root, dry_run: true }),
          /started with --read-only, which withholds/,
        );
      }
      assert.deepEqual(await snapshot(project.home), before);
    });
  }
});
