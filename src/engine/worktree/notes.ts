import { basename, join } from 'node:path';
import * as z from 'zod';
import type { Ticket } from '../../contract/verbs-worktree.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { stateDir } from '../files/files.ts';
import { acquireLock, holding } from '../state/lock.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';

/** Something that a worktree is about, on the forge of one of its repository's remotes. */
export const TicketRecord = z.object({
  host: z.string(),
  /** Its repository there, as `owner/repo`. */
  repo: z.string(),
  number: z.number().int().positive(),
  /** Where to read it, where a URL named it. */
  url: z.string().exactOptional(),
});
export type TicketRecord = z.infer<typeof TicketRecord>;

/** A ticket as it is written in short. */
export const shortTicket = ({ repo, number }: TicketRecord): string => `${repo}#${number}`;

/** A ticket as answers have it. */
export const shownTicket = (one: TicketRecord): Ticket => ({
  ref: shortTicket(one),
  host: one.host,
  ...(one.url !== undefined && { url: one.url }),
});

/** What people and agents say of a worktree; none of it decides what is gated, landed or removed. */
const Notes = z.object({
  version: z.literal(1),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  tickets: z.array(TicketRecord).exactOptional(),
  /** The session it follows, by its client and the client's own id. */
  follows: z.object({ client: z.string(), session: z.string() }).exactOptional(),
});
export type Notes = Omit<z.infer<typeof Notes>, 'version'>;

/** As it is written: with the name git's directory of the checkout has, so that one of another checkout is told from it. */
const Written = Notes.extend({ admin: z.string() });
const kind: Kind<z.infer<typeof Written>> = { name: 'notes', schema: Written };

/** A checkout whose notes are meant. */
export interface Noted {
  gitDir: string;
  commonDir: string;
  /** False of the main checkout, whose git directory is the repository's. */
  linked: boolean;
}

/** In the worktree's own git directory, with which they go. */
const notesPath = ({ gitDir, commonDir, linked }: Noted): string =>
  join(linked ? gitDir : stateDir(commonDir), 'discern-notes.json');

/** What is noted of a worktree; nothing where nobody has, or where what lies there is not ours, which `distrust` then says. */
export async function readNotes(worktree: Noted): Promise<{ notes: Notes; distrust?: string }> {
  const path = notesPath(worktree);
  const found = await readRecordFile(worktree.commonDir, path, kind);
  if (found === undefined) return { notes: {} };
  if ('distrust' in found) return { notes: {}, distrust: `${path} ${found.distrust}` };
  const { version: _version, admin, ...notes } = found.value;
  if (admin !== basename(worktree.gitDir)) return { notes: {}, distrust: `${path} is of another worktree` };
  return { notes };
}

/**
 * Changes what is noted of a worktree, one writer at a time: `change` gets the notes as they are and returns them as they are to be.
 * Refuses `untrusted` where something that is not ours lies in their place.
 */
export async function changeNotes(
  worktree: Noted,
  ctx: Context,
  change: (notes: Notes) => Notes,
): Promise<Notes> {
  const lock = await acquireLock(join(stateDir(worktree.commonDir), 'locks', 'notes.lock'), {
    purpose: 'noting something about a worktree',
    signal: ctx.signal,
  });
  return holding(lock, async () => {
    const { notes: before, distrust } = await readNotes(worktree);
    if (distrust !== undefined) {
      throw new Refusal(
        'untrusted',
        `${distrust}: look at it, move it away, then call again. Nothing was changed.`,
      );
    }
    const notes = change(before);
    await writeRecordFile(worktree.commonDir, notesPath(worktree), kind, {
      version: 1,
      admin: basename(worktree.gitDir),
      ...notes,
    });
    return notes;
  });
}
