import { basename, join } from 'node:path';
import { exists } from '../files/files.ts';
import type { Repository } from '../repository/repository.ts';
import { shellWord } from '../words/shell-word.ts';
import { listParked } from '../worktree/parked.ts';
import type { Leftover } from './leftover.ts';

type Place = Pick<Repository, 'commonDir'>;

/** Parked worktrees whose directories are not where they were put, and records of parking that are not ours to act on. */
export async function lostParked({ commonDir }: Place): Promise<Leftover[]> {
  const { parked, distrusted } = await listParked(commonDir);
  const lost = parked.filter(({ state }) => state === 'lost');
  const away = parked.filter(({ state }) => state === 'parked');
  const known = await Promise.all(away.map(({ admin }) => exists(join(commonDir, 'worktrees', admin))));
  const forgotten = away.filter((_, n) => !known[n]);
  return [
    ...lost.map(({ path, place, id }) => ({
      what: `${path} was parked, and its directory is no more where it was put, ${place}.`,
      remedy: `mv <where it is now> ${shellWord(place)} && discern unpark ${shellWord(id)}`,
    })),
    ...forgotten.map(({ path, place, id }) => ({
      what: `${path} is parked, and git was made to forget it since; its files are all there, in ${place}.`,
      remedy: `discern unpark ${shellWord(id)}`,
    })),
    ...distrusted.map(({ path, why }) => ({
      what: `${path}, the record of a parked worktree, ${why}, so nothing it says is done; ${basename(path, '.json')}.tree beside it may hold its files.`,
      remedy: `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}`,
    })),
  ];
}

/** What is parked, for a prune to tell: it stays. */
export async function parkedStay({ commonDir }: Place): Promise<Pick<Leftover, 'what' | 'remedy'>[]> {
  const { parked } = await listParked(commonDir);
  return parked.flatMap(({ state, path, since, id }) =>
    state === 'parked'
      ? [
          {
            what: `${path} is parked since ${since}, and stays so.`,
            remedy: `discern unpark ${shellWord(id)}`,
          },
        ]
      : [],
  );
}
