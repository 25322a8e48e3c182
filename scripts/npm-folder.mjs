import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs pinned packages into a folder of their own, from the npm registry alone; nothing when they are all there. Throws when
 * one cannot be had. `what` is said to whoever waits.
 */
export function installInto(folder, dependencies, { what, args = [] }) {
  const wanted = JSON.stringify({ private: true, dependencies }, null, 2);
  const ready = join(folder, 'ready.json');
  if (existsSync(ready) && readFileSync(ready, 'utf8') === wanted) return;
  process.stderr.write(`Fetching ${what}; this takes a minute or two, once…\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), wanted);
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...args], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const missing = Object.keys(dependencies).filter((name) => !existsSync(join(folder, 'node_modules', name)));
  if (status !== 0 || missing.length > 0) {
    throw new Error(`Not installed: ${missing.join(', ') || `npm ended with ${status}`}.`);
  }
  writeFileSync(ready, wanted);
}
