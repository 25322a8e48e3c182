import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../../contract/inside.ts';
import { exists, namesIn, orWhenAbsent } from '../files/files.ts';
import { fields, git, gitLine } from '../git/core.ts';
import { fullName } from '../git/refs.ts';

/** A repository as git is pointed at it, wherever it lies by now: its own idea of its work tree is not used. */
export const pointedAt = (gitDir: string, workTree = gitDir) => ({
  GIT_DIR: gitDir,
  GIT_WORK_TREE: workTree,
  // Looking fetches nothing.
  GIT_NO_LAZY_FETCH: '1',
});

/** Commits that go with a repository. */
export interface OwnCommits {
  count: number;
  /** The first few, as `<short id> <subject>`. */
  named: string[];
  /** True when no ref of it has them, only its reflogs. */
  onlyLogged: boolean;
}

const MOST_NAMED = 3;
/** More than this are told as many. */
export const MOST_COUNTED = 100;

/**
 * The commits of a repository that nobody else has, as far as it knows: reached by its branches, tags, stashes, HEADs, reflogs
 * or by one of `also`, and by nothing that came from elsewhere or went there. `leaving` are the directories that go: a remote
 * that lies in one of them keeps nothing.
 */
export async function ownCommits(
  gitDir: string,
  also: readonly string[],
  leaving: readonly string[],
): Promise<OwnCommits | undefined> {
  const remotes = await remotesElsewhere(gitDir, leaving);
  const logs = await loggedIds(gitDir, remotes);
  const came = [...logs.came, ...(await fetched(gitDir, leaving)), ...(await idsIn(join(gitDir, 'shallow')))];
  const less = remotes.map((name) => `--remotes=${glob(name)}`);
  const reflogs = (await exists(join(gitDir, 'reftable'))) ? ['--reflog'] : [];
  const ask = (from: readonly string[], ids: readonly string[], without: readonly string[]) =>
    revList(gitDir, [...from, '--all'], [...ids, ...also], less, [...came, ...without]);
  const all = await ask(reflogs, logs.own, []);
  if (all.length === 0) return undefined;
  // Tags come along with a clone, and may be on no branch of the remote.
  const tags = remotes.length > 0 ? await tagsBeforeClone(gitDir) : [];
  const found = tags.length === 0 ? all : await ask(reflogs, logs.own, tags);
  if (found.length === 0) return undefined;
  const held = await ask([], [], tags);
  return { count: found.length, named: found.slice(0, MOST_NAMED), onlyLogged: held.length === 0 };
}

/** A remote's name in a pattern of `--remotes`, to be taken by the letter. */
const glob = (name: string) => name.replace(/[*?[\\]/g, '\\$&');

async function revList(
  gitDir: string,
  from: readonly string[],
  ids: readonly string[],
  less: readonly string[],
  came: readonly string[],
): Promise<string[]> {
  const args = ['rev-list', '--ignore-missing', '--oneline', `--max-count=${MOST_COUNTED + 1}`];
  const not = less.length > 0 ? ['--not', ...less] : [];
  const { stdout } = await git(gitDir, [...args, '--stdin', ...from, ...not], {
    env: pointedAt(gitDir),
    stdin: [...ids, ...came.map((id) => `^${id}`)].map((line) => `${line}\n`).join(''),
  });
  return stdout.toString('utf8').split('\n').filter(Boolean);
}

/**
 * The ids in a repository's reflogs: where remotes stood is what came from them or was pushed to them, be it taken back there
 * since; all else is its own.
 */
async function loggedIds(
  gitDir: string,
  remotes: readonly string[],
): Promise<{ own: string[]; came: string[] }> {
  const linked = await namesIn(join(gitDir, 'worktrees'));
  const dirs = [gitDir, ...linked.map((name) => join(gitDir, 'worktrees', name))];
  const found = { own: new Set<string>(), came: new Set<string>() };
  const elsewhere = remotes.map((name) => join(gitDir, 'logs/refs/remotes', name, '/'));
  for (const logs of dirs.map((dir) => join(dir, 'logs'))) {
    for (const name of await readdir(logs, { recursive: true, withFileTypes: true }).catch(
      orWhenAbsent([]),
    )) {
      if (!name.isFile()) continue;
      const file = join(name.parentPath, name.name);
      const into = elsewhere.some((dir) => file.startsWith(dir)) ? found.came : found.own;
      for (const line of (await readFile(file, 'latin1')).split('\n')) {
        for (const id of line.split(' ', 2)) if (isId(id) && !/^0+$/.test(id)) into.add(id);
      }
    }
  }
  return { own: [...found.own], came: [...found.came] };
}

/** The names of its remotes, but for those that lie in what goes. */
async function remotesElsewhere(gitDir: string, leaving: readonly string[]): Promise<string[]> {
  const asking = ['config', '--null', '--get-regexp', '^remote\\..*\\.url$'];
  const { stdout } = await git(gitDir, asking, { ok: [0, 1], env: pointedAt(gitDir) });
  const names = fields(stdout).flatMap((field) => {
    const text = field.toString('utf8');
    const end = text.indexOf('\n');
    const name = text.slice('remote.'.length, (end === -1 ? text.length : end) - '.url'.length);
    return [{ name, url: end === -1 ? '' : text.slice(end + 1) }];
  });
  const gone = await Promise.all(names.map(({ url }) => isNowhere(url, gitDir, leaving)));
  return [...new Set(names.filter((_, n) => !gone[n]).map(({ name }) => name))];
}

/** True for a place that goes too, or where nothing is: a remote of this machine that was deleted has nothing any more. */
async function isNowhere(url: string, gitDir: string, leaving: readonly string[]): Promise<boolean> {
  const at = placeOf(url, gitDir);
  return at !== undefined && (goesToo(url, gitDir, leaving) || !(await exists(at)));
}

/** Where a URL of this machine leads; `undefined` for another's. */
function placeOf(url: string, gitDir: string): string | undefined {
  const path = url.startsWith('file://') ? decodeURI(url.slice('file://'.length)) : url;
  if (!url.startsWith('file://') && (/^[\w+.-]+:\/\//.test(url) || /^[^/]+:/.test(url))) return undefined;
  return isAbsolute(path) ? resolve(path) : resolve(topOf(gitDir), path);
}

const topOf = (gitDir: string) => (basename(gitDir) === '.git' ? dirname(gitDir) : gitDir);

/** True for a place that is the repository itself or lies in what goes. (The worktree that goes is none: its repository stays.) */
function goesToo(url: string, gitDir: string, leaving: readonly string[]): boolean {
  const at = placeOf(url, gitDir);
  if (at === undefined) return false;
  return at === topOf(gitDir) || at === gitDir || leaving.some((one) => at !== one && isInside(at, one));
}

/** What the last fetch brought (`<id>\t[not-for-merge]\t<what> of <url>`). */
async function fetched(gitDir: string, leaving: readonly string[]): Promise<string[]> {
  const text = await readFile(join(gitDir, 'FETCH_HEAD'), 'utf8').catch(orWhenAbsent(''));
  return text.split('\n').flatMap((line) => {
    const [id = '', , what = ''] = line.split('\t');
    const url = /(?:^| of )(\S+)$/.exec(what)?.[1] ?? '.';
    return isId(id) && !goesToo(url, gitDir, leaving) ? [id] : [];
  });
}

const isId = (text: string) => fullName.test(text);

async function idsIn(file: string): Promise<string[]> {
  return (await readFile(file, 'latin1').catch(orWhenAbsent(''))).split('\n').filter(isId);
}

/**
 * The tags whose commits were made before this repository was cloned, by the clock that made both: these came with it. A tag made
 * here is on an older commit only where something else has that commit too.
 */
async function tagsBeforeClone(gitDir: string): Promise<string[]> {
  const log = await readFile(join(gitDir, 'logs/HEAD'), 'utf8').catch(orWhenAbsent(''));
  const cloned = /^[0-9a-f]+ [0-9a-f]+ .*> (\d+) [+-]\d{4}\tclone: from /.exec(log)?.[1];
  if (cloned === undefined) return [];
  const format = '--format=%(objectname) %(committerdate:unix)%(*committerdate:unix)';
  const text = await gitLine(gitDir, ['for-each-ref', format, 'refs/tags/'], {
    env: pointedAt(gitDir),
  });
  return text.split('\n').flatMap((line) => {
    const [id = '', date = ''] = line.split(' ');
    return date !== '' && Number(date) < Number(cloned) ? [id] : [];
  });
}
