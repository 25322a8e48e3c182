import { createHash } from 'node:crypto';
import { mkdir, readdir, realpath, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Context } from '../call/context.ts';
import { objectIn, readTail } from '../callers/record-file.ts';
import { orWhenAbsent, writeFileAtomic } from '../files/files.ts';
import { anchorOf } from '../repository/anchor.ts';
import { stateDir } from '../user/state-dir.ts';

/** A project by what stays the same while its checkouts come and go. */
export interface KnownProject {
  /** The project root in its repository's own checkout, as far as is known without asking git. */
  root: string;
  /** The repository's git directory, free of links. */
  commonDir: string;
  /** The project's directory below the git top, with `/`; empty when they are the same. */
  prefix: string;
}

/** How many projects are remembered; the one that was longest not met goes first. */
const MOST_PROJECTS = 200;
const MOST_BYTES = 16 * 1024;

/** How long a record says that its project was met, before that is written down anew. Milliseconds. */
const FRESH_MS = 24 * 60 * 60 * 1000;

const ours = /^[0-9a-f]{32}\.json$/;

/** Where the records lie, one private file a project; nothing where this user has no home. */
export function projectsDir(env: NodeJS.ProcessEnv): string | undefined {
  const state = stateDir(env);
  return state && join(state, 'projects');
}

const fileOf = ({ commonDir, prefix }: KnownProject): string =>
  `${createHash('sha256').update(`${commonDir}\0${prefix}`).digest('hex').slice(0, 32)}.json`;

/** The project a root belongs to; `undefined` where it lies in no repository. */
export async function projectAt(root: string): Promise<KnownProject | undefined> {
  const anchor = await anchorOf(root);
  if (anchor === undefined) return undefined;
  const { prefix } = anchor;
  const commonDir = await realpath(anchor.commonDir);
  const home = basename(commonDir) === '.git' ? join(dirname(commonDir), prefix) : root;
  return { root: home, commonDir, prefix };
}

/** The roots this process has written down already. */
const met = new Set<string>();

/**
 * Writes down that a project was met, for `fleet` and `projects`. It is no part of the verb that met it: where the user's state
 * folder cannot be written, that project is found by its path alone.
 */
export async function meetProject(env: NodeJS.ProcessEnv, root: string): Promise<void> {
  const dir = projectsDir(env);
  if (dir === undefined || met.has(`${dir}\0${root}`)) return;
  met.add(`${dir}\0${root}`);
  try {
    const project = await projectAt(root);
    if (project) await remember(dir, project);
  } catch {
    // Said above: the verb goes on.
  }
}

async function remember(dir: string, project: KnownProject): Promise<void> {
  const path = join(dir, fileOf(project));
  const known = await stat(path).catch(orWhenAbsent(undefined));
  const now = new Date();
  if (known && now.getTime() - known.mtimeMs < FRESH_MS) return;
  if (known) return utimes(path, now, now);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeFileAtomic(path, `${JSON.stringify({ version: 1, ...project })}\n`);
  const records = await dated(dir);
  await Promise.all(records.slice(MOST_PROJECTS).map(({ path: old }) => rm(old, { force: true })));
}

/** The records in a folder, the last met first. */
async function dated(dir: string): Promise<{ path: string; at: number }[]> {
  const names = (await readdir(dir).catch(orWhenAbsent<string[]>([]))).filter((name) => ours.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(dir, name);
      const stats = await stat(path).catch(orWhenAbsent(undefined));
      return stats ? [{ path, at: stats.mtimeMs }] : [];
    }),
  );
  return found.flat().sort((a, b) => b.at - a.at);
}

async function readKnown({ path }: { path: string }): Promise<KnownProject | undefined> {
  const read = await readTail(path, MOST_BYTES);
  const record = read?.whole ? objectIn(read.text) : undefined;
  const { version, root, commonDir, prefix } = record ?? {};
  const isPlace = (value: unknown): value is string =>
    typeof value === 'string' && isAbsolute(value) && !value.includes('\0');
  if (version !== 1 || !isPlace(root) || !isPlace(commonDir) || typeof prefix !== 'string') return undefined;
  // Below its git top, and nowhere else.
  if (isAbsolute(prefix) || prefix.split('/').includes('..')) return undefined;
  const project = { root, commonDir, prefix };
  return basename(path) === fileOf(project) ? project : undefined;
}

/**
 * The projects a call may be about, each once: that of `root` first, where one is given, then those this user's servers and command
 * lines have met, the last met first. A caller from elsewhere hears only of those it is served.
 */
export async function knownProjects(
  root: string,
  ctx: Pick<Context, 'projects' | 'serves'>,
): Promise<{ projects: KnownProject[]; lost: string[] }> {
  const served = await ctx.projects?.();
  const named = [...(root === '' ? [] : [root]), ...(served?.roots ?? [])];
  const first = await Promise.all(named.map(projectAt));
  const dir = ctx.serves === undefined ? projectsDir(process.env) : undefined;
  const others = dir === undefined ? [] : await Promise.all((await dated(dir)).map(readKnown));
  const projects = new Map<string, KnownProject>();
  for (const one of [...first, ...others]) {
    if (one && !projects.has(fileOf(one))) projects.set(fileOf(one), one);
  }
  return { projects: [...projects.values()], lost: served?.lost ?? [] };
}
