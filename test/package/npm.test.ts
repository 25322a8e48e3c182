import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { verbNames } from '../../src/contract/verbs.ts';
import { projects } from '../support/project.ts';
import { environment } from '../support/server.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

const run = promisify(execFile);
const { make, removeAll } = projects();

/** The package as npm would publish it, from what is built, and an empty folder with an empty cache to use it in. */
async function packed() {
  const project = await make();
  const home = join(project.home, 'npm');
  const empty = join(home, 'empty');
  await mkdir(empty, { recursive: true });
  // The tests run on what is built: npm's own prepack would build it again, under the feet of other tests.
  const packing = ['pack', '--ignore-scripts', '--json', '--pack-destination', home];
  const { stdout } = await run('npm', packing, { cwd: DISCERN_HOME, shell: process.platform === 'win32' });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const env = environment({
    HOME: home,
    npm_config_cache: join(home, 'cache'),
    // Nothing may have to be fetched.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  });
  return {
    project,
    empty,
    env,
    spec: `file:${join(home, filename)}`,
    files: files.map(({ path }) => path).sort(),
  };
}

describe('the npm package', () => {
  let made: Awaited<ReturnType<typeof packed>>;

  before(async () => {
    made = await packed();
  });

  after(removeAll);

  it('has the programs, and no tests, sources or parts of the extension but its entry', () => {
    for (const program of ['cli', 'server', 'engine', 'hook', 'http', 'attach'])
      assert.ok(made.files.includes(`dist/${program}.js`), program);
    const others = made.files.filter((file) => !file.startsWith('dist/'));
    assert.deepEqual(others, ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    for (const page of ['webview.js', 'webview.css']) assert.ok(made.files.includes(`dist/${page}`), page);
    for (const part of ['client', 'config-language'])
      assert.ok(!made.files.includes(`dist/${part}.js`), part);
  });

  it('has every file of ours that its programs load by name', async () => {
    const programs = made.files.filter((file) =>
      /^dist\/(cli|server|engine|hook|http|attach)\.js$/.test(file),
    );
    let loaded = 0;
    for (const program of programs) {
      const text = await readFile(join(DISCERN_HOME, program), 'utf8');
      for (const [, name] of text.matchAll(/(?:require|import)\("\.\/([\w-]+\.js)"\)/g)) {
        loaded++;
        assert.ok(made.files.includes(`dist/${name}`), `${program} loads ${name}`);
      }
    }
    assert.ok(loaded > 3, `${loaded} found`);
  });

  it('says the licence of each package whose code it has', async () => {
    const notices = await readFile(join(DISCERN_HOME, 'dist', 'THIRD_PARTY_NOTICES.txt'), 'utf8');
    for (const name of ['zod', 'yargs', '@modelcontextprotocol/server', 'toml-eslint-parser'])
      assert.match(notices, new RegExp(`^${name} \\d`, 'm'));
    assert.doesNotMatch(notices, /^(typescript|mocha|esbuild|@biomejs\/biome) \d/m);
  });

  it('is a server by "npx -y <tarball> mcp" in an empty folder, with nothing fetched', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: {} });
    await client.connect(
      new StdioClientTransport({
        command: 'npx',
        args: ['-y', made.spec, 'mcp', '--root', made.project.root],
        env: made.env,
        cwd: made.empty,
        stderr: 'ignore',
      }),
    );
    try {
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      for (const verb of verbNames) assert.ok(names.includes(`discern_${verb}`), verb);
      const { structuredContent } = await client.callTool({ name: 'discern_status', arguments: {} });
      assert.equal((structuredContent as { data: { root: string } }).data.root, made.project.root);
    } finally {
      await client.close();
    }
    assert.deepEqual(await readdir(made.empty), []);
  });

  it('is the command line, with help, setup and hooks', async () => {
    const npx = (...args: string[]) =>
      run('npx', ['-y', made.spec, ...args], {
        cwd: made.empty,
        env: made.env,
        shell: process.platform === 'win32',
      });
    const { version } = JSON.parse(await readFile(join(DISCERN_HOME, 'package.json'), 'utf8')) as {
      version: string;
    };
    assert.equal((await npx('--version')).stdout.trim(), version);
    assert.match((await npx('help')).stdout, /topics?/i);
    assert.match((await npx('setup', 'claude', '--print-config')).stdout, /hooks\.json/);
    await assert.rejects(npx('setup', 'claude'), /npm install --global discern-vscode/);
    assert.deepEqual(await readdir(made.empty), []);
    assert.equal((await npx('hook', 'claude', 'SessionStart')).stdout, '');
  });
});
