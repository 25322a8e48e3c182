import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projects } from '../support/project.ts';
import { environment, serverFile } from '../support/server.ts';
import { hello, type RawServer, rawServers, toolCall } from '../support/stdio.ts';

declare const DISCERN_HOME: string;

const { make, removeAll } = projects();
const { start, stopAll } = rawServers();
const exec = promisify(execFile);

/** Every line of stdout is one JSON-RPC message and nothing else. */
function assertPure(server: RawServer): void {
  for (const line of server.lines) {
    const message = JSON.parse(line) as { jsonrpc: string };
    assert.equal(message.jsonrpc, '2.0', line.slice(0, 200));
  }
}

describe('The server’s stdin', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  it('may hold anything: what is no message is passed over, and what follows is answered', async () => {
    const project = await make();
    const server = start(['--root', project.root]);
    const garbage = [
      'not JSON',
      '{"jsonrpc":"2.0","id":9,"method":',
      '42',
      'null',
      '[]',
      '{}',
      '""',
      '{"jsonrpc":"1.0","id":9,"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":99,"result":{}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}',
      '{"jsonrpc":"2.0","method":"notifications/unheard-of"}',
      '\u0000\u0001\ud800\u{1f600}',
      '',
      '\r',
      '['.repeat(200_000),
    ];
    server.write(`${garbage.join('\n')}\n`);
    server.send(...hello);
    await server.answer(0);
    server.write(`${garbage.join('\n')}\n`);
    server.send({ jsonrpc: '2.0', id: 1, method: 'no/such-method' });
    server.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: {} });
    server.send({ jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'discern://nothing' } });
    server.send(toolCall(4, 'discern_status'));
    assert.equal((await server.answer(1)).error?.code, -32601);
    assert.equal((await server.answer(2)).error?.code, -32602);
    const { error } = await server.answer(3);
    assert.equal(error?.code, -32602);
    assert.match(error.message, /There is no resource discern:\/\/nothing; there are: discern:\/\/root, /);
    assert.equal((await server.answer(4)).result?.structuredContent?.data.root, project.root);
    assertPure(server);
  });

  it('may hold garbage also when nobody reads what the server says of it', async () => {
    const server = start();
    server.send(...hello);
    await server.answer(0);
    server.closeErrors();
    for (const id of [1, 2, 3]) {
      server.write('42\n'.repeat(10));
      server.send(toolCall(id, 'discern_status'));
      assert.equal((await server.answer(id)).result?.structuredContent?.error, 'not_initialized');
    }
  });

  it('may come in pieces that end anywhere, and in lines of some megabytes', async () => {
    const project = await make();
    const server = start(['--root', project.root]);
    server.send(...hello);
    await server.answer(0);
    const request = `${JSON.stringify(toolCall(1, 'discern_start', { name: 'ähnlich 名前' }))}\n`;
    for (const piece of request.match(/.{1,7}/gs) ?? []) server.write(piece);
    const { structuredContent } = (await server.answer(1)).result ?? {};
    assert.match(structuredContent?.data.id as string, /^ahnlich-名前-/);
    server.send(toolCall(2, 'discern_start', { name: 'x'.repeat(1_000_000) }));
    assert.equal((await server.answer(2)).result?.structuredContent?.ok, false);
    server.send(toolCall(3, 'discern_status'));
    assert.equal((await server.answer(3)).result?.structuredContent?.ok, true);
    assertPure(server);
  });

  it('is served also from a directory that was removed', async () => {
    const project = await make();
    const [grave, other] = [join(project.home, 'grave'), join(project.home, 'other-grave')];
    for (const [directory, args] of [
      [grave, ['--root', project.root]],
      [other, []],
    ] as const) {
      const script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"';
      const server = start([...args], { through: ['/bin/sh', '-c', script, directory] });
      server.send(...hello, toolCall(1, 'discern_test'));
      const { structuredContent } = (await server.answer(1)).result ?? {};
      assert.equal(structuredContent?.error ?? 'ok', args.length > 0 ? 'ok' : 'not_initialized');
    }
  });

  it('may end before anything was said', async () => {
    const server = start();
    server.endInput();
    assert.deepEqual(await server.ended, { code: 0, signal: null });
    assert.deepEqual(server.lines, []);
  });

  it('is answered on a stdout that holds only messages, even when jobs print to theirs and to stderr', async () => {
    const project = await make({
      config: '[project]\nname = "x"\n[jobs]\ntest = "echo to stdout; echo to stderr >&2; exit 1"\n',
    });
    const server = start(['--root', project.root]);
    server.send(...hello, toolCall(1, 'discern_test', {}, { progressToken: 1 }));
    const { result } = await server.answer(1);
    assert.equal(result?.structuredContent?.error, 'gate_failed');
    const [step] = result?.structuredContent?.steps ?? [];
    assert.equal(await readFile(step?.output_path ?? '', 'utf8'), 'to stdout\nto stderr\n');
    assertPure(server);
    assert.equal(server.stderr(), '');
  });
});

describe('The server’s flags', () => {
  /** Runs the server with flags and an empty stdin. */
  async function run(...args: string[]) {
    const child = exec(process.execPath, [serverFile, ...args], { env: environment(), cwd: '/' });
    child.child.stdin?.end();
    const { stdout, stderr } = await child.catch((error) => error as { stdout: string; stderr: string });
    return { code: child.child.exitCode, stdout, stderr };
  }

  it('--version prints the version', async () => {
    const { version } = JSON.parse(await readFile(join(DISCERN_HOME, 'package.json'), 'utf8'));
    assert.deepEqual(await run('--version'), { code: 0, stdout: `${version}\n`, stderr: '' });
    assert.deepEqual(await run('mcp', '--version'), { code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('--help prints how to use it, every flag named', async () => {
    const { code, stdout, stderr } = await run('--help');
    assert.deepEqual([code, stderr], [0, '']);
    for (const word of ['Usage: discern mcp', '--root', '--project', 'DISCERN_ROOT', '--version', '--help']) {
      assert.ok(stdout.includes(word), word);
    }
  });

  it('that do not exist, lack a value, or are no flags end it with 2 and the usage, before it serves', async () => {
    for (const args of [['--rooot', '/x'], ['--root'], ['somewhere'], ['--version=yes'], ['-x']]) {
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 2, args.join(' '));
      assert.equal(stdout, '');
      assert.match(stderr, /^discern mcp: .+\n\nUsage: discern mcp/s);
    }
  });
});
