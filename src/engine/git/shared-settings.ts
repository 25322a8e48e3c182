import { join } from 'node:path';
import { git, pathText } from './core.ts';
import { textOf } from './git-dir.ts';

/** The most bytes of a config file that are read. */
const LARGEST = 16 * 1024 * 1024;

/**
 * The work tree that git would take for that of every checkout of a repository: `core.worktree` in the config all of them
 * share, which binds linked ones too where `extensions.worktreeConfig` is on (git-worktree(1), "Configuration file").
 * `undefined` where each has its own.
 */
export async function sharedWorkTree(commonDir: string, cwd: string): Promise<string | undefined> {
  const file = join(commonDir, 'config');
  if (!/worktreeconfig/i.test((await textOf(file, LARGEST)) ?? '')) return undefined;
  const ask = async (...args: string[]) =>
    pathText((await git(cwd, ['config', '--file', file, ...args], { ok: [0, 1] })).stdout).replace(/\n$/, '');
  if ((await ask('--type=bool', '--get', 'extensions.worktreeConfig')) !== 'true') return undefined;
  return (await ask('--get', 'core.worktree')) || undefined;
}
