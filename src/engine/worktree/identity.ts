import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { readBounded } from '../files/bounded-file.ts';
import { cksum } from '../files/cksum.ts';
import { commonDirOf } from '../git/git-dir.ts';
import { type Found, type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { isPlainId } from './name.ts';

export { gitDirOf } from '../git/git-dir.ts';

/**
 * What discern knows of a worktree it made. The record lies in the worktree's own git directory, so it goes when git
 * unregisters the worktree, and a checkout made by hand never has one.
 */
export const WorktreeRecord = z.object({
  version: z.literal(1),
  id: z.string(),
  branch: z.string(),
  base: z.string(),
  base_commit: z.string(),
  port: z.number().int(),
  slug: z.string().exactOptional().describe('The project’s part of the names of what belongs to it.'),
  title: z.string().exactOptional().describe('What `start` was told the work is.'),
});
export type WorktreeRecord = z.infer<typeof WorktreeRecord>;

const recordPath = (gitDir: string) => join(gitDir, 'discern-vscode.json');

/** As it is written: with the name git's directory of the checkout has, so that one of another checkout is told from it. */
const Written = WorktreeRecord.extend({ admin: z.string() });

const kind: Kind<z.infer<typeof Written>> = { name: 'worktree', schema: Written };

async function findRecord(gitDir: string): Promise<Found<WorktreeRecord> | undefined> {
  const commonDir = await commonDirOf(gitDir);
  if (commonDir === undefined || dirname(gitDir) !== join(commonDir, 'worktrees')) return undefined;
  const found = await readRecordFile(commonDir, recordPath(gitDir), kind);
  if (!found || 'distrust' in found) return found;
  const { admin, ...record } = found.value;
  return admin === basename(gitDir) ? { value: record } : { distrust: 'names another worktree' };
}

/**
 * The record of a checkout, by its git directory; `undefined` when discern did not make it, or when nothing says that it did:
 * on its word a worktree is removed with what git ignores in it.
 */
export async function readRecord(gitDir: string): Promise<WorktreeRecord | undefined> {
  const found = await findRecord(gitDir);
  return found && 'value' in found ? found.value : undefined;
}

/** Why what lies where a checkout's record would is not taken for ours, with its path. */
export async function distrustedRecord(gitDir: string): Promise<{ path: string; why: string } | undefined> {
  const found = await findRecord(gitDir);
  return found && 'distrust' in found ? { path: recordPath(gitDir), why: found.distrust } : undefined;
}

/**
 * What a checkout is called in the environment of its commands, and the port it was given. Nothing is removed on the word of
 * this, so a record without our seal will do, such as one of a release that sealed none.
 */
export async function namesOf(gitDir: string): Promise<WorktreeRecord | undefined> {
  const found = await findRecord(gitDir);
  if (!found || 'value' in found) return found?.value;
  const read = await readBounded(recordPath(gitDir), 64 * 1024);
  if (!read || !('text' in read)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch {
    return undefined;
  }
  const { data } = WorktreeRecord.safeParse(value);
  return data && isPlainId(data.id) && data.port >= BAND.first && data.port <= LAST_PORT ? data : undefined;
}

export async function writeRecord(gitDir: string, record: WorktreeRecord): Promise<void> {
  const commonDir = await commonDirOf(gitDir);
  if (commonDir === undefined) throw new Error(`${gitDir} is not a git directory of a linked checkout`);
  await writeRecordFile(commonDir, recordPath(gitDir), kind, { ...record, admin: basename(gitDir) });
}

/** The ports the published format gives worktrees: its band, and the checksum that picks one in it. */
const BAND = { first: 17_290, count: 2_000 };

/** Below what systems hand to outgoing connections (Linux: 32768 and up). */
const LAST_PORT = 32_767;

/**
 * The port of a worktree id: always the same for one id, unless a sibling has that one; then the next free one of the
 * band, and after the band's last the next above it.
 */
export function portFor(id: string, taken: ReadonlySet<number>): number {
  const start = cksum(id) % BAND.count;
  for (let n = 0; n < BAND.count; n++) {
    const port = BAND.first + ((start + n) % BAND.count);
    if (!taken.has(port)) return port;
  }
  for (let port = BAND.first + BAND.count; port <= LAST_PORT; port++) if (!taken.has(port)) return port;
  throw new Error(`None of the ports ${BAND.first} to ${LAST_PORT} is free of a worktree.`);
}
