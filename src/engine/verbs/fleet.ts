import type { Result } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { Args } from '../../contract/verbs.ts';
import type { FleetProject } from '../../contract/verbs-fleet.ts';
import type { Context } from '../call/context.ts';
import { alsoLooking } from '../call/looking.ts';
import { Refusal } from '../call/refusal.ts';
import { byUrgency } from '../fleet/attention.ts';
import { knownProjects } from '../fleet/known-projects.ts';
import { placedSessions } from '../fleet/placed-sessions.ts';
import { lookAtProject } from '../fleet/project.ts';
import { matchesTicket } from '../fleet/ticket-ref.ts';

const MOST_VANISHED = 20;

/**
 * Every project this user's servers and command lines have met, each worktree with how it stands, and the agents' sessions in it: those
 * that need a person first, then the last active. Changes nothing, and runs nothing of any repository's. Refuses `invalid_argument` for
 * what is no ticket.
 */
export async function fleet(root: string, args: Args<'fleet'>, ctx: Context): Promise<Result<'fleet'>> {
  const shows = args.ticket === undefined ? undefined : matchesTicket(args.ticket);
  return alsoLooking(async () => {
    const [{ projects: known, lost }, { placed, unread }] = await Promise.all([
      knownProjects(root, ctx),
      placedSessions(ctx),
    ]);
    const looked = await Promise.all(known.map((project) => lookAtProject(project, placed, ctx)));
    const all = withoutOldLosses(looked);
    if (ctx.signal.aborted) throw new Refusal('cancelled', 'The call was cancelled; nothing was changed.');
    const projects = shows
      ? all
          .map((one) => ({
            ...one,
            worktrees: one.worktrees.filter(({ tickets = [] }) => tickets.some(shows)),
          }))
          .filter(({ worktrees }) => worktrees.length > 0)
      : all;
    const worktrees = projects.flatMap((one) => one.worktrees);
    const attention = worktrees.filter((one) => one.needs_attention !== undefined).length;
    const needing = `${attention} ${attention === 1 ? 'needs' : 'need'} a person`;
    return {
      ok: true,
      data: {
        projects: projects.sort(byFirst),
        worktrees: worktrees.length,
        attention,
        // Which clients this machine has is not for callers from elsewhere.
        ...(unread.length > 0 && !ctx.serves && { unread }),
      },
      ...(lost.length > 0 && { hints: lost }),
      message: `${count(projects.length, 'project')}, ${count(worktrees.length, 'checkout')}; ${needing}.`,
    };
  });
}

/** Projects that have vanished are told while they are few: those that were met last. */
function withoutOldLosses(projects: readonly FleetProject[]): FleetProject[] {
  let vanished = 0;
  return projects.filter((one) => !one.vanished || ++vanished <= MOST_VANISHED);
}

/** Projects in the order of their most urgent worktrees; those without any last. */
function byFirst(a: FleetProject, b: FleetProject): number {
  const [[one], [other]] = [a.worktrees, b.worktrees];
  if (one === undefined || other === undefined) return (one ? 0 : 1) - (other ? 0 : 1);
  return byUrgency(one, other);
}
