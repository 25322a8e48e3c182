import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { beginsAtDirectory, traits } from '../contract/traits.ts';
import type { Verb } from '../contract/verbs.ts';
import { Refusal } from '../engine/call/refusal.ts';
import { findRoot } from '../engine/repository/root.ts';
import { loadEngine } from './engine.ts';
import type { HeldRoot } from './held-root.ts';
import { MOST_CONVERSATIONS } from './state-store.ts';

interface Asked {
  path: string | undefined;
  held: HeldRoot;
  /** The directory the server was started in. */
  cwd: string | undefined;
}

/**
 * The root of one call (contract §3): that of `path`, else the held root; never anything else in silence. A verb that needs no
 * project begins at a directory instead, and some also at one that is not there.
 */
export async function callRoot(verb: Verb, { path, held, cwd }: Asked): Promise<string> {
  if (path !== undefined) return namedRoot(verb, path);
  if (!beginsAtDirectory(verb)) return heldRoot(held, cwd);
  if (traits[verb].begins !== 'anywhere') return directory(held);
  if (held.root !== null) return held.root;
  return directory(held).catch(() => homedir());
}

/** The root a verb about known projects begins to look at: that of `path`, else a held root that is there, else none. */
export async function rootToSeekFrom(
  verb: Verb,
  path: string | undefined,
  held: HeldRoot,
): Promise<string | undefined> {
  if (path !== undefined) return namedRoot(verb, path);
  return held.root === null || (await held.missing()) ? undefined : held.root;
}

/** The root of a call that names a `path`. */
export async function namedRoot(verb: Verb, path: string): Promise<string> {
  if (!beginsAtDirectory(verb)) return pathRoot(path);
  if (traits[verb].begins === 'anywhere' && isAbsolute(path)) return path;
  const { directoryAt } = await loadEngine();
  return directoryAt(path);
}

async function pathRoot(path: string): Promise<string> {
  if (!isAbsolute(path)) {
    throw new Refusal(
      'invalid_argument',
      `path "${path}" is relative, and this server's directory is not yours: name it from / on.`,
    );
  }
  return findRoot(path);
}

/** The held root; refuses `not_initialized` where there is none, and `root_missing` where it is gone. */
export async function heldRoot(held: HeldRoot, cwd: string | undefined): Promise<string> {
  const { root } = held;
  if (root === null && held.forgotten) throw await rootForgotten(held, cwd);
  if (root === null) {
    throw new Refusal(
      'not_initialized',
      `This server found no project (looked from ${held.tried}): call init to make one there, pass an absolute path, or start the server with --root.`,
      { data: { ...(cwd !== undefined && { root: cwd }) } },
    );
  }
  if (await held.missing()) throw await rootMissing(root, held);
  return findRoot(root);
}

async function rootForgotten(held: HeldRoot, cwd: string | undefined): Promise<Refusal> {
  const home = await held.home();
  const from = home ?? 'the project';
  return new Refusal(
    'root_missing',
    `What this conversation held is forgotten: the roots of the ${MOST_CONVERSATIONS} conversations that called last are kept, and what the window holds may be another's. Pass path, the checkout you work in, with each call (discern_status with path "${from}" lists them), or call discern_start with path "${from}" for a new worktree, which is held again.`,
    { data: { ...(cwd !== undefined && { root: home ?? cwd }) } },
  );
}

/** What the held root's worktree goes by, where its directory is put away. */
async function parkedHere(held: HeldRoot): Promise<string | undefined> {
  const place = await held.repository();
  if (place?.top === undefined) return undefined;
  return (await (await loadEngine()).parkedByPath(place.commonDir)).get(place.top)?.id;
}

/** What the held root's work landed as, where the queue landed it and so removed its worktree. */
async function landedHere(held: HeldRoot): Promise<string | undefined> {
  const place = await held.repository();
  if (place?.top === undefined) return undefined;
  return (await loadEngine()).landedThroughQueue(place.commonDir, place.top);
}

async function rootMissing(root: string, held: HeldRoot): Promise<Refusal> {
  const home = await held.home();
  const parked = await parkedHere(held);
  const landed = parked === undefined ? await landedHere(held) : undefined;
  const gone = landed === undefined ? 'gone: someone removed it.' : `gone: its work landed as ${landed}.`;
  return new Refusal(
    'root_missing',
    `The held root ${root} is ${parked === undefined ? gone : `parked: call discern_unpark with worktree "${parked}" to have it back.`} ${
      home === undefined
        ? 'No other checkout of its project is left: pass the path of another project.'
        : `Pass path "${home}" (the landing checkout) to go on there, and discern_start with that path to re-aim this server.`
    }`,
    { data: { root } },
  );
}

/**
 * The directory a verb begins at that needs no project and was told no `path`: the held root, else where a project was looked
 * for: the first directory that is there and lies in a git work tree, else the first that is there.
 */
async function directory(held: HeldRoot): Promise<string> {
  const { directoryAt, isInGit } = await loadEngine();
  if (held.root === null && held.forgotten) throw await rootForgotten(held, undefined);
  if (held.root !== null) {
    if (await held.missing()) throw await rootMissing(held.root, held);
    return held.root;
  }
  const there: string[] = [];
  for (const one of held.looked) {
    const found = await directoryAt(one).catch(() => undefined);
    if (found !== undefined && (await isInGit(found))) return found;
    if (found !== undefined) there.push(found);
  }
  const [first] = there;
  if (first !== undefined) return first;
  throw new Refusal(
    'path_required',
    `This server was started nowhere that is still there (looked from ${held.tried}): pass an absolute path.`,
  );
}
