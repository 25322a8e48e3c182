import { join } from 'node:path';
import type { Context } from '../call/context.ts';
import { loadConfig } from '../config/index.ts';
import type { Repository } from '../repository/repository.ts';
import type { CommandsResult } from './commands.ts';
import { fillEnvFiles, portUnwritten } from './environment.ts';
import type { Identity } from './handles.ts';
import { digestOf } from './leave-rest.ts';
import { readyResources, resourceCommands } from './resources.ts';
import { checkoutCommands, ensureCommands, stepCommands } from './setup.ts';

/** The new worktree as `openRepository` would read it, from what is known of it: no git has to be asked. */
export async function opened(
  repo: Repository,
  { path, branch, baseCommit }: { path: string; branch: string | null; baseCommit: string },
  root: string,
  gitDir: string,
): Promise<Repository> {
  const on = branch === null ? { detached: true } : { branch: `refs/heads/${branch}`, detached: false };
  const self = { path, head: baseCommit, bare: false, ...on };
  return {
    ...repo,
    root,
    top: path,
    gitDir,
    linked: true,
    branch,
    commit: baseCommit,
    worktrees: [...repo.worktrees, self],
    self,
    config: await loadConfig(root),
  };
}

/**
 * Makes a new worktree ready: env files, resources, steps, ensures. The env files are filled again after the steps, since one
 * may make them anew from a template. Where a command failed, `setup.failed` is it, and nothing ran after it.
 */
export async function setUp(
  repo: Repository,
  fresh: Repository,
  identity: Identity,
  { wrote, verb }: { wrote: Map<string, string>; verb: string },
  ctx: Context,
): Promise<{ hints: string[]; setup: CommandsResult }> {
  const hints = await fill(repo, fresh, identity, wrote);
  const commands = await checkoutCommands(fresh, verb, ctx);
  const [steps, ensures] = [stepCommands(fresh), ensureCommands(fresh)];
  commands.plan(resourceCommands(fresh.config.config) + steps.length + ensures.length);
  await readyResources(fresh, identity, commands, ctx);
  const { result } = commands;
  if (!result.failed && (await commands.runAll(steps))) {
    const later = steps.length > 0 ? await fill(repo, fresh, identity, wrote) : [];
    hints.push(...later.filter((hint) => !hints.includes(hint)));
    hints.push(...(await portUnwritten(fresh)));
    await commands.runAll(ensures);
  }
  return { hints, setup: result };
}

/** Fills the env files, and remembers what they then say, so that taking them back takes nobody else's lines along. */
async function fill(
  repo: Repository,
  fresh: Repository,
  identity: Identity,
  wrote: Map<string, string>,
): Promise<string[]> {
  const hints = await fillEnvFiles(repo, fresh, identity);
  for (const file of fresh.config.config.worktree.env_files) {
    const digest = await digestOf(join(fresh.root, file));
    if (digest !== undefined) wrote.set(join(fresh.root, file), digest);
  }
  return hints;
}
