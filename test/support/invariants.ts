import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StatusData } from '../../src/contract/data.ts';
import { elsewhere, started, succeeded } from './checkouts.ts';
import { verb } from './engine.ts';
import { git, type Project } from './project.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

/** The name of every fault point the engine has, in alphabetical order. */
export function faultPoints(): string[] {
  const engine = join(DISCERN_HOME, 'src/engine');
  const files = readdirSync(engine, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const found = files.flatMap((name) =>
    [...readFileSync(join(engine, name), 'utf8').matchAll(/\bpoint\('([^']+)'\)/g)].map(
      ([, point = '']) => point,
    ),
  );
  return [...new Set(found)].sort();
}

/** Runs a verb in a process that kills itself at `point`; fails when it never got there. */
export async function killedAt(
  point: string,
  name: Parameters<typeof elsewhere>[0],
  root: string,
  args: Record<string, unknown> = {},
): Promise<void> {
  const { child, ended } = elsewhere(name, root, args as never, point);
  const answer = await ended;
  assert.equal(child.signalCode, 'SIGKILL', `${name} passed no ${point}: ${JSON.stringify(answer)}`);
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/**
 * What must hold of a repository whatever happened, once someone has asked for its status: every commit is reachable from a
 * ref, every registered worktree has its directory and every directory is registered (or the answer says otherwise), no
 * checkout is half way between two commits, and git finds nothing broken.
 */
export async function assertSound(project: Project, commits: readonly string[]): Promise<StatusData> {
  const status = succeeded(await verb('status', project.root));
  for (const commit of commits) {
    const refs = await git(project.root, 'for-each-ref', '--contains', commit, '--format=%(refname)');
    assert.notEqual(refs, '', `${commit} is reachable`);
  }
  const told = JSON.stringify([status.findings ?? [], status.worktrees.filter(({ prunable }) => prunable)]);
  for (const { path } of status.worktrees) {
    assert.ok((await exists(join(path, '.git'))) || told.includes(path), `${path} is there, or told of`);
  }
  const folder = `${project.root}.worktrees`;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const empty = (await readdir(path)).length === 0;
    const registered = status.worktrees.some((entry) => entry.path === path);
    assert.ok(registered || empty || told.includes(path), `${path} is registered, or told of`);
  }
  assert.equal(
    await git(project.root, 'status', '--porcelain', '--untracked-files=no'),
    '',
    'landing is clean',
  );
  await git(project.root, 'fsck', '--connectivity-only', '--no-dangling');
  return status;
}

/** A whole new piece of work goes through: start, commit, accept. */
export async function assertWorks(project: Project): Promise<void> {
  const { path } = await started(project.root, { name: 'afterwards' });
  const commit = await project.commit({ 'afterwards.txt': '' }, path);
  const { landing } = succeeded(await verb('accept', path));
  assert.deepEqual(
    [landing.trunk_landed, landing.worktree_removed, landing.branch_deleted],
    [true, true, true],
  );
  assert.equal(await git(project.root, 'rev-parse', 'main', 'HEAD'), `${commit}\n${commit}`);
}
