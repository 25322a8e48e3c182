import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Every file below a directory, git's own included, with what a write would change of it. */
export async function snapshot(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.sort().map(async (file) => {
      const { size, mtimeMs, ino } = await stat(file);
      return `${file} ${size} ${mtimeMs} ${ino}`;
    }),
  );
}
