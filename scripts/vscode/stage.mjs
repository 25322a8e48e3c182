// What a test from outside stands on: projects, and windows of one workbench on them. `clear` takes all of it down.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageExtension } from '../package.mjs';
import { identity, makeSample } from '../sample.mjs';
import { serversUnder, tree } from './processes.mjs';
import { until, Window } from './window.mjs';
import { installVsix, openWindow } from './workbench.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Git as a developer calls it; resolves with what it printed. */
export function git(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd,
    env: { ...process.env, ...identity },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** Writes files and commits them, and nothing else. */
export function commit(checkout, files, message) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, name)), { recursive: true });
    writeFileSync(join(checkout, name), content);
  }
  git(checkout, 'add', '--', ...Object.keys(files));
  git(checkout, 'commit', '--quiet', '-m', message);
  return git(checkout, 'rev-parse', 'HEAD');
}

/** The checkouts of a project, as git lists them. */
export const worktrees = (project) =>
  git(project, 'worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length));

export class Stage {
  #workbench;
  #browser;
  #homes = [];
  #windows = [];
  #developed;

  /** `extensionsDir`: where this workbench has the extension installed, which is then not taken from this repository. */
  constructor(workbench, browser, extensionsDir) {
    this.#workbench = workbench;
    this.#browser = browser;
    this.extensionsDir = extensionsDir;
    this.#developed = extensionsDir ? undefined : root;
  }

  /** Installs this repository's extension under another version number, as VS Code's own updates do. */
  async installUpdate(version) {
    const file = packageExtension(join(this.extensionsDir, '..', `${version}.vsix`), { version });
    await installVsix(file, this.extensionsDir);
  }

  /** A project of its own, with these files besides the sample's. */
  project(files = {}, name = 'app') {
    const { home, project } = makeSample(name);
    this.#homes.push(home);
    if (Object.keys(files).length > 0) commit(project, files, 'the files of this test');
    return project;
  }

  /**
   * A window on a folder, or on none, with the extension. Its browser profile is new, so it remembers nothing. `tests` runs in its
   * extension host.
   */
  async open(folder, { tests, size } = {}) {
    const page = await openWindow(
      this.#browser,
      this.#workbench.url({ folder, extension: this.#developed, tests }),
      size,
    );
    const window = new Window(page);
    this.#windows.push(window);
    return window;
  }

  /** The workspace file VS Code made when a window turned multi-root with this folder among its own. */
  workspaceWith(folder) {
    const dir = join(this.#workbench.data, 'data', 'User', 'Workspaces');
    return until(`VS Code made a workspace with ${folder}`, () =>
      (existsSync(dir) ? readdirSync(dir) : [])
        .map((name) => join(dir, name))
        .find((file) => readFileSync(file, 'utf8').includes(`${folder}"`)),
    );
  }

  /** Takes a window to another workspace file or folder. */
  async take(window, where) {
    await window.page.goto(this.#workbench.url({ ...where, extension: this.#developed }));
    await window.page.waitForSelector('.monaco-workbench');
  }

  /** Discern's servers that were started for a folder. */
  servers(folder) {
    return serversUnder(this.#workbench.pid).filter((server) => server.root === folder);
  }

  /** The processes that join VS Code's own MCP client to a window's server. */
  attached() {
    return tree(this.#workbench.pid)
      .filter(({ args }) => args.some((arg) => arg.endsWith('/dist/attach.js')))
      .map(({ pid }) => pid);
  }

  /** Waits until so many servers run for a folder, and resolves with them. */
  serving(folder, count) {
    return until(
      `${count} servers run for ${folder}`,
      () => {
        const found = this.servers(folder);
        return found.length === count && found;
      },
      { say: () => JSON.stringify(this.servers(folder)) },
    );
  }

  /** Starts a worktree through the palette, by keyboard; resolves with its path once the window says that it is held. */
  async start(window, project, name) {
    const before = worktrees(project);
    await window.palette('Discern: Start Worktree…');
    await window.answer('Start Worktree', name);
    const path = await until(
      'git lists a new worktree',
      () => worktrees(project).find((one) => !before.includes(one)),
      { say: () => window.glance() },
    );
    await window.holds(path.split('/').at(-1));
    return path;
  }

  /** Keeps a picture of each window in out/, to see why a test failed. */
  async photograph() {
    for (const [index, { page }] of this.#windows.entries()) {
      if (page.isClosed()) continue;
      const file = join(root, 'out', `window-${index + 1}.png`);
      const taken = await page.screenshot({ path: file, timeout: 10_000 }).then(() => file, String);
      process.stdout.write(`What window ${index + 1} showed: ${taken}\n`);
    }
  }

  /** Closes the windows and removes the projects. */
  async clear() {
    for (const window of this.#windows.splice(0)) await window.close();
    const homes = this.#homes.splice(0);
    await until('the servers of closed windows end', () => serversUnder(this.#workbench.pid).length === 0);
    for (const home of homes) rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
