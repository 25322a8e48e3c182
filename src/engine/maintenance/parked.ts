import { basename, join } from 'node:path';
import { exists } from '../files/files.ts';
import { giveUpParking } from '../parking/interrupted.ts';
import type { Repository } from '../repository/repository.ts';
import { PRUNE } from '../state/remedies.ts';
import { shellWord } from '../words/shell-word.ts';
import { traceOf } from '../worktree/home-link.ts';
import { listParked, type Parked } from '../worktree/parked.ts';
import type { Leftover } from './leftover.ts';
import { forget } from './worktrees.ts';

type Place = Pick<Repository, 'commonDir'>;

/** Parked worktrees whose directories are not where they were put, and records of parking that are not ours to act on. */
export async function lostParked(repo: Pick<Repository, 'commonDir' | 'worktrees'>): Promise<Leftover[]> {
  const { commonDir } = repo;
  const { parked, distrusted } = await listParked(commonDir);
  const lost = parked.filter(({ state }) => state === 'lost');
  const away = parked.filter(({ state }) => state === 'parked');
  const known = await Promise.all(away.map(({ admin }) => exists(join(commonDir, 'worktrees', admin))));
  const forgotten = away.filter((_, n) => !known[n]);
  return [
    ...(await Promise.all(lost.map((one) => lostOne(repo, one)))),
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

async function lostOne(
  { commonDir, worktrees }: Pick<Repository, 'commonDir' | 'worktrees'>,
  { path, place, id, admin }: Parked,
): Promise<Leftover> {
  const gitDir = join(commonDir, 'worktrees', admin);
  const entry = worktrees.find((one) => one.path === path);
  if (entry === undefined && !(await exists(gitDir))) {
    return {
      what: `${path} was parked; its directory is no more where it was put, ${place}, and git has forgotten it.`,
      remedy: PRUNE,
      cleanup: {
        action: 'forget parking',
        detail: `${path}, of which only the record of its parking is left`,
        perform: async (repo, ctx) => {
          await giveUpParking(repo, admin, ctx);
          return undefined;
        },
      },
    };
  }
  if (entry === undefined || (await traceOf(gitDir)) !== 'gone') {
    return {
      what: `${path} was parked, and its directory is no more where it was put, ${place}.`,
      remedy: `mv <where it is now> ${shellWord(place)} && discern unpark ${shellWord(id)}`,
    };
  }
  return {
    what: `${path} was parked, and its directory was deleted since.`,
    remedy: PRUNE,
    ...(entry.branch !== undefined && { frees: entry.branch }),
    cleanup: {
      action: 'forget worktree',
      detail: `${path}, which was parked and whose directory is gone`,
      perform: async (repo, ctx) => {
        await giveUpParking(repo, admin, ctx);
        return forget(repo, entry, gitDir, ctx);
      },
    },
  };
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
