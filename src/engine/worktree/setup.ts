import type { Context } from '../call/context.ts';
import type { Config } from '../config/index.ts';
import type { Repository } from '../repository/repository.ts';
import { Commands, type Order } from './commands.ts';
import { jobEnv } from './job-env.ts';

const numbered = (section: string, commands: readonly string[]): Order[] =>
  commands.map((command, index) => ({ name: `${section}[${index}]`, command }));

/** Commands that make any checkout of the repository ready. */
export const repositoryEnsures = ({ repository }: Config): Order[] =>
  numbered('repository.ensure', repository.ensure);

/** Commands that run on every pass: the repository's, then the worktree's own (contract §5, §7). */
export function ensureCommands(repo: Repository): Order[] {
  const { config } = repo.config;
  const { worktree } = config;
  return [...repositoryEnsures(config), ...numbered('worktree.setup.ensure', worktree.setup.ensure)];
}

/** Commands that run once, when the worktree is made, before the ensures. */
export function stepCommands(repo: Repository): Order[] {
  return numbered('worktree.setup.steps', repo.config.config.worktree.setup.steps);
}

/** What runs a verb's commands in a checkout's root, as its jobs run. The gate's time limit holds for each. */
export async function checkoutCommands(repo: Repository, verb: string, ctx: Context): Promise<Commands> {
  const { commonDir, root } = repo;
  const { timeout } = repo.config.config.gate;
  return new Commands({ commonDir, root, env: await jobEnv(repo), timeout }, verb, ctx);
}
