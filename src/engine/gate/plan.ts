import type { Stage } from '../../contract/envelope.ts';
import type { GateVerb } from '../../contract/traits.ts';
import type { LoadedConfig } from '../config/index.ts';
import { generatedJobs } from '../jobs/generated.ts';
import { type PlannedJob, timeLimit } from '../jobs/planned-job.ts';
import type { Classification, ClassifiedScope } from '../jobs/scopes.ts';
import { needing, scopeJob } from '../jobs/selectors.ts';

/** Jobs that run together, after the groups before them. */
export interface JobGroup {
  serial: boolean;
  jobs: PlannedJob[];
}

export type GateMode = GateVerb;

/** Fix jobs run one by one, then the groups of the others one after another (contract §6). */
const levels: Record<Stage, number> = { fix: 0, build: 1, check: 2, test: 2, scope: 3 };

/** Every job of `[jobs]`, every generator and every scope's gate, whether or not this run wants it. */
export function declaredJobs(loaded: LoadedConfig, scopes: readonly ClassifiedScope[]): PlannedJob[] {
  const { config } = loaded;
  return [
    ...config.jobs.map(
      (job): PlannedJob => ({
        name: job.name,
        stage: job.stage,
        commands: job.commands,
        evidence: job,
        ...needing(job.needs),
        ...timeLimit(job.timeout, loaded),
      }),
    ),
    ...generatedJobs(loaded),
    ...scopes.flatMap(({ name, commands, timeout, needs, evidence }): PlannedJob[] =>
      commands
        ? [
            {
              name: scopeJob(name),
              stage: 'scope',
              commands,
              evidence,
              ...needing(needs),
              ...timeLimit(timeout, loaded),
            },
          ]
        : [],
    ),
  ];
}

/**
 * What a gate verb will run, in order (contract §6): fix one by one, then build with the generators, then check and test
 * together with the standards' measurements, then the gates of the scopes that changed. What a wanted job needs is wanted
 * too; groups without a job are left out.
 */
export function planGate(
  mode: GateMode,
  loaded: LoadedConfig,
  scopes: Classification,
  measurements: readonly PlannedJob[],
): JobGroup[] {
  const triggered = new Set(scopes.scopes.filter((one) => one.triggered).map(({ name }) => scopeJob(name)));
  const all = [...declaredJobs(loaded, scopes.scopes), ...measurements];
  const wanted: Record<GateMode, (job: PlannedJob) => boolean> = {
    prepare: ({ stage, kind }) => stage === 'fix' || stage === 'check' || kind === 'generated',
    test: ({ stage, kind }) => stage === 'test' && kind === undefined,
    done: ({ name, stage }) => stage !== 'scope' || triggered.has(name),
  };
  return planJobs(all, wanted[mode]);
}

/** The wanted among all jobs, with everything they need, in groups that run one after another. */
export function planJobs(all: readonly PlannedJob[], isWanted: (job: PlannedJob) => boolean): JobGroup[] {
  const known = new Map(all.map((job) => [job.name, job]));
  const chosen = new Map<string, number>();
  // The config has no round of needs, so this ends.
  const choose = (job: PlannedJob): number => {
    const before = chosen.get(job.name);
    if (before !== undefined) return before;
    const below = (job.needs ?? []).flatMap((name) => known.get(name) ?? []).map(choose);
    const level = Math.max(levels[job.stage], ...below);
    chosen.set(job.name, level);
    return level;
  };
  for (const job of all) if (isWanted(job)) choose(job);
  const read = new Set(
    all.flatMap(({ name, reads }) => (chosen.has(name) && reads !== undefined ? [reads] : [])),
  );
  return [...new Set(Object.values(levels))].flatMap((level): JobGroup[] => {
    const jobs = all
      .filter(({ name }) => chosen.get(name) === level)
      .map((job) => (read.has(job.name) ? { ...job, isRead: true } : job));
    if (jobs.length === 0) return [];
    return [{ serial: level === levels.fix, jobs: level === levels.fix ? inOrder(jobs) : jobs }];
  });
}

/** Jobs that run one by one, each behind what it needs, else as they stand. */
function inOrder(jobs: readonly PlannedJob[]): PlannedJob[] {
  const known = new Map(jobs.map((job) => [job.name, job]));
  const ordered = new Set<PlannedJob>();
  const put = (job: PlannedJob) => {
    for (const name of job.needs ?? []) {
      const need = known.get(name);
      if (need && !ordered.has(need)) put(need);
    }
    ordered.add(job);
  };
  for (const job of jobs) put(job);
  return [...ordered];
}
