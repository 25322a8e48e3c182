import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identity } from '../sample.mjs';

export const serverFile = fileURLToPath(new URL('../../dist/server.js', import.meta.url));

const files = {
  'discern.toml': '[project]\nname = "sample"\n[jobs]\nformat = "true"\nlint = "true"\ntest = "true"\n',
  // A person is asked before work lands, so that the suites' questions have something to be about.
  'discern-vscode.toml': '[consent]\nmode = "ask"\n',
};

/** The built server over HTTP on a small project of its own, and its end. */
export async function startSubject() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'discern-conformance-')));
  const root = join(home, 'app');
  const env = { ...process.env, ...identity, XDG_STATE_HOME: join(home, 'state') };
  const git = (cwd, ...args) => {
    const { status, stderr, error } = spawnSync('git', args, { cwd, env, encoding: 'utf8' });
    if (status !== 0) throw error ?? new Error(`git ${args[0]}: ${stderr}`);
  };
  git(home, 'init', '--quiet', '--initial-branch', 'main', root);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '-m', 'a sample');
  let works = 0;
  const token = randomBytes(24).toString('hex');
  const server = spawn(process.execPath, [serverFile, '--transport', 'http', '--port', '0', '--root', root], {
    env: { ...env, DISCERN_MCP_TOKEN: token },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
      const found = /serving (http:\S+)/.exec(said)?.[1];
      if (found) resolve(new URL(found));
    });
    server.on('exit', () => reject(new Error(`The server ended: ${said}`)));
  });
  return {
    home,
    root,
    env,
    url,
    token,
    /** Makes a piece of work that may be landed; returns its path. */
    work() {
      const path = join(home, `work-${++works}`);
      git(root, 'worktree', 'add', '--quiet', '-b', `work-${works}`, path);
      git(path, 'commit', '--quiet', '--allow-empty', '-m', `work ${works}`);
      return path;
    },
    async close() {
      server.kill();
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
