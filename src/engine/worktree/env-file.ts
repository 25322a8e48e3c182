import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * One definition as dotenv files write them: `export` and indentation allowed, a quoted value over several lines too. What
 * stands inside such a value is no definition.
 */
const definition =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(?:"(?:\\[\s\S]|[^"\\])*"|'[^']*'|`[^`]*`)?[^\r\n]*/gm;

/** A file's bytes, one character each, so that whatever encoding it has is copied as it is. */
async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Copies the variables `names` from the home checkout's env files into the worktree's first one. The last listed file
 * that defines a name wins (the dotenv override rule). A definition is copied as it stands, quotes and all; a name the
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
    for (const [text, name = ''] of (await readText(join(home, file))).matchAll(definition)) {
      if (names.includes(name)) found.set(name, text);
    }
  }
  await appendMissing(join(worktree, target), found);
  return names.filter((name) => !found.has(name));
}

/** Appends definitions whose names the file lacks, creating it when it is not there. What it holds stays as it is. */
export async function appendMissing(path: string, definitions: ReadonlyMap<string, string>): Promise<void> {
  const present = await readText(path);
  const has = new Set([...present.matchAll(definition)].map(([, name]) => name));
  const added = [...definitions].filter(([name]) => !has.has(name)).map(([, text]) => text);
  if (added.length === 0) return;
  await mkdir(dirname(path), { recursive: true });
  const ended = present === '' || present.endsWith('\n');
  await appendFile(path, `${ended ? '' : '\n'}${added.join('\n')}\n`, { encoding: 'latin1', mode: 0o600 });
}
