import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orWhenAbsent } from '../files/files.ts';
import { askPlace, readPlace } from './place.ts';

/** Whether the repository's `info/attributes` (gitattributes(5)), which is the user's own, says anything. */
export async function hasOwnAttributes(commonDir: string): Promise<boolean> {
  const text = await readFile(join(commonDir, 'info', 'attributes'), 'latin1').catch(() => '');
  return /^[ \t]*[^#\s]/m.test(text);
}

/** Makes a git directory without refs, objects and attributes of its own. */
export async function makeBareDir(path: string): Promise<void> {
  await mkdir(join(path, 'refs'), { recursive: true });
  await mkdir(join(path, 'objects'));
  await writeFile(join(path, 'HEAD'), 'ref: refs/heads/none\n');
}

/**
 * Acts with an environment in which `info/attributes` does not count, for which git has no switch: it works in a git directory of
 * ours then, with the repository's objects and config. Only for commands that read objects by their ids.
 */
export async function withoutOwnAttributes<Value>(
  cwd: string,
  act: (env: Record<string, string>) => Promise<Value>,
): Promise<Value> {
  const { top, commonDir } = (await readPlace(cwd)) ?? (await askPlace(cwd));
  if (!(await hasOwnAttributes(commonDir))) return act({});
  const dir = await mkdtemp(join(tmpdir(), 'discern-merge-'));
  try {
    await makeBareDir(dir);
    // The second says where the history of a shallow clone ends.
    for (const name of ['config', 'shallow'])
      await copyFile(join(commonDir, name), join(dir, name)).catch(orWhenAbsent(undefined));
    const objects = join(commonDir, 'objects');
    return await act({ GIT_DIR: dir, GIT_WORK_TREE: top, GIT_OBJECT_DIRECTORY: objects });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
