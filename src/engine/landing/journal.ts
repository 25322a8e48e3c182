import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readJson, stateDir, writeFileAtomic } from '../files.ts';

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

/** The landing under way or interrupted, if any. */
export async function readJournal(commonDir: string): Promise<Journal | undefined> {
  const parsed = Journal.safeParse(await readJson(journalPath(commonDir)));
  return parsed.success ? parsed.data : undefined;
}

export async function writeJournal(commonDir: string, journal: Journal): Promise<void> {
  await writeFileAtomic(journalPath(commonDir), `${JSON.stringify(journal, null, 2)}\n`);
}

export async function closeJournal(commonDir: string): Promise<void> {
  await rm(journalPath(commonDir), { force: true });
}
