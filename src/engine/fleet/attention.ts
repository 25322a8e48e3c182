import type { FleetWorktree, SessionRow } from '../../contract/verbs-fleet.ts';
import type { Looked } from './checkouts.ts';

/** How a run of the gate ends that found the work wrong, rather than being stopped. */
const red: ReadonlySet<string> = new Set([
  'gate_failed',
  'timed_out',
  'tree_drift',
  'generated_drift',
  'standard_regressed',
]);

/** Why a person is needed in a worktree, by what git, its gate and its agent say of it; each reason once, the sessions' first. */
export function reasonsFor({ row }: Looked, sessions: readonly SessionRow[], stranded: boolean): string[] {
  const alive = sessions.filter(({ state }) => state !== 'ended');
  const asked = alive.flatMap(({ needs_attention: why }) => why ?? []);
  return [
    ...new Set([
      ...asked,
      ...(row.phase?.blocked ? ['blocked'] : []),
      ...(isRed(row) ? ['gate red'] : []),
      ...(isLeftBehind(row, alive) ? ['behind'] : []),
      ...(stranded ? ['strand'] : []),
      ...(row.missing ? ['root missing'] : []),
    ]),
  ];
}

/** The gate's last word was no, nothing runs that may change it, and nothing has been proved since. */
const isRed = ({ gate, last_run: run, proof }: Looked['row']): boolean =>
  gate === undefined && proof !== 'valid' && run?.ok === false && red.has(run.error ?? '');

/** Work that could not land as it is, and that nobody is at. */
const isLeftBehind = (
  { ahead = 0, behind = 0, gate }: Looked['row'],
  alive: readonly SessionRow[],
): boolean =>
  ahead > 0 && behind > 0 && gate === undefined && !alive.some(({ state }) => state === 'working');

/**
 * True of the checkout where work lands while its tracked files change and a worktree that discern made before has no work of its own:
 * somebody may be editing in the wrong one (contract §8).
 */
export function isStranded(home: Looked, all: readonly Looked[]): boolean {
  const { edited } = home;
  if (home.row.location !== 'main' || edited === undefined) return false;
  return all.some(
    ({ row, made }) =>
      row.location === 'worktree' && row.managed && made !== undefined && made < edited && isPristine(row),
  );
}

const isPristine = ({ ahead, changes }: Looked['row']): boolean =>
  ahead === 0 && changes !== undefined && changes.staged + changes.unstaged + changes.untracked === 0;

/** Worktrees in the order they matter to a person: those that need one, then the last active. */
export function byUrgency(a: FleetWorktree, b: FleetWorktree): number {
  const needs = ({ needs_attention: why = [] }: FleetWorktree) => (why.length > 0 ? 1 : 0);
  const time = ({ last_activity: at = '' }: FleetWorktree) => Date.parse(at) || 0;
  return needs(b) - needs(a) || time(b) - time(a);
}
