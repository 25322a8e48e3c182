import { basename, join } from 'node:path';
import { isInside } from '../../contract/inside.ts';
import { messageOf } from '../../contract/values.ts';
import type { FleetProject, FleetWorktree, SessionRow } from '../../contract/verbs-fleet.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { exists } from '../files/files.ts';
import { hasPlace, placesOf, readQueue } from '../queue/entries.ts';
import { homeOf } from '../repository/home.ts';
import { openRepository, type Repository } from '../repository/repository.ts';
import { CONFIG_FILE } from '../repository/root.ts';
import { realWorktreesDir } from '../worktree/place.ts';
import { byUrgency, isStranded, reasonsFor } from './attention.ts';
import { type Looked, lookAtCheckouts } from './checkouts.ts';
import type { KnownProject } from './known-projects.ts';
import type { PlacedSession } from './placed-sessions.ts';

/** Sessions of one worktree that are told, those that have ended last. */
const MOST_SESSIONS = 8;

/** A known project, opened; or why it cannot be, and whether its repository is gone. */
export async function openKnown(
  project: KnownProject,
  ctx: Context,
): Promise<{ repo: Repository } | { problem: string; vanished: boolean }> {
  if (!(await exists(project.commonDir))) return { problem: `${project.commonDir} is gone.`, vanished: true };
  const known = await exists(join(project.root, CONFIG_FILE));
  try {
    const root = known ? project.root : await homeOf(project);
    if (root === undefined) return { problem: `No checkout of it has a ${CONFIG_FILE}.`, vanished: false };
    return { repo: await openRepository(root, ctx.signal) };
  } catch (error) {
    if (Refusal.is(error) && error.slug === 'cancelled') throw error;
    // One project that cannot be read does not hide the others.
    return { problem: messageOf(error), vanished: false };
  }
}

/** A project with every worktree of it and the sessions in each, those that need a person first. */
export async function lookAtProject(
  project: KnownProject,
  placed: readonly PlacedSession[],
  ctx: Context,
): Promise<FleetProject> {
  const opened = await openKnown(project, ctx);
  if ('repo' in opened) {
    try {
      return await lookInto(opened.repo, placed, ctx);
    } catch (error) {
      if (Refusal.is(error) && error.slug === 'cancelled') throw error;
      // It was taken away, or damaged, while it was looked at.
      return nothingOf(project, { problem: messageOf(error) });
    }
  }
  return nothingOf(project, opened.vanished ? { vanished: true } : { problem: opened.problem });
}

const nothingOf = (
  { root }: KnownProject,
  why: Pick<FleetProject, 'vanished' | 'problem'>,
): FleetProject => ({ root, name: basename(root), ...why, worktrees: [] });

async function lookInto(
  repo: Repository,
  placed: readonly PlacedSession[],
  ctx: Context,
): Promise<FleetProject> {
  const [looked, { entries }] = await Promise.all([lookAtCheckouts(repo, ctx), readQueue(repo.commonDir)]);
  const places = placesOf(entries);
  const placeOf = (path: string) =>
    places.get(entries.findLast((one) => hasPlace(one) && one.worktree === path)?.number ?? 0);
  const sessions = await sessionsOf(repo, looked, placed);
  const worktrees = looked.map((one) => {
    const stranded = isStranded(one, looked);
    const own = markStrand(sessions.get(one) ?? [], stranded);
    const place = placeOf(one.row.path);
    const row = { ...told(one, own, reasonsFor(one, own, stranded)) };
    return place === undefined ? row : { ...row, queue: place };
  });
  return {
    root: repo.root,
    name: repo.config.config.project.name ?? basename(repo.root),
    ...(repo.trunk && { trunk: repo.trunk.name }),
    ...(looked.every(({ row }) => row.location === 'main') && { empty: true }),
    worktrees: worktrees.sort(byUrgency),
  };
}

/** Which session belongs to which worktree: where it stands, unless a worktree follows it; one whose directory is gone to where that was. */
async function sessionsOf(
  repo: Repository,
  looked: readonly Looked[],
  placed: readonly PlacedSession[],
): Promise<Map<Looked, SessionRow[]>> {
  const found = new Map<Looked, SessionRow[]>();
  const byTop = new Map(looked.map((one) => [one.row.path, one]));
  const home = looked.find(({ row }) => row.location === 'main');
  const within = await realWorktreesDir(repo);
  const follower = ({ id, client }: SessionRow) =>
    looked.find(({ follows }) => follows?.session === id && follows.client === client);
  for (const { row, top, gone } of placed) {
    const lost = gone === undefined ? undefined : looked.find((one) => isInside(gone, one.row.path));
    const place =
      follower(row) ??
      (top === undefined ? lost : byTop.get(top)) ??
      (gone !== undefined && isInside(gone, within) ? home : undefined);
    if (place === undefined) continue;
    const missing = gone !== undefined && row.state !== 'ended';
    const shown = missing ? { ...row, needs_attention: 'root missing' } : row;
    found.set(place, [...(found.get(place) ?? []), shown]);
  }
  return found;
}

/** A session that is alive in a checkout whose work belongs elsewhere says so, unless it needs a person for something else. */
const markStrand = (sessions: readonly SessionRow[], stranded: boolean): SessionRow[] =>
  sessions.map((one) =>
    stranded && one.state !== 'ended' && one.needs_attention === undefined
      ? { ...one, needs_attention: 'strand' }
      : one,
  );

function told({ row, active }: Looked, sessions: readonly SessionRow[], reasons: string[]): FleetWorktree {
  const alive = sessions.filter(({ state }) => state !== 'ended');
  const ended = sessions.filter(({ state }) => state === 'ended');
  const times = sessions.map(({ last_activity: at }) => Date.parse(at) || 0);
  const last = Math.max(active, ...times);
  return {
    ...row,
    sessions: [...alive, ...ended].slice(0, MOST_SESSIONS),
    ...(reasons.length > 0 && { needs_attention: reasons }),
    ...(last > 0 && { last_activity: new Date(last).toISOString() }),
  };
}
