import { readQueue } from '../queue/entries.ts';
import type { Repository } from '../repository/repository.ts';
import { shellWord } from '../words/shell-word.ts';
import type { Leftover } from './leftover.ts';

/** Records of the queue that are not ours to act on: the work they stood for has no place. */
export async function distrustedQueue({ commonDir }: Repository): Promise<Leftover[]> {
  return (await readQueue(commonDir)).damaged.map(({ path, why }) => ({
    what: `${path}, an entry of the queue of landings, ${why}, so it has no place: queue that work again.`,
    remedy: `rm ${shellWord(path)}`,
  }));
}
