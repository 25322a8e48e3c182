import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** Most bytes git may print of one file, or of the list of files. */
const MOST = 32 * 1024 * 1024;

/** A file that differs between two commits; a side on which it does not exist has no path. */
export interface ChangedFile {
  before: string | undefined;
  after: string | undefined;
}

/** The commit a branch left the trunk at. Rejects where they have none in common. */
export const leftAt = async (cwd: string, trunk: string): Promise<string> =>
  (await git(cwd, 'merge-base', trunk, 'HEAD')).trim();

/** The files that differ from commit to commit, renames followed; paths from the git top. */
export async function changedFiles(cwd: string, from: string, to: string): Promise<ChangedFile[]> {
  const text = await git(
    cwd,
    'diff',
    '--name-status',
    '-z',
    '--find-renames',
    '--no-ext-diff',
    from,
    to,
    '--',
  );
  return readNameStatus(text);
}

/** Reads `git diff --name-status -z` (git-diff(1)). */
export function readNameStatus(text: string): ChangedFile[] {
  const parts = text.split('\0');
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < parts.length; ) {
    const [kind, first = '', second = ''] = parts.slice(at, at + 3);
    const two = /^[RC]/.test(kind ?? '');
    at += two ? 3 : 2;
    if (two) files.push({ before: first, after: second });
    else if (kind === 'A') files.push({ before: undefined, after: first });
    else if (kind === 'D') files.push({ before: first, after: undefined });
    else files.push({ before: first, after: first });
  }
  return files;
}

/** The text a file has in a commit. */
export const textAt = (cwd: string, commit: string, path: string): Promise<string> =>
  git(cwd, 'cat-file', 'blob', `${commit}:${path}`);

/** The top of the checkout a directory lies in. */
export const topOf = async (cwd: string): Promise<string> =>
  join((await git(cwd, 'rev-parse', '--show-toplevel')).replace(/\n$/, ''));

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await exec('git', ['-c', 'core.hooksPath=/dev/null', ...args], { cwd, maxBuffer: MOST });
  return stdout;
}
