import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { connect as openSocket, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { cliFile } from '../support/cli.ts';
import { runs, until } from '../support/processes.ts';
import { type Project, projects } from '../support/project.ts';
import { environment, serverFile } from '../support/server.ts';
import { hello, type Message, type RawServer, rawServers, toolCall } from '../support/stdio.ts';

const { make, removeAll } = projects();
const { start, stopAll } = rawServers();
const MIB = 1024 * 1024;

/** Resident memory of a process, in MiB. */
async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024;
}

const errors = (server: RawServer, code: number) =>
  server.messages().filter(({ error }) => error?.code === code) as (Message & { id: unknown })[];

/** Waits until something serves on a socket. */
const listens = (address: string) =>
  until('it listens', async () => (await readFile(address).catch(({ code }) => code)) === 'ENXIO');

const held = '[project]\nname = "x"\n[jobs]\ntest = "while [ ! -f ../go ]; do sleep 0.05; done"\n';

describe('A message beyond the limit', () => {
  let project: Project;
  let server: RawServer;
  before(async () => {
    project = await make({ config: held });
    server = start(['--root', project.root]);
    server.send(...hello, toolCall(1, 'discern_test'));
    await server.answer(0);
  });
  after(async () => {
    await stopAll();
    await removeAll();
  });

  /** Counts refusals; waits until there is one more, and answers it. */
  async function next(write: () => void): Promise<{ id: unknown; message: string }> {
    const before = errors(server, -32_600).length;
    write();
    await until('it is refused', () => errors(server, -32_600).length > before);
    const found = errors(server, -32_600).at(-1);
    return { id: found?.id, message: found?.error?.message ?? '' };
  }

  it('is refused with its id, where its beginning tells it', async () => {
    const { id, message } = await next(() =>
      server.write(
        `{"jsonrpc":"2.0","id":20,"method":"tools/list","params":{"x":"${'x'.repeat(5 * MIB)}"}}\n`,
      ),
    );
    assert.equal(id, 20);
    assert.match(message, /longer than 4 MiB/);
  });

  it('is refused with its id, where only its end tells it', async () => {
    const { id } = await next(() =>
      server.write(
        `{"method":"tools/list","params":{"id":7,"x":"${'x'.repeat(5 * MIB)}"},"jsonrpc":"2.0","id":"a-1"}\n`,
      ),
    );
    assert.equal(id, 'a-1');
  });

  it('is refused with no id, where that may be one of ours, or where none is certain', async () => {
    const long = 'x'.repeat(5 * MIB);
    for (const line of [
      `{"jsonrpc":"2.0","id":1,"result":{"x":"${long}"}}`,
      `{"method":"m","params":{"x":"${long}","y":{"id":1}}}`,
      `{"jsonrpc":"2.0","method":"m","params":{"x":"${long}\\"id\\":1"}}`,
      long,
    ]) {
      assert.equal((await next(() => server.write(`${line}\n`))).id, null, line.slice(0, 40));
    }
  });

  it('is refused also when it never ends, and once; what follows its end is answered', async () => {
    const count = errors(server, -32_600).length;
    assert.equal((await next(() => server.write('x'.repeat(5 * MIB)))).id, null);
    server.write('"id":5}\n');
    server.send({ jsonrpc: '2.0', id: 30, method: 'ping' });
    await server.answer(30);
    assert.equal(errors(server, -32_600).length, count + 1);
  });

  it('costs no memory: 100 MiB in many pieces', async () => {
    const before = await memoryOf(server.pid);
    const piece = 'y'.repeat(MIB);
    const { id } = await next(() => {
      server.write('{"jsonrpc":"2.0","id":40,"method":"tools/list","params":{"x":"');
      for (let n = 0; n < 100; n++) server.write(piece);
      server.write('"}}\n');
    });
    assert.equal(id, 40);
    server.send({ jsonrpc: '2.0', id: 41, method: 'ping' });
    await server.answer(41);
    assert.ok((await memoryOf(server.pid)) - before < 80, 'it was not kept');
  });

  it('of exactly the limit is answered, one byte more is not', async () => {
    const line = (id: number, length: number) => {
      const whole = JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: { _meta: { x: '' } } });
      return `${whole.replace('"x":""', `"x":"${'x'.repeat(length - whole.length)}"`)}\n`;
    };
    server.write(line(50, 4 * MIB));
    assert.deepEqual((await server.answer(50)).result, {});
    server.write(line(51, 4 * MIB + 1));
    assert.equal((await server.answer(51)).error?.code, -32_600);
  });

  it('harms nothing that is in flight: the gate that ran all the while is answered', async () => {
    assert.equal(
      server.messages().some(({ id }) => id === 1),
      false,
    );
    await writeFile(join(project.home, 'go'), '');
    assert.equal((await server.answer(1)).result?.structuredContent?.ok, true);
  });
});

describe('A message of the wrong shape', () => {
  afterEach(stopAll);

  it('is answered in words, with its id where it has one, and the connection lives', async () => {
    const server = start();
    server.send(...hello);
    await server.answer(0);
    const lines: [Buffer | string, number, unknown][] = [
      ['not JSON', -32_700, null],
      ['{"jsonrpc":"2.0","id":9,"method":', -32_700, null],
      [Buffer.from('{"jsonrpc":"2.0","id":9,"method":"ping\xff"}', 'latin1'), -32_700, 9],
      ['[{"jsonrpc":"2.0","id":9,"method":"ping"}]', -32_600, null],
      ['[]', -32_600, null],
      ['42', -32_600, null],
      ['{}', -32_600, null],
      ['{"jsonrpc":"1.0","id":9,"method":"ping"}', -32_600, 9],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600, null],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600, null],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32_600, null],
      [`{"jsonrpc":"2.0","id":"${'i'.repeat(3 * MIB)}","method":"ping"}`, -32_600, null],
      ['{"jsonrpc":"2.0","id":9,"method":7}', -32_600, 9],
      ['{"jsonrpc":"2.0","id":9,"method":"tools/call"}', -32_602, 9],
      ['{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[]}', -32_602, 9],
      ['{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":7}}', -32_602, 9],
      [
        '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"discern_help","arguments":[]}}',
        -32_602,
        9,
      ],
      [
        '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"discern_help","_meta":[]}}',
        -32_602,
        9,
      ],
      ['{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":{}}}', -32_602, 9],
      ['{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":{}}}', -32_602, 9],
      [
        `{"jsonrpc":"2.0","id":9,"method":"ping","params":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_001)}`,
        -32_600,
        9,
      ],
    ];
    for (const [n, [line, code, id]] of lines.entries()) {
      const count = server.lines.length;
      const shown = line.toString().slice(0, 80);
      server.write(typeof line === 'string' ? `${line}\n` : Buffer.concat([line, Buffer.from('\n')]));
      await until(`it is answered: ${shown}`, () => server.lines.length > count);
      const answer = server.messages().at(-1);
      assert.deepEqual([answer?.error?.code, answer?.id], [code, id], shown);
      assert.match(answer?.error?.message ?? '', /^[^{[\n]+\.$/, shown);
      server.send({ jsonrpc: '2.0', id: 100 + n, method: 'ping' });
      await server.answer(100 + n);
    }
    server.send({ jsonrpc: '2.0', id: 99, method: 'initialize', params: {} });
    const { error } = await server.answer(99);
    assert.equal(error?.code, -32_602);
    assert.doesNotMatch(error?.message ?? '', /[{[\n]/);
  });

  it('may name no arguments by null', async () => {
    const server = start();
    server.send(...hello);
    server.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'discern_help', arguments: null },
    });
    server.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: null });
    server.send({ jsonrpc: '2.0', id: 3, method: 'tools/list', params: { cursor: null, _meta: null } });
    assert.equal((await server.answer(1)).result?.structuredContent?.ok, true);
    for (const id of [2, 3]) assert.ok((await server.answer(id)).result?.tools);
  });
});

describe('A client that reads nothing', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  it('costs no memory without bound, and is answered in full when it reads at last', async () => {
    const child = spawn(process.execPath, [serverFile], { env: environment(), cwd: '/', stdio: 'pipe' });
    const closed = new Promise((resolve) => child.on('close', resolve));
    try {
      child.stdout.pause();
      const asked = 20_000;
      child.stdin.write(`${hello.map((one) => JSON.stringify(one)).join('\n')}\n`);
      const all = Array.from(
        { length: asked },
        (_, n) => `{"jsonrpc":"2.0","id":${n + 1},"method":"resources/list"}\n`,
      );
      child.stdin.write(all.join(''));
      let last = 0;
      // Until it no longer grows: then it waits for us.
      for (let still = 0; still < 10; ) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        const now = await memoryOf(child.pid ?? 0);
        still = now > last + 1 ? 0 : still + 1;
        last = Math.max(last, now);
      }
      assert.ok(last < 300, `${Math.round(last)} MiB`);
      let answers = 0;
      child.stdout.on('data', (chunk: Buffer) => {
        for (const byte of chunk) if (byte === 10) answers++;
      });
      child.stdout.resume();
      await until('all are answered', () => answers === asked + 1);
    } finally {
      child.stdin.end();
      child.stdout.resume();
      await closed;
    }
  });

  it('and leaves, takes the server along', async () => {
    const child = spawn(process.execPath, [serverFile], { env: environment(), cwd: '/', stdio: 'pipe' });
    const closed = new Promise((resolve) => child.on('exit', resolve));
    child.stdout.pause();
    child.stdin.write(`${hello.map((one) => JSON.stringify(one)).join('\n')}\n`);
    for (let n = 1; n < 2_000; n++)
      child.stdin.write(`{"jsonrpc":"2.0","id":${n},"method":"resources/list"}\n`);
    child.stdin.end();
    await closed;
    child.stdout.destroy();
  });
});

describe('The window socket', () => {
  afterEach(async () => {
    await stopAll();
    await removeAll();
  });

  it('has the same limit and the same answers, and other connections do not notice', async () => {
    const project = await make();
    const address = join(project.home, 'socket');
    const server = start(['--root', project.root, '--socket', address]);
    await listens(address);
    const open = async () => {
      const socket = openSocket(address);
      const messages: (Message & { id: unknown })[] = [];
      let partial = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (partial + chunk).split('\n');
        partial = parts.pop() ?? '';
        messages.push(...parts.map((line) => JSON.parse(line)));
      });
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write(`${hello.map((one) => JSON.stringify(one)).join('\n')}\n`);
      await until('it is greeted', () => messages.some(({ id }) => id === 0));
      return { socket, messages };
    };
    const sockets: Socket[] = [];
    try {
      const [one, other] = [await open(), await open()];
      sockets.push(one.socket, other.socket);
      one.socket.write(
        `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"${'x'.repeat(5 * MIB)}"}}\n[]\nno\n`,
      );
      one.socket.write(`${JSON.stringify({ ...toolCall(6, 'discern_status'), id: 6 })}\n`);
      await until('it is answered', () => one.messages.some(({ id }) => id === 6));
      const codes = one.messages.flatMap(({ error, id }) => (error ? [[error.code, id]] : []));
      assert.deepEqual(codes, [
        [-32_600, 5],
        [-32_600, null],
        [-32_700, null],
      ]);
      other.socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })}\n`);
      await until('it is answered', () => other.messages.some(({ id }) => id === 7));
    } finally {
      for (const socket of sockets) socket.destroy();
      server.endInput();
      await server.ended;
    }
  });
});

describe('A launcher that dies', () => {
  for (const program of [[serverFile], [cliFile, 'mcp']]) {
    it(`takes the server along, though another process holds its stdin: ${program.map((part) => basename(part)).join(' ')}`, async () => {
      const project = await make();
      // The shell starts a process that holds the pipe the server reads, and the server; prints both pids, and is killed.
      const script =
        'mkfifo "$0" && { sleep 1000 >"$0" 2>/dev/null & } && holder=$! && { "$@" <"$0" >/dev/null 2>&1 & } && echo "$! $holder" && wait';
      const [pipe, address] = [join(project.home, 'pipe'), join(project.home, 'socket')];
      const command = [process.execPath, ...program, '--socket', address];
      const launcher = spawn('/bin/sh', ['-c', script, pipe, ...command], {
        env: environment(),
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      launcher.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
      });
      await until('both run', () => said.includes('\n'));
      const [server = 0, holder = 0] = said.trim().split(' ').map(Number);
      try {
        await listens(address);
        launcher.kill('SIGKILL');
        await until('the server has ended', () => !runs(server));
        assert.ok(runs(holder), 'its stdin is still held open');
      } finally {
        if (runs(holder)) process.kill(holder, 'SIGKILL');
        if (runs(server)) process.kill(server, 'SIGKILL');
        await removeAll();
      }
    });
  }
});
