import type { GateJob } from '../../contract/gate-view.ts';

/** The stages in the order they are shown. */
export const stageOrder = [
  'fix',
  'build',
  'check',
  'test',
  'scope',
  'setup',
] as const satisfies readonly GateJob['stage'][];

/** Most jobs that get a row of their own. */
export const maxRows = 200;

/** A job and the name its row keeps for as long as the run lasts. */
export interface Row {
  key: string;
  job: GateJob;
}

export interface StageGroup {
  stage: GateJob['stage'];
  rows: Row[];
  /** How the stage stands, such as `1 running, 2 passed`; it counts jobs without a row too. */
  summary: string;
}

export interface Timeline {
  groups: StageGroup[];
  /** How many jobs have no row. */
  hidden: number;
}

/** Gives each job its key. Two jobs of one stage and name are told apart by their order. */
function keyed(jobs: readonly GateJob[]): Row[] {
  const seen = new Map<string, number>();
  return jobs.map((job) => {
    const name = `${job.stage}/${job.name}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return { key: times === 1 ? name : `${name}/${times}`, job };
  });
}

/** The less, the sooner a job must be seen when there are too many. */
function rank({ state }: GateJob): number {
  if (state === 'failed' || state === 'timed_out') return 0;
  if (state === 'running') return 1;
  return state === 'cancelled' ? 2 : 3;
}

/**
 * The jobs of a run by stage, each in the order it started. Of more than `limit` the ones that went wrong or are still
 * running are kept first.
 */
export function timelineOf(jobs: readonly GateJob[], limit = maxRows): Timeline {
  const rows = keyed(jobs);
  const kept =
    rows.length <= limit
      ? rows
      : rows.toSorted((one, other) => rank(one.job) - rank(other.job)).slice(0, Math.max(0, limit));
  const shown = new Set(kept.map(({ key }) => key));
  const groups = stageOrder.flatMap((stage) => {
    const all = rows.filter(({ job }) => job.stage === stage);
    const own = all.filter(({ key }) => shown.has(key));
    if (own.length === 0) return [];
    own.sort((one, other) => one.job.start - other.job.start);
    return [{ stage, rows: own, summary: summaryOf(all.map(({ job }) => job)) }];
  });
  return { groups, hidden: rows.length - kept.length };
}

const words = {
  failed: 'failed',
  timed_out: 'timed out',
  running: 'running',
  cancelled: 'cancelled',
  passed: 'passed',
  skipped: 'skipped',
} as const satisfies Record<GateJob['state'], string>;

/** The word for how a job stands. */
export const stateWord = (state: GateJob['state']): string => words[state];

function summaryOf(jobs: readonly GateJob[]): string {
  const counts = new Map<GateJob['state'], number>();
  for (const { state } of jobs) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (Object.keys(words) as GateJob['state'][])
    .flatMap((state) => {
      const number = counts.get(state);
      return number === undefined ? [] : [`${number} ${words[state]}`];
    })
    .join(', ');
}
