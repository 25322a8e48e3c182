import { scrubbedEnv } from '../process/env.ts';
import type { Repository } from '../repository/repository.ts';
import { identityVariables, projectSlug } from './handles.ts';
import { namesOf } from './identity.ts';
import { reportedVariables } from './reported.ts';

/** The environment of a job (contract §6). */
export const jobEnv = async (repo: Repository): Promise<NodeJS.ProcessEnv> => ({
  ...scrubbedEnv(),
  ...(await ownVariables(repo)),
});

/**
 * What whatever runs in a checkout is told of it: the files where work on it is reported, and in a worktree of ours its identity and the
 * names of its resources.
 */
export async function ownVariables(repo: Repository): Promise<Record<string, string>> {
  const record = repo.linked ? await namesOf(repo.gitDir) : undefined;
  const resources = repo.config.config.worktree.resources.map(({ name }) => name);
  return {
    DISCERN_ROOT: repo.root,
    ...reportedVariables(repo.gitDir),
    ...(record && identityVariables({ slug: projectSlug(repo), ...record }, resources)),
  };
}
