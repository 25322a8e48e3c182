import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import type { Context } from '../call/context.ts';
import { distrustedJournal, journalPath } from '../landing/journal.ts';
import { lockLanding } from '../landing/recover.ts';
import type { Repository } from '../repository/repository.ts';
import { holding } from '../state/lock.ts';
import { LATER } from '../state/record.ts';
import { PRUNE } from '../state/remedies.ts';
import { shellWord } from '../words/shell-word.ts';
import type { Leftover } from './leftover.ts';

/**
 * The record of a landing that cannot be read: cut off on a disk that lies about writing, or edited. What it recorded can
 * still be seen in the repository, so it is only put aside. One of a later version of discern is that one's business, or a person's.
 */
export async function unreadableJournal(repo: Repository): Promise<Leftover[]> {
  const path = journalPath(repo.commonDir);
  const why = await distrustedJournal(repo.commonDir);
  if (why === undefined) return [];
  const what = `${path}, the record of a landing that was cut off, ${why}, so nothing it says is done.`;
  if (why === LATER) return [{ what, remedy: `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}` }];
  return [
    {
      what,
      remedy: PRUNE,
      cleanup: { action: 'put aside', detail: path, perform: (repo, ctx) => putAside(repo, ctx) },
    },
  ];
}

async function putAside({ commonDir }: Repository, ctx: Context): Promise<string> {
  return holding(await lockLanding({ commonDir }, ctx, 0), async () => {
    const [from, to] = [
      journalPath(commonDir),
      `${journalPath(commonDir)}.unreadable-${randomBytes(3).toString('hex')}`,
    ];
    await rename(from, to);
    return `What could not be read is in ${to}.`;
  });
}
