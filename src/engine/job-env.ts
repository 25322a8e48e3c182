import { scrubbedEnv } from './env.ts';
import { readRecord } from './identity.ts';
import type { Repository } from './repository.ts';

/** The environment of a job (contract §6). */
export async function jobEnv(
  repo: Pick<Repository, 'root' | 'gitDir' | 'linked'>,
): Promise<NodeJS.ProcessEnv> {
  const record = repo.linked ? await readRecord(repo.gitDir) : undefined;
  return {
    ...scrubbedEnv(),
    DISCERN_ROOT: repo.root,
    ...(record && { DISCERN_WORKTREE_ID: record.id, DISCERN_WORKTREE_PORT: String(record.port) }),
  };
}
