import type { Config, Resource } from '../../contract/config.ts';
import type { Context } from '../call/context.ts';
import { point } from '../faults/faults.ts';
import { scrubbedEnv } from '../process/env.ts';
import type { Repository } from '../repository/repository.ts';
import { Commands, type CommandsResult, type Order } from './commands.ts';
import { expandTokens, type Identity, identityVariables } from './handles.ts';
import { type Entry, type Ledger, readLedger, withResources, writeLedger } from './ledger.ts';

type Action = 'create' | 'ensure' | 'destroy';

const isBlank = (command: string) => command.trim() === '';

const order = (
  action: Action,
  { name, required, retries }: Pick<Entry, 'name' | 'required' | 'retries'>,
  command: string,
): Order => ({
  name: `worktree.resources.${name}.${action}`,
  command,
  // In the published format a check that fails is a warning: what it checks may only not be up yet.
  required: required && action !== 'ensure',
  retries,
});

/** How many commands making the resources of a worktree ready takes, where each needs one. */
export const resourceCommands = ({ worktree }: Config): number =>
  worktree.resources.filter(({ create, ensure }) => !isBlank(create) || !isBlank(ensure)).length;

/**
 * Makes every declared resource of a worktree ready, in the order of the file: creates what is not there, clears away and
 * creates anew what was left half made, and runs `ensure` for what was there before or has no `create`. What is about to be created is written down first, so that
 * dying in the middle leaves a record to destroy it by. Stops at the first failure of a required one, which
 * `commands.result.failed` then names.
 */
export async function readyResources(
  worktree: Repository,
  identity: Identity,
  commands: Commands,
  ctx: Context,
): Promise<void> {
  const { resources } = worktree.config.config.worktree;
  if (resources.length === 0) return;
  await withResources(worktree.commonDir, identity.id, ctx, async () => {
    const ledger = (await readLedger(worktree.commonDir, identity.id)) ?? newLedger(worktree, identity);
    for (const resource of resources) {
      const expand = (command: string) => expandFor(worktree, identity, resource, command);
      const before = await make({ worktree, ledger, resource, expand, commands });
      if (commands.result.failed) return;
      if (before && !isBlank(resource.ensure)) {
        await commands.run(order('ensure', resource, expand(resource.ensure)));
        // Only a call that was cancelled ends here.
        if (commands.result.failed) return;
      }
    }
  });
}

function newLedger(worktree: Repository, { id, slug, port }: Identity): Ledger {
  const { top: path, gitDir: git_dir } = worktree;
  const { timeout } = worktree.config.config.gate;
  return { version: 1, id, slug, port, path, git_dir, timeout, resources: [] };
}

function expandFor(worktree: Repository, identity: Identity, { name }: Resource, command: string): string {
  const projectSlug = worktree.config.config.project.slug || identity.slug;
  return expandTokens(command, identity, { resource: name, dir: worktree.root, projectSlug });
}

interface Making {
  worktree: Repository;
  ledger: Ledger;
  resource: Resource;
  expand: (command: string) => string;
  commands: Commands;
}

/** Creates a resource unless it is there. True when it was, or when there is nothing to create. */
async function make({ worktree, ledger, resource, expand, commands }: Making): Promise<boolean> {
  if (isBlank(resource.create) && isBlank(resource.destroy)) return true;
  const { name, required, retries, prunable: gc } = resource;
  const entry: Entry = { name, state: 'intent', destroy: expand(resource.destroy), required, retries, gc };
  const index = ledger.resources.findIndex((one) => one.name === name);
  const known = ledger.resources[index];
  const put = async (one: Entry) => {
    ledger.resources[index === -1 ? ledger.resources.length - 1 : index] = one;
    await writeLedger(worktree.commonDir, ledger);
  };
  if (known?.state === 'ready') {
    // Whoever mends a destroy that fails wants the mended one to run.
    if (JSON.stringify(known) !== JSON.stringify({ ...entry, state: 'ready' }))
      await put({ ...entry, state: 'ready' });
    return true;
  }
  if (known && !isBlank(known.destroy) && !(await commands.run(order('destroy', known, known.destroy))))
    return false;
  if (index === -1) ledger.resources.push(entry);
  await put(entry);
  await point('resource.recorded');
  if (
    !isBlank(resource.create) &&
    !(await commands.run(order('create', resource, expand(resource.create))))
  ) {
    return false;
  }
  await point('resource.created');
  await put({ ...entry, state: 'ready' });
  return isBlank(resource.create);
}

/** What destroying a worktree's resources came to. */
export interface Teardown extends CommandsResult {
  /** Those that are still there, and stay written down; the next call tries them again. */
  left: string[];
  /** Why the worktree should stay, in words; absent when nothing required is left. */
  reason?: string;
}

const nothing = (): Teardown => ({ steps: [], diagnostics: [], hints: [], left: [] });

export interface TeardownPlace {
  commonDir: string;
  id: string;
  /** Where the commands run: the project root in the worktree, or in another checkout when it is gone. */
  root: string;
}

/**
 * Destroys what is written down of a worktree's resources, the last one first. A record goes once its destroy has passed,
 * and not before. A required one that fails ends it, since those before it may be what it stands on; with `anyway` the
 * others are tried too. Refuses `busy` when another process is at them.
 */
export async function destroyResources(
  { commonDir, id, root }: TeardownPlace,
  verb: string,
  ctx: Context,
  { anyway = false, only = () => true }: { anyway?: boolean; only?: (entry: Entry) => boolean } = {},
): Promise<Teardown> {
  if (!(await readLedger(commonDir, id))) return nothing();
  return withResources(commonDir, id, ctx, async () => {
    const ledger = await readLedger(commonDir, id);
    if (!ledger) return nothing();
    const names = ledger.resources.map(({ name }) => name);
    const env = { ...scrubbedEnv(), DISCERN_ROOT: root, ...identityVariables(ledger, names) };
    const commands = new Commands({ commonDir, root, env, timeout: ledger.timeout }, verb, ctx);
    const doomed = ledger.resources.filter(only).reverse();
    commands.plan(doomed.filter(({ destroy }) => !isBlank(destroy)).length);
    for (const entry of doomed) {
      const what = order('destroy', anyway ? { ...entry, required: false } : entry, entry.destroy);
      const gone = isBlank(entry.destroy) || (await commands.run(what));
      if (commands.result.failed) break;
      if (!gone) continue;
      await point('resource.destroyed');
      ledger.resources = ledger.resources.filter((one) => one !== entry);
      await writeLedger(commonDir, ledger);
    }
    return conclude(commands.result, ledger, ctx);
  });
}

function conclude(result: CommandsResult, ledger: Ledger, ctx: Context): Teardown {
  const left = ledger.resources.map(({ name }) => name);
  if (!result.failed) return { ...result, left };
  const last = result.steps.at(-1);
  const how = ctx.signal.aborted
    ? 'the call was cancelled'
    : last?.outcome === 'timed_out'
      ? `"${result.failed.command}" ran out of time`
      : `"${result.failed.command}" failed`;
  const which = left.length === 1 ? `the resource ${left[0]} is` : `the resources ${left.join(', ')} are`;
  return {
    ...result,
    left,
    reason: `${which} still there (${how}${last?.output_path ? `, see ${last.output_path}` : ''})`,
  };
}
