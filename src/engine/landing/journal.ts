import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { stateDir } from '../files.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';

/**
 * A landing that has begun. Written before the trunk moves and removed when everything is done, so that whoever comes
 * next can tell from it, and from what git says now, what is left to do. It records intentions, never progress: progress
 * is read from the repository itself, which cannot disagree with itself.
 */
export const Journal = z.object({
  version: z.literal(1),
  id: z.string(),
  project: z.string().describe('The project’s directory below the git top.'),
  trunk: z.object({ name: z.string(), ref: z.string() }),
  from: z.string().describe('The trunk’s commit before.'),
  to: z.string().describe('The validated commit.'),
  landing: z.string().describe('The landing checkout.'),
  worktree: z.object({
    path: z.string(),
    branch: z.string().nullable(),
    managed: z.boolean(),
    trash: z.string(),
  }),
});
export type Journal = z.infer<typeof Journal>;

/** Where the landing under way is written down. */
export const journalPath = (commonDir: string) => join(stateDir(commonDir), 'landing.json');

export const landingLockPath = (commonDir: string) => join(stateDir(commonDir), 'locks', 'landing.lock');

const kind: Kind<Journal> = { name: 'landing', schema: Journal };

/** The landing under way or interrupted, if any; none where what lies there is not ours to act on. */
export async function readJournal(commonDir: string): Promise<Journal | undefined> {
  const found = await readRecordFile(commonDir, journalPath(commonDir), kind);
  return found && 'value' in found ? found.value : undefined;
}

/** Why what lies where a landing is written down is not acted on, in words that follow its path. */
export async function distrustedJournal(commonDir: string): Promise<string | undefined> {
  const found = await readRecordFile(commonDir, journalPath(commonDir), kind);
  return found && 'distrust' in found ? found.distrust : undefined;
}

export async function writeJournal(commonDir: string, journal: Journal): Promise<void> {
  await writeRecordFile(commonDir, journalPath(commonDir), kind, journal);
}

export async function closeJournal(commonDir: string): Promise<void> {
  await rm(journalPath(commonDir), { force: true });
}
