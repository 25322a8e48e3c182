import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** `KEY=value` lines as dotenv files write them, `export` and indentation allowed. */
const line = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=/;

async function readLines(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split(/\r?\n/);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Copies the variables `names` from the home checkout's env files into the worktree's first one. The last listed file
 * that defines a name wins (the dotenv override rule). A line is copied as it stands, quotes and all; a name the
 * worktree's file already has is left alone. Returns the names that no file defines.
 */
export async function inheritEnv(
  home: string,
  worktree: string,
  files: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  const [target] = files;
  if (names.length === 0 || target === undefined) return [];
  const found = new Map<string, string>();
  for (const file of files) {
    for (const text of await readLines(join(home, file))) {
      const name = line.exec(text)?.[1];
      if (name !== undefined && names.includes(name)) found.set(name, text);
    }
  }
  await appendMissing(join(worktree, target), found);
  return names.filter((name) => !found.has(name));
}

/** Appends `NAME=value` lines whose names the file lacks, creating it when it is not there. */
export async function appendMissing(path: string, lines: ReadonlyMap<string, string>): Promise<void> {
  const present = await readLines(path);
  const has = new Set(present.map((text) => line.exec(text)?.[1]));
  const added = [...lines].filter(([name]) => !has.has(name)).map(([, text]) => text);
  if (added.length === 0) return;
  const kept = present.at(-1) === '' ? present.slice(0, -1) : present;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${[...kept, ...added].join('\n')}\n`, { mode: 0o600 });
}
