// A real VS Code workbench in a browser, from what provision.mjs fetched: starts its server, opens windows on folders, and
// takes everything down again. Loopback only.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownUser } from '../sample.mjs';
import { cacheDir, codeServerFile, nodeFile, vscodeDir } from './provision.mjs';

/** A port nobody listens on now. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const exited = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', resolve));

/**
 * Starts the workbench's server. `trust: false` lets folders be untrusted, as in a fresh VS Code; `env` reaches the extension
 * hosts. `stop` ends it, and with it every extension host.
 */
export async function startWorkbench({ trust = true, env = {}, extensionsDir, verbose = false } = {}) {
  const data = realpathSync(mkdtempSync(join(tmpdir(), 'discern-vscode-')));
  const port = await freePort();
  const file = join(data, 'data', 'User', 'settings.json');
  mkdirSync(dirname(file), { recursive: true });
  // VS Code leaves its sockets behind; here they go with the rest.
  const temporary = join(data, 'tmp');
  mkdirSync(temporary);
  // A folder that is not trusted stays so without a modal in the way.
  writeFileSync(file, JSON.stringify({ 'security.workspace.trust.startupPrompt': 'never' }));
  const child = spawn(
    nodeFile,
    [
      'out/server-main.js',
      ...['--host', '127.0.0.1', '--port', String(port), '--without-connection-token'],
      ...['--accept-server-license-terms', '--telemetry-level', 'off', '--server-data-dir', data],
      ...['--enable-smoke-test-driver', '--reconnection-grace-time', '2'],
      // Else it takes the environment of the machine's login shell, PATH too, over the one it is given.
      '--force-disable-user-env',
      ...(extensionsDir ? ['--extensions-dir', extensionsDir] : []),
      ...(trust ? ['--disable-workspace-trust'] : []),
    ],
    {
      cwd: vscodeDir,
      env: { ...process.env, ...ownUser(data), TMPDIR: temporary, XDG_RUNTIME_DIR: temporary, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  const ready = new Promise((resolve, reject) => {
    const hear = (chunk) => {
      said += chunk;
      if (verbose) process.stderr.write(chunk);
      if (said.includes('Extension host agent started')) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) =>
      reject(new Error(`The workbench's server ended (${code}): ${said.slice(-2000)}`)),
    );
  });
  await ready;
  return {
    port,
    /** The process everything here runs under. */
    pid: child.pid,
    /** Where the workbench keeps what it keeps. */
    data,
    /** The address of a window on a folder (or a .code-workspace file), optionally with an extension under development. */
    url({ folder, workspace, extension, tests } = {}) {
      const remote = (path) => `vscode-remote://127.0.0.1:${port}${encodeURI(path)}`;
      const payload = [
        ...(extension ? [['extensionDevelopmentPath', remote(extension)]] : []),
        ...(tests ? [['extensionTestsPath', remote(tests)]] : []),
      ];
      const query = new URLSearchParams({
        ...(folder && { folder }),
        ...(workspace && { workspace }),
        ...(!folder && !workspace && { ew: 'true' }),
        ...(payload.length > 0 && { payload: JSON.stringify(payload) }),
      });
      return `http://127.0.0.1:${port}/?${query}`;
    },
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 8_000);
      await exited(child);
      clearTimeout(timer);
      rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** Starts the browser windows are opened in. */
export async function startBrowser({ headless = true } = {}) {
  const require = createRequire(join(cacheDir, 'package.json'));
  const { chromium } = require('playwright-core');
  const { default: bundled } = await import(pathToFileURL(require.resolve('@sparticuz/chromium')).href);
  // In one process the browser dies with the first window that closes.
  const args = bundled.args.filter((arg) => arg !== '--single-process');
  return chromium.launch({ executablePath: await bundled.executablePath(), args, headless });
}

/** Opens a window and waits for its workbench. */
export async function openWindow(browser, url, { width = 1280, height = 800 } = {}) {
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
  return page;
}

/** Installs a VSIX into an extensions folder of its own. */
export async function installVsix(file, extensionsDir) {
  const child = spawn(
    nodeFile,
    [codeServerFile, '--install-extension', file, '--extensions-dir', extensionsDir],
    {
      // It writes settings of its own into its user's home.
      env: { ...process.env, HOME: dirname(extensionsDir), XDG_CONFIG_HOME: '', XDG_DATA_HOME: '' },
      stdio: ['ignore', 2, 2],
    },
  );
  await exited(child);
  if (child.exitCode !== 0) throw new Error(`Installing ${file} failed.`);
}
