import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** The program of each PATH asked about, which rarely changes while a process lives. */
const found = new Map<string, string>();

/**
 * The program of a name, by its absolute path: the first on `path`, of the directories that are absolute. A relative or empty one would
 * mean a directory of the repository it is run in. With `outside`, directories that lie in any repository but the user's
 * home do not count either, such as a `node_modules/.bin`. `undefined` where there is none.
 */
export function programOnPath(name: string, path: string | undefined, outside: boolean): string | undefined {
  const key = `${outside}${name}\0${path}`;
  const known = found.get(key);
  if (known !== undefined && existsSync(known)) return known;
  for (const dir of absoluteEntries(path)) {
    const file = join(dir, process.platform === 'win32' ? `${name}.exe` : name);
    if (!isRunnable(file) || (outside && liesInRepository(dir))) continue;
    found.set(key, file);
    return file;
  }
  return undefined;
}

/** The git to run: {@link programOnPath}. */
export const gitProgram = (path: string | undefined, outside: boolean): string | undefined =>
  programOnPath('git', path, outside);

/** The PATH git itself gets, for what it starts: the same directories. */
export const gitPath = (path: string | undefined, outside: boolean): string =>
  absoluteEntries(path)
    .filter((dir) => !outside || !liesInRepository(dir))
    .join(delimiter);

const absoluteEntries = (path: string | undefined) => (path ?? '').split(delimiter).filter(isAbsolute);

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function liesInRepository(dir: string): boolean {
  for (let at = dir; ; at = dirname(at)) {
    if (at === homedir() || dirname(at) === at) return false;
    if (existsSync(join(at, '.git'))) return true;
  }
}

/** What the variable with the PATH is called in an environment: on Windows it is mostly `Path`. */
export const pathName = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string =>
  platform === 'win32' ? (Object.keys(env).find((name) => /^path$/i.test(name)) ?? 'PATH') : 'PATH';
