import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, orWhenAbsent } from '../files/files.ts';
import { listRefs } from '../git/refs.ts';

/** What the trunk may be called, most wanted first (contract §2): as named, else as origin/HEAD's branch, main or master. */
export async function trunkNames(
  { root, commonDir }: { root: string; commonDir: string },
  named: string | undefined,
  signal?: AbortSignal,
): Promise<string[]> {
  if (named) return [named];
  const published = await publishedHead(root, commonDir, signal);
  return [...(published === undefined ? [] : [published]), 'main', 'master'];
}

/**
 * The branch origin/HEAD points at. A symbolic ref is never packed, so with refs kept as files it is a file
 * (gitrepository-layout(5)); otherwise git is asked.
 */
async function publishedHead(
  cwd: string,
  commonDir: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const name = 'refs/remotes/origin/HEAD';
  const prefix = 'refs/remotes/origin/';
  let target: string | undefined;
  if (await exists(join(commonDir, 'reftable'))) {
    target = (await listRefs(cwd, [name], signal))[0]?.target;
  } else {
    const text = await readFile(join(commonDir, name), 'utf8').catch(orWhenAbsent(''));
    target = /^ref:\s*(\S+)/.exec(text)?.[1];
  }
  return target?.startsWith(prefix) ? target.slice(prefix.length) : undefined;
}
