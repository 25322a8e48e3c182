import type { FleetData, FleetWorktree, SessionRow } from './verbs-fleet.ts';

/** What the words about a worktree are made from. */
type Told = Omit<Partial<FleetWorktree>, 'sessions'>;

/** How a worktree stands, in a few words: why a person is needed is not among them. */
export function worktreeWords(one: Told): string[] {
  const { changes, gate, last_run: run, phase, todos, tickets = [] } = one;
  const changed = changes ? changes.staged + changes.unstaged + changes.untracked : 0;
  return [
    ...(one.location === 'main' ? ['main'] : []),
    ...(one.missing ? ['gone'] : []),
    ...(one.parked === undefined ? [] : ['parked']),
    ...(changed > 0 ? ['changed'] : []),
    ...(one.ahead ? [`${one.ahead} ahead`] : []),
    ...(one.behind ? [`${one.behind} behind`] : []),
    ...(one.proof === 'valid' ? ['proved'] : []),
    ...(gate ? [`${gate.verb} runs, ${gate.done} of ${gate.jobs} jobs done`] : []),
    ...(run && !run.ok && !gate ? [`${run.verb} ${run.error ?? 'failed'}`] : []),
    ...(one.queue === undefined ? [] : [`${one.queue} in the queue`]),
    ...(phase ? [`${phase.word}${phase.note === undefined ? '' : `: ${phase.note}`}`] : []),
    ...(todos ? [`${todos.done} of ${todos.all} to-dos done`] : []),
    ...tickets.map(({ ref }) => ref),
  ];
}

/** A session in a line. */
export const sessionWords = ({ client, id, state, needs_attention: why, title }: SessionRow): string =>
  `${client} ${id} ${why === undefined ? state : `${state}, ${why}`}${title === undefined ? '' : `: ${title}`}`;

/** What a project is where it has nothing to show. */
export const projectWords = ({
  vanished,
  problem,
  empty,
}: FleetData['projects'][number]): string | undefined =>
  vanished ? 'its repository is gone' : (problem ?? (empty ? 'no worktrees' : undefined));
