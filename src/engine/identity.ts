import { join } from 'node:path';
import * as z from 'zod';
import { cksum } from './cksum.ts';
import { readJson, writeFileAtomic } from './files.ts';

export { gitDirOf } from './git-dir.ts';

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
});
export type WorktreeRecord = z.infer<typeof WorktreeRecord>;

const recordPath = (gitDir: string) => join(gitDir, 'discern-vscode.json');

/** The record of a checkout, by its git directory; `undefined` when discern did not make it. */
export async function readRecord(gitDir: string): Promise<WorktreeRecord | undefined> {
  const parsed = WorktreeRecord.safeParse(await readJson(recordPath(gitDir)));
  return parsed.success ? parsed.data : undefined;
}

export async function writeRecord(gitDir: string, record: WorktreeRecord): Promise<void> {
  await writeFileAtomic(recordPath(gitDir), `${JSON.stringify(record, null, 2)}\n`);
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
