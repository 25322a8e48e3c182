// Puts the agent clients that `npm run test:clients` drives into .clients/, from the npm registry alone, each pinned. They are
// other people's programs under their own licenses: installed for tests, never shipped. Does nothing when all are there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const versions = {
  '@anthropic-ai/claude-code': '2.1.197',
  '@github/copilot': '1.0.102',
  '@google/gemini-cli': '0.61.0',
  '@openai/codex': '0.169.0',
  'opencode-ai': '1.18.33',
};

const folder = fileURLToPath(new URL('../../.clients/', import.meta.url));

/** Installs what is missing. Throws when a client cannot be had: a run without it would prove nothing of it. */
export function provision() {
  const ready = join(folder, `ready-${Object.values(versions).join('-')}`);
  if (existsSync(ready)) return;
  process.stderr.write('Fetching the agent clients for the tests; this takes a minute or two, once…\n');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ private: true, dependencies: versions }, null, 2)}\n`,
  );
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const missing = Object.keys(versions).filter((name) => !existsSync(join(folder, 'node_modules', name)));
  if (status !== 0 || missing.length > 0) {
    throw new Error(
      `The agent clients could not be installed (${missing.join(', ') || `npm ended with ${status}`}).`,
    );
  }
  writeFileSync(ready, '');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) provision();
