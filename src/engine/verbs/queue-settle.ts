import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { exists } from '../files/files.ts';
import { isAncestor } from '../git/refs.ts';
import type { Entry } from '../queue/entries.ts';
import { isLanded, landedAs } from '../repository/landed.ts';
import { openRepository, type Repository, requireTrunk } from '../repository/repository.ts';
import { finishLanding } from './accept-settle.ts';

/** How an entry ended: the commit it landed as, or why it fell out. */
export type Settled = { landed: string } | { error: string; reason: string };

/**
 * What became of an entry whose worktree or commit is not what was queued, or that is not to land on the trunk as it is; `undefined` where
 * it stands as before. A landing that was cut off is finished first. `home` is where the repository is opened from.
 */
export async function settled(
  repo: Repository,
  home: string,
  entry: Entry,
  ctx: Context,
): Promise<Settled | undefined> {
  const found = await openRepository(entry.root).catch((error: unknown) => {
    if (Refusal.is(error)) return error;
    throw error;
  });
  const now = Refusal.is(found) ? undefined : found;
  const short = entry.commit.slice(0, 10);
  if (now?.commit === entry.commit && entry.judged !== 'landing') {
    const reason = await notOfThisTrunk(repo, now, entry);
    return reason === undefined ? undefined : { error: 'unknown_ref', reason };
  }
  // It may be that its landing was cut off before this was written down.
  const interrupted = await finishLanding(repo, ctx);
  const again = interrupted ? await openRepository(home) : repo;
  const landed = await landedCommit(again, entry, ctx);
  if (landed !== undefined) return { landed };
  if (now?.commit === entry.commit) {
    const reason = await notOfThisTrunk(again, now, entry);
    return reason === undefined ? undefined : { error: 'unknown_ref', reason };
  }
  if (now) {
    const where = `${now.branch ?? entry.worktree} is at ${now.commit.slice(0, 10)} now`;
    return { error: 'busy', reason: `moved: ${where}, and ${short} was queued` };
  }
  if (Refusal.is(found) && (await exists(entry.root))) return { error: found.slug, reason: found.message };
  return { error: 'root_missing', reason: `its worktree is gone, and ${short} is not on the trunk` };
}

async function landedCommit(repo: Repository, { commit }: Entry, ctx: Context): Promise<string | undefined> {
  const trunk = requireTrunk(repo);
  try {
    if (await isAncestor(repo.top, commit, trunk.commit)) return trunk.commit;
    const as = await landedAs(repo, commit);
    return as ?? ((await isLanded(repo, commit)) ? trunk.commit : undefined);
  } catch (error) {
    // Its commit may be gone with its worktree.
    ctx.emit({
      type: 'progress',
      message: `${commit.slice(0, 10)} cannot be looked for: ${String(error).slice(0, 200)}`,
    });
    return undefined;
  }
}

/** Why an entry is not to land on the trunk as it is: its work may be on commits that somebody took off it. */
async function notOfThisTrunk(
  repo: Repository,
  there: Repository,
  { onto }: Entry,
): Promise<string | undefined> {
  const { name, commit } = requireTrunk(repo);
  if (there.trunk?.name !== name) return `its trunk is ${there.trunk?.name ?? 'not known'} there`;
  if (onto === undefined || onto === commit || (await isAncestor(repo.top, onto, commit))) return undefined;
  return `${name} was at ${onto.slice(0, 10)} when this was queued, and has that commit no more: see that the work should land as it is, then queue it again`;
}
