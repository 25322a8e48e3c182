import type { Stage } from '../../contract/envelope.ts';
import type { GateVerb } from '../../contract/traits.ts';
import type { LoadedConfig } from '../config/index.ts';
import { generatedJobs } from './generated.ts';
import { type PlannedJob, timeLimit } from './planned-job.ts';
import type { Classification } from './scopes.ts';

/** Jobs that run together, after the groups before them. */
export interface JobGroup {
  serial: boolean;
  jobs: PlannedJob[];
}

export type GateMode = GateVerb;

const stagesOf: Record<GateMode, { stages: Stage[]; serial: boolean }[]> = {
  prepare: [
    { stages: ['fix'], serial: true },
    { stages: ['check'], serial: false },
  ],
  test: [{ stages: ['test'], serial: false }],
  done: [
    { stages: ['fix'], serial: true },
    { stages: ['build'], serial: false },
    { stages: ['check', 'test'], serial: false },
    { stages: ['scope'], serial: false },
  ],
};

/**
 * What a gate verb will run, in order (contract §6): fix one by one, then build with the generators, then check and test
 * together with the standards' measurements, then the gates of the scopes that changed. Groups without a job are left out.
 */
export function planGate(
  mode: GateMode,
  loaded: LoadedConfig,
  scopes: Classification,
  measurements: readonly PlannedJob[],
): JobGroup[] {
  const { config } = loaded;
  const jobs: PlannedJob[] = config.jobs.map((job) => ({
    name: job.name,
    stage: job.stage,
    commands: job.commands,
    ...timeLimit(job.timeout, loaded),
  }));
  if (mode === 'done') jobs.push(...generatedJobs(loaded), ...measurements);
  for (const scope of scopes.scopes) {
    if (!scope.changed || !scope.commands) continue;
    jobs.push({
      name: `scope:${scope.name}`,
      stage: 'scope',
      commands: scope.commands,
      ...timeLimit(scope.timeout, loaded),
    });
  }
  return stagesOf[mode]
    .map(({ stages, serial }) => ({ serial, jobs: jobs.filter((job) => stages.includes(job.stage)) }))
    .filter((group) => group.jobs.length > 0);
}

/** Splits a plan for a change that is neutral: only what guards every change is run, the rest is spared. */
export function spareNeutral(groups: readonly JobGroup[]): { run: JobGroup[]; spared: PlannedJob[] } {
  const needed = (job: PlannedJob) => job.stage === 'scope' || job.kind !== undefined;
  return {
    run: groups
      .map((group) => ({ ...group, jobs: group.jobs.filter(needed) }))
      .filter((group) => group.jobs.length > 0),
    spared: groups.flatMap((group) => group.jobs.filter((job) => !needed(job))),
  };
}
