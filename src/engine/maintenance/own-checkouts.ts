import { leftOwnCheckouts } from '../landing/own-checkout.ts';
import type { Repository } from '../repository/repository.ts';
import { shellWord } from '../words/shell-word.ts';
import type { Leftover } from './leftover.ts';

/** Checkouts that an accept had made for the gate, and whose process died. */
export async function unfinishedOwnCheckouts(commonDir: string) {
  return (await leftOwnCheckouts(commonDir)).left.map(({ path }) => ({
    what: `An interrupted accept left the checkout it ran the gate in, ${path}.`,
    next: 'removes it',
    action: 'remove worktree',
    detail: `${path}, which an interrupted accept made for the gate`,
    removes: path,
  }));
}

/** Records of such checkouts that are not ours to act on. */
export async function distrustedOwnCheckouts({ commonDir }: Repository): Promise<Leftover[]> {
  return (await leftOwnCheckouts(commonDir)).distrusted.map(({ path, why }) => ({
    what: `${path}, the record of a checkout made for the gate, ${why}, so nothing it says is done.`,
    remedy: `rm ${shellWord(path)}`,
  }));
}
