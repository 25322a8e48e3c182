import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { orWhenAbsent, stateDir } from '../files/files.ts';
import type { Repository } from '../repository/repository.ts';
import { foreignOwnDirs } from '../state/own-dir.ts';
import { shellWord } from '../words/shell-word.ts';
import { distrustedRecord } from '../worktree/identity.ts';
import { startMarks } from '../worktree/mark.ts';
import type { Leftover } from './leftover.ts';

/** What lies where something of ours would and is not ours: nothing is written through it, and nothing it says is done. */
export async function foreignPlaces({ commonDir }: Pick<Repository, 'commonDir'>): Promise<Leftover[]> {
  const found = (await foreignOwnDirs(stateDir(commonDir))).map((path): Leftover => {
    return {
      what: `${path} is not a directory, so discern did not make it, and writes and deletes nothing there.`,
      remedy: `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}`,
    };
  });
  const marks = found.length > 0 ? [] : (await startMarks(commonDir)).distrusted;
  for (const { path, why } of marks) {
    const what = `${path}, the mark of a start, ${why}, so nothing it says is done.`;
    found.push({ what, remedy: `rm ${shellWord(path)}` });
  }
  return [...found, ...(await foreignWorktrees(commonDir))];
}

/** Linked checkouts with a record that is not ours: of a release that sealed none, or a stranger's. */
async function foreignWorktrees(commonDir: string): Promise<Leftover[]> {
  const admin = join(commonDir, 'worktrees');
  const names = await readdir(admin).catch(orWhenAbsent<string[]>([]));
  const found = await Promise.all(names.map((name) => distrustedRecord(join(admin, name))));
  return found.flatMap((one) => {
    if (!one) return [];
    const what = `${one.path}, the record of a worktree, ${one.why} (or by a release that sealed none), so discern does not remove that worktree by itself: accept lands its work and keeps it, drop removes it.`;
    return [{ what, remedy: `rm ${shellWord(one.path)}` }];
  });
}
