import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const serverFile = fileURLToPath(new URL('../dist/server.js', import.meta.url));

export const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@example.invalid',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@example.invalid',
};

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Runs `a` and `b` in turn, `rounds` times after one warm-up, and returns the medians of what they resolve with. */
export async function inTurn(rounds, a, b) {
  await a(-1);
  await b(-1);
  const as = [];
  const bs = [];
  for (let round = 0; round < rounds; round++) {
    as.push(await a(round));
    bs.push(await b(round));
  }
  return { a: median(as), b: median(bs) };
}

export function git(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** Milliseconds one command takes, as a whole process. */
export function timed(command, args, options = {}) {
  const began = performance.now();
  const { status, stderr } = spawnSync(command, args, {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...options,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return performance.now() - began;
}

/** Lets `use` work in a temp folder, which goes afterwards. */
export async function withFolder(use) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'discern-bench-')));
  try {
    return await use(home);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A repository of `files` small files, with `config` as its discern.toml, in a temp folder that `use` gets to work in. */
export const withRepository = ({ files = 400, config = '[project]\nname = "bench"\n' }, use) =>
  withFolder(async (home) => {
    const root = join(home, 'app');
    for (let n = 0; n < files; n++) {
      const path = join(root, 'src', `dir${n % 20}`, `file${n}.txt`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `line ${n}\n`.repeat(40));
    }
    writeFileSync(join(root, 'discern.toml'), config);
    git(root, 'init', '--quiet', '--initial-branch', 'main');
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '-m', 'everything');
    return use(root, home);
  });

export const copy = (from, to) => cpSync(from, to, { recursive: true });

/** A raw MCP connection: no SDK in between, so that only the server is timed. */
export class Mcp {
  #child;
  #buffer = '';
  #waiting = new Map();
  #id = 0;
  #name;

  constructor(command, args, { name = 'bench', env: given = env } = {}) {
    this.#name = name;
    this.#child = spawn(command, args, { env: given, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout.on('data', (chunk) => {
      this.#buffer += chunk;
      for (let end = this.#buffer.indexOf('\n'); end !== -1; end = this.#buffer.indexOf('\n')) {
        const message = JSON.parse(this.#buffer.slice(0, end));
        this.#buffer = this.#buffer.slice(end + 1);
        this.#waiting.get(message.id)?.(message);
      }
    });
  }

  get pid() {
    return this.#child.pid;
  }

  request(method, params) {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (message) =>
        message.error ? reject(new Error(JSON.stringify(message.error))) : resolve(message.result),
      );
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  async open() {
    await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: this.#name, version: '1' },
    });
    this.#child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return this.request('tools/list');
  }

  async call(name, args = {}, meta = undefined) {
    const { structuredContent } = await this.request('tools/call', {
      name,
      arguments: args,
      ...(meta && { _meta: meta }),
    });
    if (!structuredContent.ok) throw new Error(`${name}: ${structuredContent.message}`);
    return structuredContent;
  }

  close() {
    return new Promise((resolve) => {
      this.#child.once('exit', resolve);
      this.#child.stdin.end();
    });
  }
}
