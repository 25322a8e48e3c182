import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
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

// The engine runs git in this process's environment, and servers and CLIs inherit it.
Object.assign(process.env, gitEnv);

/** Runs git in `cwd` and returns what it printed, without the last newline. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  // An empty path, from an answer that has none, would mean the repository these tests lie in.
  if (!isAbsolute(cwd)) throw new Error(`git was to run in "${cwd}"`);
  const { stdout } = await exec('git', args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout.replace(/\n$/, '');
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
 * symlinks. Call `remove` afterwards.
 */
export async function makeProject(
  options: { config?: string; files?: Record<string, string>; branch?: string; name?: string } = {},
): Promise<Project> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'discern-test-')));
  const root = join(home, options.name ?? 'app');
  await mkdir(root);
  await git(root, 'init', '--quiet', '--initial-branch', options.branch ?? 'main');
  const write = async (files: Record<string, string>, checkout = root) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(checkout, name)), { recursive: true });
      await writeFile(join(checkout, name), content);
    }
  };
  const commit = async (files: Record<string, string>, checkout = root, message = 'a commit') => {
    await write(files, checkout);
    await git(checkout, 'add', '--all');
    await git(checkout, 'commit', '--quiet', '--allow-empty', '-m', message);
    return git(checkout, 'rev-parse', 'HEAD');
  };
  await commit({ 'discern.toml': options.config ?? plainConfig, 'src/a.txt': 'a\n', ...options.files });
  return {
    home,
    root,
    write,
    commit,
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
