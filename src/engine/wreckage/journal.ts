import { rename } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { exists, readJson } from '../files.ts';
import { Journal, journalPath } from '../landing/journal.ts';
import { lockLanding } from '../landing/recover.ts';
import { holding } from '../lock.ts';
import type { Repository } from '../repository.ts';
import { PRUNE, type Wreck } from './wreck.ts';

/**
 * The record of a landing that cannot be read: cut off on a disk that lies about writing, or edited. What it recorded can
 * still be seen in the repository, so it is only put aside. One of a later version of discern is that one's business.
 */
export async function unreadableJournal(repo: Repository): Promise<Wreck[]> {
  const path = journalPath(repo.commonDir);
  const value = await readJson(path);
  if (!(await exists(path)) || Journal.safeParse(value).success) return [];
  if (typeof value === 'object' && value !== null && 'version' in value && value.version !== 1) return [];
  return [
    {
      what: `${path}, the record of a landing that was cut off, cannot be read.`,
      remedy: PRUNE,
      mend: { action: 'put aside', detail: path, perform: (repo, ctx) => putAside(repo, ctx) },
    },
  ];
}

async function putAside({ commonDir }: Repository, ctx: Context): Promise<string> {
  return holding(await lockLanding({ commonDir }, ctx, 0), async () => {
    const [from, to] = [journalPath(commonDir), `${journalPath(commonDir)}.unreadable`];
    await rename(from, to);
    return `What could not be read is in ${to}.`;
  });
}
