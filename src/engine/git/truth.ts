import { chmod, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isLooking } from '../call/looking.ts';
import { exists, stateDir } from '../files/files.ts';
import { madeOwnDir } from '../state/own-dir.ts';
import { commonDirOf, gitDirOf } from './git-dir.ts';

/**
 * Settings under which a checkout is compared with a commit, whatever the repository's or the user's say: each of them could
 * make another tree look like the commit (git-config(1), "core"). They are git's own defaults, but for what a file system cannot
 * do.
 */
const always = [
  'core.checkStat=default',
  'core.trustctime=true',
  'core.untrackedCache=false',
  'core.attributesFile=/dev/null',
  'diff.ignoreSubmodules=none',
];

/** Variables to the same end: replaced objects and grafts tell of another history than the objects do. */
export const truthEnv: Readonly<Record<string, string>> = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  // As core.attributesFile above: only a commit's own attributes are anybody's but the user's.
  GIT_ATTR_NOSYSTEM: '1',
};

/** What a file system keeps of files and names. */
export interface Abilities {
  /** Whether a file can be run. */
  modes: boolean;
  symlinks: boolean;
  /** Names that differ by case alone. */
  cases: boolean;
}

const byDevice = new Map<number, Promise<Abilities | undefined>>();

/**
 * {@link always}, and what the file system of `cwd` can do: modes and symlinks are compared where it keeps them, and names by
 * case where it tells them apart.
 */
export async function truthSettings(cwd: string): Promise<readonly string[]> {
  const can = await abilitiesOf(cwd);
  if (!can || process.platform === 'win32') return asArguments(always);
  return asArguments([
    ...always,
    ...(can.modes ? ['core.fileMode=true'] : []),
    ...(can.symlinks ? ['core.symlinks=true'] : []),
    ...(can.cases ? ['core.ignoreCase=false'] : []),
  ]);
}

const asArguments = (settings: readonly string[]) => settings.flatMap((setting) => ['-c', setting]);

/**
 * What the file system of `cwd` can do, asked once of each with files of our own: whatever else lies there anybody may have
 * changed. `undefined` where no git directory is found.
 */
export async function abilitiesOf(cwd: string): Promise<Abilities | undefined> {
  const device = await deviceOf(cwd);
  if (device === undefined) return undefined;
  const known = await byDevice.get(device);
  if (known) return known;
  const asking = askFileSystem(cwd, device);
  byDevice.set(device, asking);
  return asking;
}

const deviceOf = (path: string) =>
  stat(path).then(
    ({ dev }) => dev,
    () => undefined,
  );

async function askFileSystem(cwd: string, device: number): Promise<Abilities | undefined> {
  const place = await placeAbove(cwd);
  if (!place) return undefined;
  if (process.platform === 'win32') return { modes: false, symlinks: false, cases: false };
  if (!isLooking()) {
    const state = stateDir((await commonDirOf(place.gitDir)) ?? place.gitDir);
    for (const [dir, ours] of [
      [state, true],
      [place.top, false],
    ] as const) {
      if ((await deviceOf(ours ? dirname(state) : dir)) !== device) continue;
      const found = await (ours ? madeOwnDir(dir) : Promise.resolve())
        .then(() => probe(dir))
        .catch(() => undefined);
      if (found) return found;
    }
  }
  return judgeByFiles(place.gitDir);
}

/** Makes a directory with files in it, asks what became of them, and removes it again. */
async function probe(dir: string): Promise<Abilities> {
  const own = await mkdtemp(join(dir, '.discern-probe-'));
  try {
    const file = join(own, 'a');
    await writeFile(file, '');
    const runs = async (mode: number) => {
      await chmod(file, mode);
      return ((await stat(file)).mode & 0o100) !== 0;
    };
    return {
      modes: (await runs(0o700)) && !(await runs(0o600)),
      symlinks: await symlink('a', join(own, 'link')).then(
        () => true,
        () => false,
      ),
      cases: !(await exists(join(own, 'A'))),
    };
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** Where nothing may be written: git writes no file of its own so that it can be run, and names `HEAD` in capitals. */
async function judgeByFiles(gitDir: string): Promise<Abilities | undefined> {
  const files = await Promise.all(
    ['HEAD', 'config', 'index', 'packed-refs', 'description', 'commondir', 'gitdir', 'logs/HEAD'].map(
      (name) => stat(join(gitDir, name)).catch(() => undefined),
    ),
  );
  const modes = files.some((file) => file?.isFile() === true && (file.mode & 0o111) === 0);
  const [head] = files;
  const lower = await stat(join(gitDir, 'head')).catch(() => undefined);
  if (!head) return undefined;
  return { modes, symlinks: modes, cases: lower?.ino !== head.ino };
}

/** The checkout found on the way up, and its git directory. */
async function placeAbove(cwd: string): Promise<{ top: string; gitDir: string } | undefined> {
  for (let at = cwd; ; at = dirname(at)) {
    const gitDir = (await gitDirOf(at).catch(() => undefined)) ?? join(at, '.git');
    for (const dir of [gitDir, at]) {
      const found = await stat(join(dir, 'HEAD')).catch(() => undefined);
      if (found?.isFile()) return { top: at, gitDir: dir };
    }
    if (dirname(at) === at) return undefined;
  }
}
