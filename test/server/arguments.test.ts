import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, type Project, plainConfig, projects } from '../support/project.ts';
import { type Connection, connections, requiredArguments, type ToolAnswer } from '../support/server.ts';
import { hello, rawServers, toolCall } from '../support/stdio.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const raw = rawServers();

describe('A tool’s arguments', () => {
  let project: Project;
  let connection: Connection;

  before(async () => {
    project = await make();
    connection = await open({ args: ['--root', project.root] });
  });
  after(async () => {
    await closeAll();
    await raw.stopAll();
    await removeAll();
  });

  const refuses = (answer: ToolAnswer, error: string, ...says: (string | RegExp)[]) => {
    assert.equal(answer.envelope.error, error, answer.text);
    assert.equal(answer.isError, true);
    for (const what of says) {
      const message = answer.envelope.message ?? '';
      assert.ok(typeof what === 'string' ? message.includes(what) : what.test(message), message);
      assert.ok(answer.text.includes(message), 'the text says the same');
    }
  };

  it('that no tool declares are refused by name, with all it takes and the nearest of them', async () => {
    for (const { name, inputSchema } of await connection.tools()) {
      const takes = Object.keys((inputSchema as { properties: object }).properties);
      const given = requiredArguments[name] ?? {};
      const verb = name.replace('discern_', '');

      const unlike = await connection.call(name, { ...given, colour: 'red' });
      refuses(
        unlike,
        'unknown_argument',
        `${verb} takes no argument "colour". It takes: ${takes.join(', ') || 'none'}.`,
      );
      for (const declared of takes) {
        const misspelt = `${declared}s`;
        if (takes.includes(misspelt)) continue;
        const close = await connection.call(name, { ...given, [misspelt]: 'x' });
        refuses(close, 'unknown_argument', `"${misspelt}" (did you mean "${declared}"?)`);
      }
      const two = await connection.call(name, { ...given, colour: 'red', pth: project.root });
      const near = takes.includes('path') ? '"pth" (did you mean "path"?)' : '"pth"';
      refuses(two, 'unknown_argument', '"colour"', near);
    }
  });

  it('that another tool takes are refused all the same', async () => {
    refuses(await connection.call('discern_done', { from: 'main' }), 'unknown_argument', '"from"');
    refuses(await connection.call('discern_status', { dry_run: true }), 'unknown_argument', '"dry_run"');
    refuses(await connection.call('discern_accept', { force: true }), 'unknown_argument', '"force"');
  });

  it('of a wrong type are refused, each by its name', async () => {
    for (const { name, inputSchema } of await connection.tools()) {
      const { properties } = inputSchema as { properties: Record<string, { type: string; enum?: unknown }> };
      for (const [argument, { type, enum: values }] of Object.entries(properties)) {
        for (const wrong of [null, type === 'string' ? 7 : 'yes', ...(type === 'array' ? [] : [['x']]), {}]) {
          const given = requiredArguments[name] ?? {};
          const answer = await connection.call(name, { ...given, [argument]: wrong });
          refuses(
            answer,
            'invalid_argument',
            `"${argument}" is wrong (expected ${values ? 'one of' : type === 'integer' ? 'number' : type}`,
          );
        }
      }
    }
  });

  it('that are required are named when they lack', async () => {
    const answer = await connection.call('discern_drop', {});
    refuses(answer, 'invalid_argument', '"worktree" is missing', '"delete_branch" is missing');
  });

  it('may be left out altogether or be null, and are refused in JSON-RPC’s own way when they are no object', async () => {
    const server = raw.start(['--root', project.root]);
    server.send(...hello, toolCall(1, 'discern_status'), toolCall(6, 'discern_status', null));
    for (const [id, value] of [
      [2, 7],
      [3, 'text'],
      [4, [1]],
    ] as const) {
      server.send(toolCall(id, 'discern_status', value));
      assert.equal((await server.answer(id)).error?.code, -32602);
    }
    server.write(
      '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"discern_status","arguments":{"__proto__":{"path":"/"}}}}\n',
    );
    for (const id of [1, 5, 6]) {
      const { result } = await server.answer(id);
      assert.equal(result?.structuredContent?.data.root, project.root);
    }
  });
});

describe('path', () => {
  let project: Project;
  let connection: Connection;

  before(async () => {
    project = await make({ files: { 'lib/deep/x.txt': 'x\n' } });
    connection = await open({ args: ['--root', project.root] });
  });
  after(async () => {
    await closeAll();
    await removeAll();
  });

  const done = (path: string) => connection.call('discern_done', { path });

  it('is refused when it is relative, empty, missing, a file, or outside any project', async () => {
    const outside = join(project.home, 'outside');
    await mkdir(outside);
    for (const [path, error] of [
      ['src', 'invalid_argument'],
      ['.', 'invalid_argument'],
      ['', 'invalid_argument'],
      ['~/x', 'invalid_argument'],
      [join(project.root, 'nowhere'), 'path_not_found'],
      [join(project.root, 'src/a.txt/below'), 'path_not_found'],
      [`${project.root}\0`, 'path_not_found'],
      [join(project.root, 'discern.toml'), 'invalid_argument'],
      [outside, 'not_initialized'],
    ] as const) {
      const { envelope, text } = await done(path);
      assert.equal(envelope.error, error, `${JSON.stringify(path)}: ${text}`);
      assert.ok(envelope.message?.includes(path.replace('\0', '')), text);
      assert.equal(envelope.steps, undefined, 'nothing ran');
    }
  });

  it('names the reason of a directory that is no usable project', async () => {
    const noGit = join(project.home, 'no-git');
    await mkdir(noGit);
    await writeFile(join(noGit, 'discern.toml'), plainConfig);
    assert.equal((await done(noGit)).envelope.error, 'not_a_git_repository');

    const unborn = join(project.home, 'unborn');
    await git(project.home, 'init', '--quiet', '--initial-branch', 'main', unborn);
    assert.equal((await done(unborn)).envelope.error, 'not_initialized', 'a repository without discern.toml');
    await writeFile(join(unborn, 'discern.toml'), plainConfig);
    assert.equal((await done(unborn)).envelope.error, 'unborn_repository');

    const broken = await make({ config: '[project]\nname = "x"\n\n[jobs]\ntest = 7\n' });
    const { envelope, text } = await done(broken.root);
    assert.equal(envelope.error, 'config_error');
    assert.match(envelope.message ?? '', /discern\.toml:5:\d+/);
    assert.match(text, /- discern\.toml:5:\d+: error: /);
    const [first] = envelope.diagnostics ?? [];
    assert.deepEqual([first?.file, first?.line], ['discern.toml', 5]);
  });

  it('holds for any directory of any project, links resolved, and for that one call', async () => {
    const other = await make({ files: { 'lib/deep/x.txt': 'x\n' } });
    const link = join(project.home, 'to-other');
    await symlink(join(other.root, 'lib'), link);
    for (const path of [join(other.root, 'lib/deep'), link, `${link}/deep/`, `${other.root}/lib/../lib`]) {
      assert.equal((await done(path)).envelope.data.root, other.root, path);
      assert.equal((await connection.call('discern_done')).envelope.data.root, project.root);
    }
  });

  it('of drop says which repository’s worktrees are meant', async () => {
    const other = await make();
    const worktree = join(other.home, 'theirs');
    await git(other.root, 'worktree', 'add', '--quiet', '-b', 'theirs', worktree);
    const here = await connection.call('discern_drop', { worktree: 'theirs', delete_branch: true });
    assert.equal(here.envelope.error, 'path_not_found', here.text);
    const there = await connection.call('discern_drop', {
      worktree: 'theirs',
      delete_branch: true,
      path: other.root,
    });
    assert.equal(there.envelope.ok, true, there.text);
    assert.equal(await git(other.root, 'branch', '--list', 'theirs'), '');
  });
});
