import { rename } from 'node:fs/promises';
import { readBounded } from '../bounded-file.ts';
import type { Context } from '../context.ts';
import { distrustedJournal, journalPath } from '../landing/journal.ts';
import { lockLanding } from '../landing/recover.ts';
import { holding } from '../lock.ts';
import type { Repository } from '../repository.ts';
import { PRUNE } from '../state/remedies.ts';
import type { Wreck } from './wreck.ts';

/**
 * The record of a landing that cannot be read: cut off on a disk that lies about writing, or edited. What it recorded can
 * still be seen in the repository, so it is only put aside. One of a later version of discern is that one's business.
 */
export async function unreadableJournal(repo: Repository): Promise<Wreck[]> {
  const path = journalPath(repo.commonDir);
  const why = await distrustedJournal(repo.commonDir);
  if (why === undefined || (await isLater(path))) return [];
  return [
    {
      what: `${path}, the record of a landing that was cut off, ${why}, so nothing it says is done.`,
      remedy: PRUNE,
      mend: { action: 'put aside', detail: path, perform: (repo, ctx) => putAside(repo, ctx) },
    },
  ];
}

/** One of a later version is that one's business. */
async function isLater(path: string): Promise<boolean> {
  const read = await readBounded(path, 1024 * 1024);
  if (!read || !('text' in read)) return false;
  try {
    const value: unknown = JSON.parse(read.text);
    return typeof value === 'object' && value !== null && 'version' in value && value.version !== 1;
  } catch {
    return false;
  }
}

async function putAside({ commonDir }: Repository, ctx: Context): Promise<string> {
  return holding(await lockLanding({ commonDir }, ctx, 0), async () => {
    const [from, to] = [journalPath(commonDir), `${journalPath(commonDir)}.unreadable`];
    await rename(from, to);
    return `What could not be read is in ${to}.`;
  });
}
