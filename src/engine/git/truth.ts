import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gitDirOf } from '../git-dir.ts';

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
};

const byDevice = new Map<number, readonly string[]>();

/**
 * {@link always}, and what the file system of `cwd` can do: modes and symlinks are compared where it keeps them, and names by
 * case where it tells them apart. Asked once a file system, of a file git itself wrote.
 */
export async function truthSettings(cwd: string): Promise<readonly string[]> {
  const device = await stat(cwd).then(
    ({ dev }) => dev,
    () => undefined,
  );
  if (device === undefined) return asArguments(always);
  const known = byDevice.get(device);
  if (known) return known;
  const able = await abilities(cwd);
  const made = asArguments([...always, ...(able ?? [])]);
  if (able) byDevice.set(device, made);
  return made;
}

const asArguments = (settings: readonly string[]) => settings.flatMap((setting) => ['-c', setting]);

/** What the file system can do; `undefined` where no git directory lies on it. */
async function abilities(cwd: string): Promise<string[] | undefined> {
  const head = await headAbove(cwd);
  if (head === undefined) return undefined;
  if (process.platform === 'win32') return [];
  const [{ mode }, lower] = await Promise.all([
    stat(head),
    stat(join(dirname(head), 'head')).catch(() => undefined),
  ]);
  return [
    // git writes HEAD without a mode to run; where it seems to have one, every file does.
    ...((mode & 0o111) === 0 ? ['core.fileMode=true', 'core.symlinks=true'] : []),
    ...(lower === undefined ? ['core.ignoreCase=false'] : []),
  ];
}

/** The `HEAD` of the git directory found on the way up. */
async function headAbove(cwd: string): Promise<string | undefined> {
  for (let at = cwd; ; at = dirname(at)) {
    const gitDir = (await gitDirOf(at).catch(() => undefined)) ?? join(at, '.git');
    for (const head of [join(gitDir, 'HEAD'), join(at, 'HEAD')]) {
      const found = await stat(head).catch(() => undefined);
      if (found?.isFile()) return head;
    }
    if (dirname(at) === at) return undefined;
  }
}
