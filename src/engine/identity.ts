import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
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

/** First of the ports handed to worktrees, and how many there are. */
const PORTS = { first: 20_000, count: 10_000 };

/** A port for a worktree id: always the same for one id, and none that a living sibling has. */
export function portFor(id: string, taken: ReadonlySet<number>): number {
  const start = createHash('sha256').update(id).digest().readUInt32BE(0) % PORTS.count;
  for (let n = 0; n < PORTS.count; n++) {
    const port = PORTS.first + ((start + n) % PORTS.count);
    if (!taken.has(port)) return port;
  }
  return PORTS.first + start;
}
