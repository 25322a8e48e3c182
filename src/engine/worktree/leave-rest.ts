import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { errnoOf } from '../files/errno.ts';
import { exists, namesIn, stateDir } from '../files/files.ts';
import { fields, git, pathText } from '../git/core.ts';
import { madeOwnDir } from '../state/own-dir.ts';
import { withPrivateIndex } from '../state/private-index.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { inodeOf, removeNamedTree, removeOwnFile } from '../state/remove.ts';

/*
 * A worktree whose start failed holds what git and discern put there, what the setup commands made, and perhaps what someone
 * wrote meanwhile. The last two cannot be told apart, so of both nothing is deleted, what git ignores included.
 */

/** A worktree that is taken back. */
export interface Taken {
  path: string;
  /** Its inode since the start made it. */
  ino: string;
  branch: string;
  /** The commit it was made at. */
  commit: string;
  /** Digests of the files the start wrote beside git, by their absolute path. */
  wrote: ReadonlyMap<string, string>;
  /** Stamps of the ignored files that the start brought along, by their absolute path: copies, as long as they are as they came. */
  brought: ReadonlyMap<string, string>;
}

/** What changes with any change to a file or link, other than being moved with its directory. */
export const stampOf = async (path: string): Promise<string | undefined> => {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.mode}`;
};

/** What is kept of worktrees that were taken back, and may go after {@link KEEP_MS}. */
const KeptRecord = z.object({
  version: z.literal(1),
  id: z.string().regex(/^[\w-]+$/),
  since: z.number(),
  inos: z.array(z.string()),
});

const kind: Kind<z.infer<typeof KeptRecord>> = { name: 'kept', schema: KeptRecord };

/** How long what was kept stays, in milliseconds: thirty days. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

const keptDir = (commonDir: string) => join(stateDir(commonDir), 'kept');
const recordPath = (commonDir: string, id: string) => join(keptDir(commonDir), `${id}.json`);

/** SHA-256 of a file's bytes; `undefined` where there is none. */
export const digestOf = async (path: string): Promise<string | undefined> => {
  const found = await lstat(path).catch(() => undefined);
  const bytes = found?.isFile() ? await readFile(path).catch(() => undefined) : undefined;
  return bytes && createHash('sha256').update(bytes).digest('hex');
};

/** What was kept: these paths in `dir`, or, where it could not be told what is whose, all of it. */
export interface Rest {
  dir: string;
  paths: string[];
  /** Why it could not be told. */
  whole?: string;
}

/** How long comparing may take, in milliseconds: a filter of the repository's takes part, and may hang. */
const COMPARING_MS = 30_000;

/**
 * Takes a worktree's directory away: what git and discern put there is deleted, and whatever else is found is moved to our own
 * directory, or, where that is on another disk, stays. `forget` unregisters the worktree once its directory is away. Resolves
 * with what was kept.
 */
export async function takeAway(
  commonDir: string,
  taken: Taken,
  forget: () => Promise<void>,
): Promise<Rest | undefined> {
  const { path, ino } = taken;
  const now = await inodeOf(path);
  if (now === undefined) {
    await forget();
    return undefined;
  }
  if (now !== ino) throw new Error(`${path} is another directory than the one that was made`);
  const id = `${basename(path).replace(/[^\w-]+/g, '-')}-${randomBytes(2).toString('hex')}`;
  const since = Date.now();
  await writeRecordFile(commonDir, recordPath(commonDir, id), kind, { version: 1, id, since, inos: [ino] });
  const away = await moveAway(commonDir, path, id);
  const found = await restOf(commonDir, away.at, taken).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  await forget();
  if (found instanceof Error) return { dir: away.at, paths: [], whole: found.message };
  const paths: string[] = [];
  for (const one of found) {
    const to = join(away.rest, one);
    await mkdir(dirname(to), { recursive: true });
    await rename(join(away.at, one), to);
    paths.push(one);
  }
  const kept = paths.length > 0 ? await inodeOf(away.rest) : undefined;
  if (kept !== undefined) {
    const inos = [ino, kept];
    await writeRecordFile(commonDir, recordPath(commonDir, id), kind, { version: 1, id, since, inos });
  }
  const left = await removeNamedTree({ path: away.at, within: dirname(away.at), ino });
  if (left !== undefined) throw new Error(`${away.at} ${left}`);
  if (paths.length === 0) {
    await removeOwnFile(recordPath(commonDir, id));
    return undefined;
  }
  return { dir: away.rest, paths };
}

/** Renames a directory to where nobody reaches it by its name; `rest` is where what is kept of it goes. */
async function moveAway(commonDir: string, path: string, id: string): Promise<{ at: string; rest: string }> {
  const kept = keptDir(commonDir);
  await madeOwnDir(kept);
  const at = join(kept, `${id}.whole`);
  try {
    await rename(path, at);
    return { at, rest: join(kept, id) };
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    const beside = join(dirname(path), `.${basename(path)}.taken-${id.slice(-4)}`);
    await rename(path, beside);
    return { at: beside, rest: path };
  }
}

/** What lies in a directory that was a worktree and is neither of its commit nor what its start wrote. */
async function restOf(
  commonDir: string,
  at: string,
  { path, branch, commit, wrote, brought }: Taken,
): Promise<string[]> {
  return withPrivateIndex(stateDir(commonDir), 'taken', async (index) => {
    // A repository that git would find above this directory is not asked.
    const env = { ...index, GIT_DIR: commonDir, GIT_WORK_TREE: at };
    const signal = AbortSignal.timeout(COMPARING_MS);
    const settings = ['-c', 'core.bare=false', '-c', 'core.fileMode=true', '-c', 'core.untrackedCache=false'];
    const ask = async (...args: string[]) =>
      fields((await git(at, [...settings, ...args], { env, ok: [0, 1], signal })).stdout).map(pathText);
    const [tip = ''] = await ask('rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`);
    await ask('read-tree', tip.trim() || commit);
    await ask('update-index', '-q', '--refresh');
    const edited = await ask('diff-files', '--name-only', '--diff-filter=d', '--ignore-submodules=all', '-z');
    const others = await ask(
      'ls-files',
      '--others',
      '--exclude-standard',
      '--directory',
      '--no-empty-directory',
      '-z',
    );
    const ignored = await ask(
      'ls-files',
      '--others',
      '--ignored',
      '--exclude-standard',
      '--directory',
      '--no-empty-directory',
      '-z',
    );
    const own = [...wrote.keys(), ...brought.keys()].map((file) => relative(path, file));
    const rest: string[] = [];
    for (const one of new Set([...edited, ...others, ...ignored].map((name) => name.replace(/\/$/, '')))) {
      if (one === '.git' || !(await exists(join(at, one)))) continue;
      // A directory that a file of ours lies in goes file by file.
      const parts = own.some((file) => file.startsWith(`${one}/`)) ? await filesBelow(at, one) : [one];
      for (const part of parts) {
        const stamp = brought.get(join(path, part));
        if (stamp !== undefined && stamp === (await stampOf(join(at, part)))) continue;
        const mine = wrote.get(join(path, part));
        if (mine === undefined || mine !== (await digestOf(join(at, part)))) rest.push(part);
      }
    }
    return rest;
  });
}

/** The files below a directory, as paths from `at`. */
async function filesBelow(at: string, directory: string): Promise<string[]> {
  const entries = await readdir(join(at, directory), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(at, join(entry.parentPath, entry.name)));
}

/** What was kept longer than it need be, each with what removes it. */
export async function outdatedRests(
  commonDir: string,
): Promise<{ path: string; remove: () => Promise<void> }[]> {
  const dir = keptDir(commonDir);
  const found: { path: string; remove: () => Promise<void> }[] = [];
  for (const name of await namesIn(dir)) {
    if (!name.endsWith('.json')) continue;
    const record = await readRecordFile(commonDir, join(dir, name), kind);
    if (!record || 'distrust' in record || name !== `${record.value.id}.json`) continue;
    const { id, since, inos } = record.value;
    if (Date.now() - since < KEEP_MS) continue;
    found.push({
      path: join(dir, id),
      async remove() {
        // Each by its own inode: that of the other may be anybody's by now, once the other is gone.
        const [whole, rest] = inos;
        for (const [path, ino] of [
          [join(dir, `${id}.whole`), whole],
          [join(dir, id), rest],
        ] as const) {
          if (ino !== undefined && (await inodeOf(path)) === ino)
            await removeNamedTree({ path, within: dir, ino });
        }
        await removeOwnFile(join(dir, name));
      },
    });
  }
  return found;
}
