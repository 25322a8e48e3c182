import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, lstat, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Envelope } from '../../src/contract/envelope.ts';
import type { Args, Data, Verb } from '../../src/contract/verbs.ts';
import { verb } from './engine.ts';
import { until } from './processes.ts';
import { git, type Project } from './project.ts';
import { environment } from './server.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

/** The built engine, for tests that need another process to run a verb. */
const engineFile = join(process.env.DISCERN_DIST ?? join(DISCERN_HOME, 'dist'), 'engine.js');

/** Every file and directory below `dir`, with a digest of each file's bytes; git's own directories are left out. */
export async function listing(dir: string, under = ''): Promise<string[]> {
  const found: string[] = [];
  for (const entry of (await readdir(join(dir, under), { withFileTypes: true })).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const name = join(under, entry.name);
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) found.push(`${name}/`, ...(await listing(dir, name)));
    else if (entry.isSymbolicLink()) found.push(`${name} -> ${await readlink(join(dir, name))}`);
    else {
      const mode = ((await lstat(join(dir, name))).mode & 0o777).toString(8);
      const digest = createHash('sha256')
        .update(await readFile(join(dir, name)))
        .digest('hex');
      found.push(`${name} ${mode} ${digest.slice(0, 12)}`);
    }
  }
  return found;
}

export interface Everything {
  refs: string[];
  worktrees: string[];
  files: string[];
}

/** All of a repository and of the folder around it that a verb could change. */
export async function everything(project: Pick<Project, 'home' | 'root'>): Promise<Everything> {
  return {
    refs: (await git(project.root, 'for-each-ref')).split('\n'),
    worktrees: (await git(project.root, 'worktree', 'list', '--porcelain')).split('\n'),
    files: await listing(project.home),
  };
}

/** Starts a worktree and resolves with what the answer says of it; fails when it was refused. */
export async function started(directory: string, args: Args<'start'> = {}): Promise<Data<'start'>> {
  return succeeded(await verb('start', directory, args));
}

/** The whole data of an answer that must be ok. */
export function succeeded<T>(envelope: Envelope<T>): T {
  assert.equal(envelope.ok, true, `${envelope.error}: ${envelope.message}`);
  return envelope.data as T;
}

/** Checks that an answer is this refusal, and returns its message. */
export function refusedWith(envelope: Envelope<unknown>, error: string, message?: RegExp): string {
  assert.equal(
    envelope.ok,
    false,
    `${envelope.verb} was to refuse ${error}, but answered: ${envelope.message}`,
  );
  assert.equal(envelope.error, error, envelope.message);
  if (message) assert.match(envelope.message ?? '', message);
  return envelope.message ?? '';
}

export const nothingLanded = {
  recovery_performed: false,
  trunk_landed: false,
  worktree_removed: false,
  branch_deleted: false,
};

const driver = `
const [engine, verb, root, args] = process.argv.slice(1);
const { run } = require(engine);
const ctx = { signal: new AbortController().signal, emit() {}, client: 'unknown' };
run(verb, root, JSON.parse(args), ctx).then((envelope) => {
  process.stdout.write(JSON.stringify(envelope), () => process.exit(0));
});
`;

const children = new Set<ChildProcess>();

/** Ends what {@link elsewhere} started and a failed test left waiting; goes into `afterEach`. */
export function endElsewhere(): void {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
}

export interface Elsewhere<V extends Verb> {
  child: ChildProcess;
  /** Resolves when it has ended, with its answer, or without one when it was killed. */
  ended: Promise<Envelope<Data<V>> | undefined>;
}

/**
 * Runs a verb in another process, from the built engine. With a fault point the process kills itself there, or waits
 * there (`name=MS`). `through` is a command that starts it, such as `env`.
 */
export function elsewhere<V extends Verb>(
  name: V,
  root: string,
  args: Args<V>,
  faultPoint?: string,
  through: readonly string[] = [],
): Elsewhere<V> {
  const command = [...through, process.execPath, '-e', driver, engineFile, name, root, JSON.stringify(args)];
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...environment(), ...(faultPoint !== undefined && { DISCERN_FAULT_POINT: faultPoint }) },
  });
  children.add(child);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<Envelope<Data<V>> | undefined>((resolve) => {
    child.on('close', () => {
      children.delete(child);
      resolve(text === '' ? undefined : JSON.parse(text));
    });
  });
  return { child, ended };
}

/** Runs a verb in another process up to a fault point, where it waits; `resume` lets it go on, and has its answer. */
export async function pausedAt<V extends Verb>(
  project: Pick<Project, 'home'>,
  point: string,
  name: V,
  root: string,
  args: Args<V>,
): Promise<{ resume(): Elsewhere<V>['ended'] }> {
  const go = join(project.home, `go-${point}`);
  const { child, ended } = elsewhere(name, root, args, `${point}@${go}`);
  const reached = () =>
    access(`${go}.reached`).then(
      () => true,
      () => false,
    );
  await until(`${name} reaches ${point}`, async () => child.exitCode !== null || (await reached()));
  assert.equal(child.exitCode, null, `${name} passed no ${point}`);
  return {
    async resume() {
      await writeFile(go, '');
      return ended;
    },
  };
}
