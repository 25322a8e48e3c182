import { copyFile, lstat, mkdir, readFile, realpath, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { WorktreeSettings } from './own-settings.ts';
import { plainGit, said } from './plain-git.ts';

/**
 * What Claude Code takes along into a worktree of its own: its local settings, the repository's hooks, the directories it is to link,
 * and the ignored files that `.worktreeinclude` names. What cannot be taken along is said on stderr; the worktree stays.
 */
export async function furnish(
  main: string,
  worktree: string,
  commonDir: string,
  { symlinkDirectories }: WorktreeSettings,
  signal: AbortSignal,
): Promise<void> {
  const top = await realpath(worktree);
  await each(['.claude/settings.local.json'], (name) => take(main, top, name));
  await hooksOf(main, top, commonDir, signal);
  await each(symlinkDirectories, (name) => link(main, top, name));
  await each(await included(main, signal), (name) => take(main, top, name));
}

async function each(names: readonly string[], act: (name: string) => Promise<void>): Promise<void> {
  for (const name of names) {
    await act(name).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT')
        process.stderr.write(`discern: ${name} was not taken along: ${error.message}\n`);
    });
  }
}

async function take(main: string, top: string, name: string): Promise<void> {
  const from = join(main, name);
  if ((await lstat(from)).isSymbolicLink()) return;
  const to = await placeFor(top, name);
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
}

async function link(main: string, top: string, name: string): Promise<void> {
  const to = await placeFor(top, name);
  await lstat(join(main, name));
  await symlink(join(main, name), to, 'dir').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Where a name lies in the worktree. Rejects what leads out of it, by its words or through a link that is committed. */
async function placeFor(top: string, name: string): Promise<string> {
  const to = resolve(top, name);
  const below = relative(top, to);
  if (below === '' || isAbsolute(below) || below.split(sep)[0] === '..')
    throw new Error('it leads out of the worktree');
  for (let at = dirname(to); ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real === undefined && (await lstat(at).catch(() => undefined)))
      throw new Error('a link is in its way');
    if (real === undefined) continue;
    if (real !== top && !real.startsWith(top + sep)) throw new Error('a link leads out of the worktree');
    break;
  }
  if ((await lstat(to).catch(() => undefined))?.isSymbolicLink()) throw new Error('a link is in its place');
  return to;
}

/** Hooks that lie beside the files of the main checkout are named so that the worktree finds them. */
async function hooksOf(main: string, top: string, commonDir: string, signal: AbortSignal): Promise<void> {
  const config = ['config', '--file', join(commonDir, 'config'), '--get', 'core.hooksPath'];
  const path = await said(main, config, signal);
  if (path === undefined || path === '' || isAbsolute(path) || path.startsWith('~')) return;
  await plainGit(top, ['config', 'core.hooksPath', resolve(main, path)], signal);
}

/** The files git ignores that `.worktreeinclude` names, in the patterns of gitignore(5). */
async function included(main: string, signal: AbortSignal): Promise<string[]> {
  const file = join(main, '.worktreeinclude');
  const patterns = await readFile(file, 'utf8').catch(() => '');
  if (patterns.split(/\r?\n/).every((line) => line.trim() === '' || line.startsWith('#'))) return [];
  const listing = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${file}`];
  const named = await plainGit(main, listing, signal);
  if (named === '') return [];
  // Exits with 1 where git ignores none of them.
  const ignored = await plainGit(main, ['check-ignore', '-z', '--stdin'], signal, named).catch(() => '');
  return ignored.split('\0').filter((name) => name !== '' && !name.endsWith('/'));
}
