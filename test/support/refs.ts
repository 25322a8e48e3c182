import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Every ref of a repository that is no symbolic one, read from its files: no git has to be asked. */
export async function readRefs(gitDir: string): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  const packed = await readFile(join(gitDir, 'packed-refs'), 'utf8').catch(() => '');
  for (const [, commit = '', name = ''] of packed.matchAll(/^([0-9a-f]{40}) (\S+)$/gm))
    refs.set(name, commit);
  const files = await readdir(join(gitDir, 'refs'), { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))) {
    const path = join(file.parentPath, file.name);
    // One that is deleted meanwhile is none.
    const text = (await readFile(path, 'utf8').catch(() => '')).trim();
    if (/^[0-9a-f]{40}$/.test(text)) refs.set(path.slice(gitDir.length + 1), text);
  }
  return refs;
}

/** What git has registered as linked checkouts: their paths, and their HEADs as they stand in the files. */
export async function readRegistered(gitDir: string): Promise<Map<string, string>> {
  const registered = new Map<string, string>();
  const parent = join(gitDir, 'worktrees');
  for (const name of await readdir(parent).catch(() => [])) {
    const link = await readFile(join(parent, name, 'gitdir'), 'utf8').catch(() => '');
    const head = await readFile(join(parent, name, 'HEAD'), 'utf8').catch(() => '');
    if (link !== '') registered.set(dirname(resolve(parent, name, link.trim())), head.trim());
  }
  return registered;
}
