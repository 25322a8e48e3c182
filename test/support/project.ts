import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** git as a person would run it, with a name and without this machine's own settings. */
export const gitEnv = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A Developer',
  GIT_AUTHOR_EMAIL: 'dev@example.invalid',
  GIT_COMMITTER_NAME: 'A Developer',
  GIT_COMMITTER_EMAIL: 'dev@example.invalid',
};

declare const DISCERN_HOME: string;

/**
 * Where the test runs of this process and of those it starts queue: each of these tests would else wait for all others.
 */
export const slotsEnv = {
  DISCERN_SLOTS_DIR: process.env.DISCERN_SLOTS_DIR ?? join(DISCERN_HOME, 'out', 'slots', String(process.pid)),
};
Object.assign(process.env, slotsEnv);

// The engine runs git in this process's environment, and servers and CLIs inherit it.
Object.assign(process.env, gitEnv);

/** Runs git in `cwd` and returns what it printed, without the last newline. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  // An empty path, from an answer that has none, would mean the repository these tests lie in.
  if (!isAbsolute(cwd)) throw new Error(`git was to run in "${cwd}"`);
  // A commit would else start two more gits each time, to see whether there is housekeeping to do.
  const all = ['-c', 'maintenance.auto=false', ...args];
  const { stdout } = await exec('git', all, { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout.replace(/\n$/, '');
}

/** `git submodule`, of repositories on this machine, which git else refuses to clone (git-config(1), `protocol.allow`). */
export const gitSubmodule = (cwd: string, ...args: string[]): Promise<string> =>
  git(cwd, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', ...args);

/** The commit a checkout is at just after it got one, when its ref is a file of its own: no git has to be asked. */
async function freshCommit(checkout: string): Promise<string> {
  const linked = await readFile(join(checkout, '.git'), 'utf8').catch(() => undefined);
  const gitDir = linked === undefined ? join(checkout, '.git') : resolve(checkout, linked.slice(8).trim());
  const common = await readFile(join(gitDir, 'commondir'), 'utf8').catch(() => '.');
  const head = (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim();
  if (!head.startsWith('ref: ')) return head;
  return (await readFile(join(gitDir, common.trim(), head.slice(5)), 'utf8')).trim();
}

/** Repositories already made in this run, to copy from: git is slow to start, and most projects begin alike. */
const templates = join(DISCERN_HOME, 'out', 'templates');

async function write(files: Record<string, string>, checkout: string): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(checkout, name)), { recursive: true });
    await writeFile(join(checkout, name), content);
  }
}

/** Writes files, adds everything and commits; resolves with the commit. */
export async function commit(
  files: Record<string, string>,
  checkout: string,
  message: string,
): Promise<string> {
  await write(files, checkout);
  await git(checkout, 'add', '--all');
  await git(checkout, 'commit', '--quiet', '--allow-empty', '-m', message);
  return freshCommit(checkout);
}

/** A repository with one commit of `files`, made once and copied. */
async function copyOf(root: string, branch: string, files: Record<string, string>): Promise<void> {
  const key = createHash('sha256')
    .update(JSON.stringify([branch, files]))
    .digest('hex')
    .slice(0, 16);
  const template = join(templates, key);
  if (!existsSync(template)) {
    const made = `${template}.${randomUUID()}`;
    await mkdir(made, { recursive: true });
    await git(made, 'init', '--quiet', '--initial-branch', branch);
    await commit(files, made, 'a commit');
    // Another process may have made it meanwhile; either will do.
    await rename(made, template).catch(() => rm(made, { recursive: true }));
  }
  await cp(template, root, { recursive: true, preserveTimestamps: true });
}

export interface Project {
  /** A temp folder that holds everything of this project; `remove` deletes it. */
  home: string;
  /** The main checkout. */
  root: string;
  /** Writes files below a checkout (default: the main one). */
  write(files: Record<string, string>, checkout?: string): Promise<void>;
  /** Writes files, adds everything and commits; resolves with the commit. */
  commit(files: Record<string, string>, checkout?: string, message?: string): Promise<string>;
  remove(): Promise<void>;
}

export const plainConfig =
  '[project]\nname = "sample"\n\n[jobs]\nlint = "! grep -rn BROKEN src"\ntest = "test -f src/a.txt"\n';

/**
 * A real repository in a temp folder: `main` with `discern.toml` and `src/a.txt` committed. The folder's path is free of
 * symlinks. `config: null` leaves `discern.toml` out. Call `remove` afterwards.
 */
export async function makeProject(
  options: { config?: string | null; files?: Record<string, string>; branch?: string; name?: string } = {},
): Promise<Project> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'discern-test-')));
  const root = join(home, options.name ?? 'app');
  const config = options.config === null ? {} : { 'discern.toml': options.config ?? plainConfig };
  const files = { ...config, 'src/a.txt': 'a\n', ...options.files };
  await copyOf(root, options.branch ?? 'main', files);
  return {
    home,
    root,
    write: (files, checkout = root) => write(files, checkout),
    commit: (files, checkout = root, message = 'a commit') => commit(files, checkout, message),
    remove: () => rm(home, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Projects of one test file; `removeAll` goes into `afterEach`. */
export function projects() {
  const made: Project[] = [];
  return {
    async make(options?: Parameters<typeof makeProject>[0]): Promise<Project> {
      const project = await makeProject(options);
      made.push(project);
      return project;
    },
    async removeAll(): Promise<void> {
      await Promise.all(made.splice(0).map((project) => project.remove()));
    },
  };
}
