import { scrubbedEnv } from '../process/env.ts';
import type { Repository } from '../repository/repository.ts';
import { identityVariables, projectSlug } from './handles.ts';
import { namesOf } from './identity.ts';
import { reportedVariables } from './reported.ts';

/**
 * The environment of a job (contract §6): with the files where work on this checkout is reported, and in a worktree of ours with its
 * identity and the names of its resources.
 */
export async function jobEnv(repo: Repository): Promise<NodeJS.ProcessEnv> {
  const record = repo.linked ? await namesOf(repo.gitDir) : undefined;
  const resources = repo.config.config.worktree.resources.map(({ name }) => name);
  return {
    ...scrubbedEnv(),
    DISCERN_ROOT: repo.root,
    ...reportedVariables(repo.gitDir),
    ...(record && identityVariables({ slug: projectSlug(repo), ...record }, resources)),
  };
}
