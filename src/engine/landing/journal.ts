import { join } from 'node:path';
import * as z from 'zod';
import { Refusal } from '../call/refusal.ts';
import { stateDir } from '../files/files.ts';
import { journalOf } from '../state/journal.ts';
import { foreign, foreignOwnDirs } from '../state/own-dir.ts';
import { LATER } from '../state/record.ts';
import { PRUNE } from '../state/remedies.ts';

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
    head: z.string().exactOptional().describe('Its commit, where another of the same tree lands.'),
  }),
});
export type Journal = z.infer<typeof Journal>;

/** The commit the worktree is at. */
export const headOf = ({ worktree, to }: Journal): string => worktree.head ?? to;

const journal = journalOf<Journal>('landing.json', { name: 'landing', schema: Journal });

/** Where the landing under way is written down. */
export const journalPath = journal.path;
/** The landing under way or interrupted, if any; none where what lies there is not ours to act on. */
export const readJournal = journal.read;
/** Why what lies where a landing is written down is not acted on, in words that follow its path. */
export const distrustedJournal = journal.distrust;
export const writeJournal = journal.write;
export const closeJournal = journal.close;

export const landingLockPath = (commonDir: string) => join(stateDir(commonDir), 'locks', 'landing.lock');

/**
 * Refuses `untrusted` where a landing could not be written down, before it begins: something is in the way of our directories, or
 * the record of a landing lies there that is not ours to act on, and not ours to write over either.
 */
export async function requireOwnState(commonDir: string, data: Record<string, unknown>): Promise<void> {
  const [place] = await foreignOwnDirs(stateDir(commonDir));
  if (place !== undefined) throw foreign(place, 'is not a directory');
  const why = await distrustedJournal(commonDir);
  if (why === undefined) return;
  const path = journalPath(commonDir);
  throw new Refusal(
    'untrusted',
    `${path}, where a landing is written down, ${why}: ${
      why === LATER
        ? 'finish that landing with the version that began it, or move the file away'
        : `run "${PRUNE}", which puts it aside`
    }, then accept again. Nothing was landed.`,
    { data: { ...data, files: [path] } },
  );
}
