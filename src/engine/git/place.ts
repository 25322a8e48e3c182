import { dirname, join } from 'node:path';
import { placeSeen } from '../files/files.ts';
import { git } from './core.ts';
import { commonDirOf, gitDirOf, realOf, textOf } from './git-dir.ts';

/** Where a checkout and its repository lie. Absolute paths, free of symlinks. */
export interface Place {
  /** The git top of the checkout. */
  top: string;
  gitDir: string;
  commonDir: string;
  /** True in a linked checkout, false in the main one. */
  linked: boolean;
}

/** The place of the checkout `root` lies in, as git has it. Rejects with GitError outside a work tree. */
export async function askPlace(root: string, signal?: AbortSignal): Promise<Place> {
  const { stdout } = await git(
    root,
    ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir'],
    { signal },
  );
  const [top = '', gitDir = '', commonDir = ''] = stdout.toString('utf8').split('\n');
  return { top, gitDir, commonDir, linked: gitDir !== commonDir };
}

/**
 * The place of the checkout `root` (free of symlinks) lies in, read from the files git reads (gitrepository-layout(5)), so
 * that the start of every verb is a process less. `undefined` for a layout that is not the plain one: a `.git` that is a
 * symlink, a submodule, a separate git directory, or a config that may name another work tree. Whether git
 * accepts the repository at all (its owner, its format) is for the git that runs next to say.
 */
export async function readPlace(root: string): Promise<Place | undefined> {
  for (let top = root; ; top = dirname(top)) {
    const found = placeSeen(join(top, '.git'));
    if (found?.isDirectory()) return mainPlace(top);
    if (found?.isFile()) return linkedPlace(top);
    if (found || dirname(top) === top) return undefined;
  }
}

async function mainPlace(top: string): Promise<Place | undefined> {
  const gitDir = join(top, '.git');
  const [head, elsewhere] = await Promise.all([read(join(gitDir, 'HEAD')), namesWorkTree(gitDir)]);
  if (head === undefined || elsewhere) return undefined;
  return { top, gitDir, commonDir: gitDir, linked: false };
}

async function linkedPlace(top: string): Promise<Place | undefined> {
  const gitDir = await gitDirOf(top);
  if (gitDir === undefined) return undefined;
  const named = await commonDirOf(gitDir);
  const commonDir = named && realOf(named);
  if (commonDir === undefined || (await namesWorkTree(gitDir, commonDir))) return undefined;
  return { top, gitDir, commonDir, linked: true };
}

/** Whether a config may hold `core.worktree`; one that includes others may hold anything. */
async function namesWorkTree(gitDir: string, commonDir = gitDir): Promise<boolean> {
  const texts = await Promise.all([read(join(commonDir, 'config')), read(join(gitDir, 'config.worktree'))]);
  return texts.some(
    (text) => text !== undefined && /^\s*worktree\b|\bworktree\s*=|\[\s*include/im.test(text),
  );
}

/** A small file's text; `undefined` when it cannot be read, and then git has to be asked. */
const read = (path: string): Promise<string | undefined> => textOf(path, 16 * 1024 * 1024);
