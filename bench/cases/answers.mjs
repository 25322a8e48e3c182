// What agents pay: characters of the headline loop's answers in structured form, and of the list of tools.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('../../dist/server.js', import.meta.url));

/** Speaks MCP with a server on a small repository until `work` is through. */
async function withServer(work, jobs = 'lint = "true"\ntest = "true"') {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'bench-')));
  const repo = join(home, 'shop');
  mkdirSync(repo);
  const git = (cwd, ...args) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', ...args], {
      cwd,
      stdio: 'pipe',
    });
  const commit = (cwd, name, text) => {
    writeFileSync(join(cwd, name), text);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-qm', name);
  };
  git(repo, 'init', '-qb', 'main');
  commit(repo, 'discern.toml', `[project]\nname = "shop"\n[jobs]\n${jobs}\n`);
  const child = spawn(process.execPath, [server, '--root', repo], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message.result);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let ids = 0;
  const request = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++ids, resolve);
      send({ id: ids, method, params });
    });
  try {
    const clientInfo = { name: 'bench', version: '1' };
    await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    send({ method: 'notifications/initialized' });
    return await work(request, commit, { repo, git });
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin.end();
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

const size = (value) => JSON.stringify(value).length;

export const headlineCharacters = {
  name: 'status, start, done, accept: structured answers',
  against: 'the budget, 1,800 characters',
  unit: 'characters',
  target: 1,
  run: () =>
    withServer(async (request, commit) => {
      let sum = 0;
      const call = async (verb, args = {}) => {
        const { structuredContent } = await request('tools/call', {
          name: `discern_${verb}`,
          arguments: args,
        });
        sum += size(structuredContent);
        return structuredContent;
      };
      await call('status');
      const { data } = await call('start', { name: 'work' });
      commit(data.path, 'a.txt', 'a\n');
      await call('done');
      await call('accept');
      return { ours: sum, theirs: 1_800 };
    }),
};

export const toolsCharacters = {
  name: 'tools/list',
  against: 'the budget, 24,000 characters',
  unit: 'characters',
  target: 1,
  run: () =>
    withServer(async (request) => {
      const { tools } = await request('tools/list', {});
      const bare = size({ tools: tools.map(({ outputSchema: _schema, ...tool }) => tool) });
      return { ours: size({ tools }), theirs: 24_000, note: `${bare} without output schemas` };
    }),
};

export const worktreesCharacters = {
  name: 'status, 600 worktrees: structured answer',
  against: 'the budget, 8,000 characters',
  unit: 'characters',
  target: 1,
  run: () =>
    withServer(async (request, _commit, { repo, git }) => {
      for (let n = 0; n < 600; n++) {
        git(repo, 'worktree', 'add', '-q', '-b', `agent/work-${n}`, `../shop.worktrees/work-${n}`);
      }
      const { structuredContent } = await request('tools/call', { name: 'discern_status' });
      const { worktrees, more = structuredContent.more } = structuredContent.data;
      const total = worktrees.length + Number(more?.worktrees ?? 0);
      return {
        ours: size(structuredContent),
        theirs: 8_000,
        note: `tells of ${total}, the main one included`,
      };
    }),
};

export const findingsCharacters = {
  name: 'done, red with 200 findings: the longer part',
  against: 'the budget, 6,000 characters',
  unit: 'characters',
  target: 1,
  run: () =>
    withServer(async (request) => {
      const { content, structuredContent } = await request('tools/call', { name: 'discern_done' });
      const text = content.map((part) => part.text ?? '').join('');
      const longer = Math.max(text.length, size(structuredContent));
      return { ours: longer, theirs: 6_000, note: `error ${structuredContent.error}` };
    }, `lint = "for n in $(seq 200); do echo src/file-$n.ts:$n:7: error: what is wrong in place number $n of them all; done; exit 1"`),
};
