import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { changeEntry, type Entry, entryNamed, hasPlace, readQueue, toldEntries } from '../queue/entries.ts';
import { openRepository, type Repository, where } from '../repository/repository.ts';
import { driveQueue, settleCutOff } from './queue-drive.ts';

/**
 * The queue of landings. Without `action` it only looks. `run` gates and lands what waits, until nothing does; `hold` keeps an
 * entry's place and lets others land before it, `release` ends that, `drop` takes an entry out and leaves its worktree. Refuses
 * `path_not_found` for an entry that is not there or has no place any more, and `busy` for one that lands at this moment.
 */
export async function queue(root: string, args: Args<'queue'>, ctx: Context): Promise<Result<'queue'>> {
  const repo = await openRepository(root, ctx.signal);
  const { action = 'list', entry } = args;
  switch (action) {
    case 'list':
      return answer(repo);
    case 'run': {
      const drove = await driveQueue(repo, ctx, ctx.signal);
      if (ctx.signal.aborted)
        throw new Refusal('cancelled', 'The queue is no longer run; every entry keeps its place.', {
          data: where(repo),
        });
      return answer(repo, drove === 'elsewhere' ? 'Another process runs it already.' : undefined);
    }
    default: {
      const found = await requireEntry(repo, entry);
      const name = `q${found.number}`;
      if (found.judged === 'landing') {
        const landed = await settleCutOff(repo, found, ctx);
        if (landed === 'elsewhere') throw landing(repo, name);
        if (landed !== undefined) throw gone(repo, name, landed);
      }
      // It may begin to land just now.
      const isLanding = ({ judged }: Entry) => judged === 'landing';
      const changed = await changeEntry(repo.commonDir, found.number, changes[action], isLanding);
      if (!changed) throw await overSince(repo, found.number);
      return answer(repo, `${name} is ${done[action]}.`);
    }
  }
}

const changes = {
  hold: { state: 'held', reason: 'somebody holds it' },
  release: { state: 'waiting' },
  drop: { state: 'out', error: 'cancelled', reason: 'somebody dropped it' },
} as const;

const done = {
  hold: 'held, and keeps its place',
  release: 'released',
  drop: 'out of the queue; its worktree is as it was',
};

async function requireEntry(repo: Repository, name: string | undefined): Promise<Entry> {
  if (name === undefined)
    throw new Refusal('invalid_argument', 'Name the entry, such as q7: queue lists them.', {
      data: where(repo),
    });
  const found = entryNamed((await readQueue(repo.commonDir)).entries, name);
  if (!found || !hasPlace(found)) throw gone(repo, name, found?.landed);
  return found;
}

/** Why an entry that was there a moment ago cannot be changed any more. */
async function overSince(repo: Repository, number: number): Promise<Refusal> {
  const now = (await readQueue(repo.commonDir)).entries.find((one) => one.number === number);
  return now && hasPlace(now) ? landing(repo, `q${number}`) : gone(repo, `q${number}`, now?.landed);
}

const landing = (repo: Repository, name: string) =>
  new Refusal(
    'busy',
    `${name} is landing at this moment, so it can be neither held nor dropped: call queue, which says what came of it.`,
    { data: where(repo) },
  );

const gone = (repo: Repository, name: string, landed?: string) =>
  new Refusal(
    'path_not_found',
    landed === undefined
      ? `No entry ${name} waits in the queue: call queue, which lists those that do.`
      : `${name} does not wait any more: it landed as ${landed.slice(0, 10)}.`,
    { data: where(repo) },
  );

async function answer(repo: Repository, said?: string): Promise<Result<'queue'>> {
  const { entries, damaged } = await readQueue(repo.commonDir);
  const told = await toldEntries(repo.commonDir, entries);
  const standing = told.filter(({ place }) => place !== undefined).length;
  const message =
    standing === 0
      ? 'Nothing waits to land.'
      : standing === 1
        ? '1 entry is in the queue.'
        : `${standing} entries are in the queue.`;
  return {
    ok: true,
    data: {
      ...where(repo),
      entries: told,
      ...(damaged.length > 0 && { damaged: damaged.map(({ path }) => path) }),
    },
    ...(damaged.length > 0 && {
      hints: damaged.map(
        ({ path, why }) => `${path} ${why}, so it has no place: queue that work again, and remove the file.`,
      ),
    }),
    message: said === undefined ? message : `${said} ${message}`,
  };
}
