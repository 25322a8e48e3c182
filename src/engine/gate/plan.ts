import type { Stage } from '../../contract/envelope.ts';
import type { LoadedConfig } from '../config/index.ts';
import type { Classification } from './scopes.ts';

/** One job to run: commands in order, under one time budget. */
export interface PlannedJob {
  name: string;
  stage: Stage;
  commands: string[];
  /** Milliseconds; absent for no limit. */
  timeoutMs?: number;
}

/** Jobs that run together, after the groups before them. */
export interface JobGroup {
  serial: boolean;
  jobs: PlannedJob[];
}

export type GateMode = 'prepare' | 'test' | 'done';

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
 * What a gate verb will run, in order (contract §6): fix one by one, then build, then check and test together, then the
 * gates of the scopes that changed. Groups without a job are left out.
 */
export function planGate(mode: GateMode, { config }: LoadedConfig, scopes: Classification): JobGroup[] {
  const limit = (own: number | undefined) => {
    const seconds = own ?? config.gate.timeout;
    return seconds > 0 ? { timeoutMs: seconds * 1000 } : {};
  };
  const jobs: PlannedJob[] = config.jobs.map((job) => ({
    name: job.name,
    stage: job.stage,
    commands: job.commands,
    ...limit(job.timeout),
  }));
  for (const scope of scopes.scopes) {
    if (!scope.changed || !scope.commands) continue;
    jobs.push({
      name: `scope:${scope.name}`,
      stage: 'scope',
      commands: scope.commands,
      ...limit(scope.timeout),
    });
  }
  return stagesOf[mode]
    .map(({ stages, serial }) => ({ serial, jobs: jobs.filter((job) => stages.includes(job.stage)) }))
    .filter((group) => group.jobs.length > 0);
}
