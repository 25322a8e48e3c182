import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RootCandidate } from '../contract/data.ts';
import { messageOf } from '../contract/values.ts';

/** A way to a root, and the directories it offers. */
interface Source {
  mechanism: string;
  offers: () => Promise<string[]> | string[];
}

export interface SpawnRootOptions {
  flag?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** Absent when the process's directory was removed. */
  cwd: string | undefined;
  /** Look only at what names a project outright: not at the client's roots nor at `cwd`. */
  namedOnly?: boolean;
  /** Resolves a directory to its project root, or rejects with a sentence. */
  findRoot: (directory: string) => Promise<string>;
}

export interface SpawnRoot {
  root: string | null;
  mechanism: string | null;
  candidates: RootCandidate[];
  /** What was named outright and is no project, or stands elsewhere than what was chosen, in sentences. */
  passedOver?: string[];
}

/**
 * Hosts write one folder, or several joined by the platform's path delimiter or by commas. A folder's own name may hold
 * either, so only one that an absolute path follows parts two folders.
 */
const between = (platform: NodeJS.Platform) =>
  platform === 'win32' ? /[;,](?=\s*(?:[A-Za-z]:[\\/]|\\\\))/ : /[:,](?=\s*\/)/;

export function folders(value: string | undefined, platform: NodeJS.Platform = process.platform): string[] {
  return (value ?? '')
    .split(between(platform))
    .map((part) => part.trim())
    .filter(Boolean);
}

function sources(options: SpawnRootOptions, askRoots: (() => Promise<string[]>) | undefined): Source[] {
  const { flag, env, cwd, namedOnly } = options;
  // A relative one is meant from where the server was launched: `discern mcp --root .`
  const one = (value: string | undefined) => (value ? [cwd === undefined ? value : resolve(cwd, value)] : []);
  const named: Source[] = [
    { mechanism: '--root', offers: () => one(flag) },
    { mechanism: 'DISCERN_ROOT', offers: () => one(env.DISCERN_ROOT) },
    { mechanism: 'WORKSPACE_FOLDER_PATHS', offers: () => folders(env.WORKSPACE_FOLDER_PATHS) },
    { mechanism: 'CLAUDE_PROJECT_DIR', offers: () => one(env.CLAUDE_PROJECT_DIR) },
  ];
  if (namedOnly) return named;
  return [
    ...named,
    // Deprecated by SEP-2577: a transitional path, asked only when everything before it failed.
    { mechanism: 'roots/list', offers: () => askRoots?.() ?? [] },
    { mechanism: 'cwd', offers: () => (cwd === undefined ? [] : [cwd]) },
  ];
}

/**
 * Finds the spawn root: the first candidate, in the contract's order (§3), that resolves to a project. Each one tried is
 * remembered with its outcome. None is no error: the server starts, and its calls answer `not_initialized`.
 */
export async function findSpawnRoot(
  options: SpawnRootOptions,
  askRoots?: () => Promise<string[]>,
): Promise<SpawnRoot> {
  const candidates: RootCandidate[] = [];
  for (const { mechanism, offers } of sources(options, askRoots)) {
    let offered: string[];
    try {
      offered = await offers();
    } catch (error) {
      candidates.push({ mechanism, outcome: `could not be asked: ${messageOf(error)}` });
      continue;
    }
    if (offered.length === 0) candidates.push({ mechanism, outcome: 'not given' });
    for (const value of offered) {
      try {
        const root = await options.findRoot(value);
        candidates.push({ mechanism, value, outcome: 'chosen' });
        const passedOver = [
          ...overlooked(candidates, root, mechanism),
          ...(await elsewhere(options, mechanism, root)),
        ];
        return { root, mechanism, candidates, passedOver };
      } catch (error) {
        candidates.push({ mechanism, value, outcome: messageOf(error) });
      }
    }
  }
  return { root: null, mechanism: null, candidates };
}

/** A candidate that was named outright and is no project is told, whatever took its place (contract §3). */
function overlooked(candidates: readonly RootCandidate[], root: string, mechanism: string): string[] {
  return candidates.flatMap(({ mechanism: by, value, outcome }) => {
    if (value === undefined || outcome === 'chosen' || by === 'roots/list' || by === 'cwd') return [];
    const why = /\$\{[^}]*\}/.test(value) ? 'holds a variable that the client did not fill in' : outcome;
    return [
      `${by} names ${value}, which is not a project (${why.replace(/[.:]$/, '')}); this server took ${root} (${mechanism}) instead.`,
    ];
  });
}

/** Claude Code's directory of the project stays where it was launched; a server started elsewhere is told apart from it. */
async function elsewhere(
  { cwd, findRoot }: SpawnRootOptions,
  mechanism: string,
  root: string,
): Promise<string[]> {
  if (mechanism !== 'CLAUDE_PROJECT_DIR' || cwd === undefined) return [];
  const here = await findRoot(cwd).catch(() => undefined);
  return here === undefined || here === root
    ? []
    : [`CLAUDE_PROJECT_DIR names ${root}, while this server was started in ${here}: it took the former.`];
}

/** The directories of MCP roots. A URI that names nothing on this disk stays as it is, to be remembered as tried. */
export function rootDirectories(roots: readonly { uri: string }[]): string[] {
  return roots.map(({ uri }) => {
    try {
      return fileURLToPath(uri);
    } catch {
      return uri;
    }
  });
}
