import type { Generated } from '../../contract/config.ts';
import type { LoadedConfig } from '../config/index.ts';
import { type PlannedJob, timeLimit } from './planned-job.ts';
import { scopeMatchers } from './scope-paths.ts';

export const generatedJob = (name: string) => `generated:${name}`;

/** The generators, as jobs of the build stage: what they make is there before anything checks it. */
export function generatedJobs(loaded: LoadedConfig): PlannedJob[] {
  return loaded.config.generated.map((group) => ({
    name: generatedJob(group.name),
    stage: 'build',
    kind: 'generated',
    commands: group.run,
    ...timeLimit(group.timeout, loaded),
  }));
}

/** Finds the group that owns a path of the project; the first one that claims it. */
export function generatedOwner(groups: readonly Generated[]): (path: string) => Generated | undefined {
  const owners = groups.map((group) => ({ group, owns: scopeMatchers(group.paths) }));
  return (path) => owners.find(({ owns }) => owns(path))?.group;
}
