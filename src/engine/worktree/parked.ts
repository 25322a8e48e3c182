import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import * as z from 'zod';
import { namesIn, stateDir } from '../files/files.ts';
import { foreign } from '../state/own-dir.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { inodeOf, removeOwnFile } from '../state/remove.ts';

/** A worktree that is being parked or is parked: written down before its directory is moved, gone once that is back. */
const ParkedRecord = z.object({
  version: z.literal(1),
  admin: z.string().describe('The name of git’s directory for it.'),
  id: z.string().describe('What people call it.'),
  path: z.string().refine((path) => isAbsolute(path) && normalize(path) === path && path !== dirname(path)),
  ino: z.string().describe('The directory’s inode, which a rename keeps.'),
  beside: z.boolean().describe('Whether it waits beside where it was, rather than in our own directory.'),
  since: z.string(),
});
export type ParkedRecord = z.infer<typeof ParkedRecord>;

const kind: Kind<ParkedRecord> = { name: 'parked', schema: ParkedRecord };

/** Where parked directories wait, with a record each. */
export const parkedDir = (commonDir: string) => join(stateDir(commonDir), 'parked');
const recordPath = (commonDir: string, admin: string) => join(parkedDir(commonDir), `${admin}.json`);

/** Where the directory of a parked worktree waits: a rename reaches it, so it is on the same disk. */
export const placeOf = (
  commonDir: string,
  { admin, path, beside }: Pick<ParkedRecord, 'admin' | 'path' | 'beside'>,
): string =>
  beside ? join(dirname(path), `.${basename(path)}.parked`) : join(parkedDir(commonDir), `${admin}.tree`);

/** A worktree that is written down as parked, and where its directory is: by its inode, never by a name. */
export interface Parked extends ParkedRecord {
  /** Where it waits. */
  place: string;
  /** `there`: parking was cut off before it was moved, or unparking after. */
  state: 'parked' | 'there' | 'lost';
}

/** What is written down of the worktree with this git directory; `undefined` where nothing is. Refuses `untrusted` for a stranger's record. */
export async function readParked(commonDir: string, admin: string): Promise<Parked | undefined> {
  const path = recordPath(commonDir, admin);
  const found = await readRecordFile(commonDir, path, kind);
  if (!found) return undefined;
  if ('distrust' in found) throw foreign(path, found.distrust);
  if (found.value.admin !== admin) throw foreign(path, 'names another worktree');
  return located(commonDir, found.value);
}

async function located(commonDir: string, record: ParkedRecord): Promise<Parked> {
  const place = placeOf(commonDir, record);
  const [waiting, there] = await Promise.all([inodeOf(place), inodeOf(record.path)]);
  const state = waiting === record.ino ? 'parked' : there === record.ino ? 'there' : 'lost';
  return { ...record, place, state };
}

/** Every worktree that is written down as parked, and the record files that are not ours to act on. */
export async function listParked(
  commonDir: string,
): Promise<{ parked: Parked[]; distrusted: { path: string; why: string }[] }> {
  const parked: Parked[] = [];
  const distrusted: { path: string; why: string }[] = [];
  const names = (await namesIn(parkedDir(commonDir))).filter((name) => name.endsWith('.json')).sort();
  for (const name of names) {
    const path = join(parkedDir(commonDir), name);
    const found = await readRecordFile(commonDir, path, kind);
    if (!found) continue;
    if ('distrust' in found) distrusted.push({ path, why: found.distrust });
    else if (name !== `${found.value.admin}.json`) distrusted.push({ path, why: 'names another worktree' });
    else parked.push(await located(commonDir, found.value));
  }
  return { parked, distrusted };
}

/** The worktrees whose directories are away, by the path git has them at. */
export async function parkedByPath(commonDir: string): Promise<Map<string, Parked>> {
  const { parked } = await listParked(commonDir);
  return new Map(parked.flatMap((one) => (one.state === 'parked' ? [[one.path, one]] : [])));
}

export const writeParked = (commonDir: string, record: ParkedRecord): Promise<void> =>
  writeRecordFile(commonDir, recordPath(commonDir, record.admin), kind, record);

export async function closeParked(commonDir: string, admin: string): Promise<void> {
  await removeOwnFile(recordPath(commonDir, admin));
}

/** Ends what is written down of a worktree whose directory is in place, since that goes for good now: an unparking was cut off at its end. */
export async function closeParkedInPlace(commonDir: string, admin: string): Promise<void> {
  const { parked } = await listParked(commonDir);
  if (parked.some((one) => one.admin === admin && one.state === 'there')) await closeParked(commonDir, admin);
}

/** What brings a parked worktree back, as the end of a sentence. */
export const unparkWith = ({ id }: Pick<ParkedRecord, 'id'>) => `"discern unpark ${id}" brings it back`;
