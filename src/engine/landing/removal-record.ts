import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import * as z from 'zod';
import { namesIn, stateDir } from '../files/files.ts';
import { gitDirOf } from '../git/git-dir.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { inodeOf, type NamedTree, removeOwnFile } from '../state/remove.ts';

/** A removal that has begun: written down before a worktree's directory is renamed away, gone with that directory. */
const RemovalRecord = z.object({
  version: z.literal(1),
  id: z.string().regex(/^[0-9a-f]{8}$/),
  path: z.string().refine((path) => isAbsolute(path) && normalize(path) === path && path !== dirname(path)),
  ino: z.string().describe('The directory’s inode, which a rename keeps.'),
  admin: z
    .string()
    .exactOptional()
    .describe('The inode of git’s directory of the worktree; absent in the record of an older release.'),
});
export type RemovalRecord = z.infer<typeof RemovalRecord>;

const kind: Kind<RemovalRecord> = { name: 'removal', schema: RemovalRecord };

const recordsDir = (commonDir: string) => join(stateDir(commonDir), 'removals');
const recordPath = (commonDir: string, id: string) => join(recordsDir(commonDir), `${id}.json`);

/**
 * Where a worktree's directory waits between being taken away and being deleted. The name is the state: under this one it
 * has not been judged, and under {@link judgedName} it may be deleted. So whoever finds it after a crash knows.
 */
export const trashFor = (path: string, id: string) =>
  join(dirname(path), `.${basename(path)}.removing-${id}`);

export const judgedName = (trash: string) => trash.replace(/removing-([^-]+)$/, 'removed-$1');

const idOf = (name: string) => /\.remov(?:ing|ed)-([0-9a-f]{8})$/.exec(name)?.[1];

/** Writes down that `path` is about to be renamed to `trash`. */
export async function recordRemoval(commonDir: string, path: string, trash: string): Promise<void> {
  const [id, ino] = [idOf(trash), await inodeOf(path)];
  if (id === undefined || ino === undefined || trash !== trashFor(path, id))
    throw new Error(`${path} is not a directory that could be moved to ${trash}`);
  const gitDir = await gitDirOf(path);
  const admin = gitDir && (await inodeOf(gitDir));
  const record: RemovalRecord = { version: 1, id, path, ino, ...(admin !== undefined && { admin }) };
  await writeRecordFile(commonDir, recordPath(commonDir, id), kind, record);
}

/**
 * Whether git's directory is the one the worktree had when its removal began: another worktree may have been registered under its
 * name since, and what was removed must not come in its place.
 */
export async function isItsAdmin({ admin }: RemovalRecord, gitDir: string): Promise<boolean> {
  return admin === undefined || (await inodeOf(gitDir)) === admin;
}

export async function closeRemoval(commonDir: string, trash: string): Promise<void> {
  const id = idOf(trash);
  if (id !== undefined) await removeOwnFile(recordPath(commonDir, id));
}

/** The removals that are written down, and the record files that are not ours to act on. */
export async function listRemovals(
  commonDir: string,
): Promise<{ removals: RemovalRecord[]; distrusted: { path: string; why: string }[] }> {
  const removals: RemovalRecord[] = [];
  const distrusted: { path: string; why: string }[] = [];
  for (const name of (await namesIn(recordsDir(commonDir))).filter((one) => one.endsWith('.json')).sort()) {
    const path = join(recordsDir(commonDir), name);
    const found = await readRecordFile(commonDir, path, kind);
    if (!found) continue;
    if ('distrust' in found) distrusted.push({ path, why: found.distrust });
    else if (name !== `${found.value.id}.json`) distrusted.push({ path, why: 'names another removal' });
    else removals.push(found.value);
  }
  return { removals, distrusted };
}

/** Where the directory of a removal is now, if it is the one that was renamed away. */
export async function renamedTo({
  id,
  path,
  ino,
}: RemovalRecord): Promise<{ at: string; judged: boolean } | undefined> {
  const trash = trashFor(path, id);
  for (const at of [trash, judgedName(trash)])
    if ((await inodeOf(at)) === ino) return { at, judged: at !== trash };
  return undefined;
}

/** The directory a record of ours names as one that was judged, where that is this very one. */
export async function namedForDeletion(commonDir: string, judged: string): Promise<NamedTree | undefined> {
  const id = idOf(judged);
  if (id === undefined) return undefined;
  const found = await readRecordFile(commonDir, recordPath(commonDir, id), kind);
  if (!found || !('value' in found) || found.value.id !== id) return undefined;
  const { path, ino } = found.value;
  const is = judged === judgedName(trashFor(path, id)) && (await inodeOf(judged)) === ino;
  return is ? { path: judged, within: dirname(judged), ino } : undefined;
}
