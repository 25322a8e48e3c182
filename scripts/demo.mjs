// `npm start`: builds the product and shows its main job on a small real project made for it: one MCP connection to the
// real server starts a worktree, gates it red, then green, and lands it. Everything it makes is removed at the end.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { buildProduct } from '../esbuild.mjs';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'discern-demo-')));
const project = join(home, 'shop');
const server = fileURLToPath(new URL('../dist/server.js', import.meta.url));

const identity = {
  GIT_AUTHOR_NAME: 'Demo',
  GIT_AUTHOR_EMAIL: 'demo@example.invalid',
  GIT_COMMITTER_NAME: 'Demo',
  GIT_COMMITTER_EMAIL: 'demo@example.invalid',
};
const env = { ...process.env, ...identity };
const git = (cwd, ...args) => execFileSync('git', args, { cwd, env, encoding: 'utf8' }).trim();

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
const say = (text = '') => process.stdout.write(`${text}\n`);
const title = (text) => say(`\n${paint('1;36', `▸ ${text}`)}`);
const shown = (text) =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

function write(root, name, content) {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), content);
}

function makeProject() {
  mkdirSync(project);
  git(project, 'init', '--quiet', '--initial-branch', 'main');
  write(
    project,
    'discern.toml',
    `[project]
name = "shop"

[jobs]
lint = "node --check src/price.js"
test = "node --test test"
`,
  );
  write(
    project,
    'src/price.js',
    'exports.total = (items) => items.reduce((sum, item) => sum + item.price, 0);\n',
  );
  write(
    project,
    'test/price.test.js',
    `const { test } = require('node:test');
const assert = require('node:assert');
const { total } = require('../src/price.js');

test('adds prices', () => assert.strictEqual(total([{ price: 2 }, { price: 3 }]), 5));
`,
  );
  git(project, 'add', '--all');
  git(project, 'commit', '--quiet', '-m', 'A shop that can add');
}

const client = new Client({ name: 'claude-code', version: '1.0.0' });

async function call(tool, args = {}) {
  say(`  ${paint('1', tool)} ${Object.keys(args).length > 0 ? JSON.stringify(args) : ''}`);
  const { content, structuredContent } = await client.callTool({ name: tool, arguments: args });
  say(paint(structuredContent.ok ? '32' : '31', shown(content[0].text)));
  return structuredContent;
}

async function heldRoot() {
  const { contents } = await client.readResource({ uri: 'discern://root' });
  say(`  ${paint('33', `held root: ${JSON.parse(contents[0].text).root}`)}`);
}

function expect(condition, sentence) {
  if (!condition) throw new Error(`The demonstration did not go as it should: ${sentence}`);
}

async function demonstrate() {
  title('A small project, and one MCP connection opened on its main checkout');
  makeProject();
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server, '--root', project], cwd: '/', env }),
  );
  await heldRoot();

  title('start: a worktree, and the server follows');
  const { data: started } = await call('discern_start', { name: 'Discounts' });
  expect(started.path !== project, 'start made no worktree.');
  await heldRoot();

  title('An agent edits in the worktree, and gets it wrong');
  write(
    started.path,
    'src/price.js',
    'exports.total = (items, off = 1) => items.reduce((sum, item) => sum + item.price, 0) - off;\n',
  );
  git(started.path, 'commit', '--quiet', '--all', '-m', 'Discounts');
  const red = await call('discern_done');
  expect(!red.ok && red.error === 'gate_failed', 'the gate was green for a broken worktree.');
  say(paint('33', '  A server still rooted in the main checkout would have answered green here.'));

  title('It mends it');
  write(
    started.path,
    'src/price.js',
    'exports.total = (items, off = 0) => items.reduce((sum, item) => sum + item.price, 0) - off;\n',
  );
  git(started.path, 'commit', '--quiet', '--all', '-m', 'No discount unless asked for');
  const green = await call('discern_done');
  expect(green.ok && green.data.proof.state === 'valid', 'the mended worktree earned no proof.');

  title('accept: the work lands, the worktree goes, the server comes back');
  const accepted = await call('discern_accept');
  expect(accepted.ok && accepted.data.landing.branch_deleted, 'the work did not land.');
  await heldRoot();
  expect(
    readFileSync(join(project, 'src/price.js'), 'utf8').includes('off = 0'),
    'the main checkout did not follow.',
  );
  say(shown(git(project, 'log', '--oneline')));

  title('Next');
  say(`  Give an agent this server:     claude mcp add discern -- node ${server}`);
  say(`  Or use it yourself:            node ${join(server, '..', 'cli.js')} --help`);
  say(
    '  In VS Code:                    npm run package, then code --install-extension discern-vscode-*.vsix',
  );
}

try {
  await buildProduct();
  await demonstrate();
} finally {
  await client.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}
