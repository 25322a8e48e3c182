import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../call/context.ts';
import { namesIn } from '../files/files.ts';
import { knownSessions, programFolders } from '../sessions/list.ts';
import { knownProjects, projectsDir } from './known-projects.ts';

/** How long what happens is gathered before it is told, and how long it then is before more is. Milliseconds. */
const GATHER_MS = 200;
const REST_MS = 800;

/** How often everything is looked at whether or not the system told of a change: network drives tell of none. Milliseconds. */
const SLOW_MS = 10_000;

/** The most folders that are watched, and sessions whose folders are. */
const MOST_FOLDERS = 2_000;
const MOST_SESSIONS = 200;

/** Files of a git directory that say something of the fleet; others, such as locks, come and go. */
const tells = /^(?:HEAD|index|COMMIT_EDITMSG|MERGE_HEAD|locked|worktrees|discern-[a-z]+(?:\.json)?)$/;

/** A folder to watch; of a git directory only what {@link tells}. */
type Folders = Map<string, 'git' | 'whole'>;

/**
 * Calls `changed` when something changes that the fleet is made from: a session's record, a phase, to-dos, a run, a commit, a worktree that
 * comes or goes. One watcher for all of them. Returns what ends it. Whoever is told reads the fleet anew; what changed is not said.
 */
export function watchFleet(ctx: Pick<Context, 'projects' | 'serves'>, changed: () => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let dirty = false;
  let seen: string | undefined;

  const tell = () => {
    dirty = true;
    if (ended || timer !== undefined) return;
    timer = setTimeout(() => {
      dirty = false;
      changed();
      // New folders may have come with it.
      renew(false).catch(() => undefined);
      timer = setTimeout(() => {
        timer = undefined;
        if (dirty) tell();
      }, REST_MS).unref();
    }, GATHER_MS).unref();
  };
  // A look that fails, such as at a folder that goes meanwhile, is followed by the next slow one.
  const renew = async (tells: boolean) => {
    const { folders, print } = await lookAround(ctx);
    if (ended) return;
    for (const [folder, kind] of folders) if (!watchers.has(folder)) follow(folder, kind);
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    if (tells && seen !== undefined && print !== seen) tell();
    seen = print;
  };
  // A folder that goes takes its watcher along, and the next look follows what is there instead. The system tells of that under the
  // folder's own name, as it does of a file in it that is called the same.
  const forget = (folder: string, watcher: FSWatcher) => {
    watcher.close();
    if (watchers.get(folder) === watcher) watchers.delete(folder);
  };
  const follow = (folder: string, kind: 'git' | 'whole') => {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        const itself = name === basename(folder);
        if (itself) forget(folder, watcher);
        if (itself || kind === 'whole' || name === null || tells.test(name)) tell();
      });
      watcher.on('error', () => forget(folder, watcher));
      watchers.set(folder, watcher);
    } catch {
      // Not on every file system, and not beyond the system's number of watchers: the slow look stands in.
    }
  };

  const slow = setInterval(() => renew(true).catch(() => undefined), SLOW_MS).unref();
  renew(false).catch(() => undefined);
  return () => {
    ended = true;
    clearInterval(slow);
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
  };
}

/** Which folders hold what the fleet is made from, and a print of it that is another one when something has changed. */
async function lookAround(
  ctx: Pick<Context, 'projects' | 'serves'>,
): Promise<{ folders: Folders; print: string }> {
  const { env } = process;
  const [{ known }, { projects }] = await Promise.all([knownSessions(env), knownProjects('', ctx)]);
  const folders: Folders = new Map();
  const hash = createHash('sha256');
  const state = ctx.serves === undefined ? projectsDir(env) : undefined;
  if (state !== undefined) folders.set(state, 'whole');
  for (const { file, size, changed } of known.slice(0, MOST_SESSIONS)) {
    folders.set(dirname(file), 'whole');
    folders.set(dirname(dirname(file)), 'whole');
    hash.update(`${file} ${size} ${changed}\0`);
  }
  for (const folder of programFolders(env)) folders.set(folder, 'whole');
  for (const { commonDir } of projects) {
    const admin = join(commonDir, 'worktrees');
    const dirs = [commonDir, ...(await namesIn(admin)).map((name) => join(admin, name))];
    folders.set(admin, 'whole');
    folders.set(join(commonDir, 'discern-vscode'), 'git');
    for (const dir of dirs) {
      folders.set(dir, 'git');
      const files = (await namesIn(dir)).filter((name) => tells.test(name)).sort();
      for (const name of files) {
        const found = await stat(join(dir, name)).catch(() => undefined);
        hash.update(`${dir} ${name} ${found?.mtimeMs} ${found?.size}\0`);
      }
    }
  }
  return { folders: new Map([...folders].slice(0, MOST_FOLDERS)), print: hash.digest('hex') };
}
