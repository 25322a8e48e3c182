import type { Context } from '../call/context.ts';
import { type Config, loadConfig } from '../config/index.ts';
import { lockCheckout } from '../repository/checkout.ts';
import { openRepository, type Repository, rootIn } from '../repository/repository.ts';
import { holding } from '../state/lock.ts';
import type { CommandsResult, Order } from '../worktree/commands.ts';
import { checkoutCommands, repositoryEnsures } from '../worktree/setup.ts';
import { inWords } from './land.ts';

/** What came of making the landing checkout ready; `reason` says in words why it may not be. */
export type Convergence = Partial<CommandsResult> & { reason?: string };

/**
 * Makes the landing checkout ready for what has just landed there: the repository's ensures, then its smoke job (the
 * published format). What has landed stays, whatever they come to. `undefined` where there is nothing to run.
 */
export async function converge(
  repo: Repository,
  landing: string,
  ctx: Context,
): Promise<Convergence | undefined> {
  try {
    const root = rootIn(repo, landing);
    const orders = ordersOf((await loadConfig(root)).config);
    if (orders.length === 0) return undefined;
    const fresh = await openRepository(root);
    const lock = await lockCheckout(fresh, fresh, 'making it ready after a landing', ctx);
    const result = await holding(lock, async () => {
      const commands = await checkoutCommands(fresh, 'accept', ctx);
      commands.plan(orders.length);
      await commands.runAll(orders);
      return commands.result;
    });
    const { failed, steps } = result;
    if (!failed) return result;
    const late = steps.at(-1)?.outcome === 'timed_out';
    const how = ctx.signal.aborted ? 'was cancelled' : late ? 'ran out of time' : 'failed';
    return { ...result, reason: `"${failed.command}" (${failed.name}) ${how} in ${fresh.root} afterwards` };
  } catch (error) {
    return { reason: `${landing} could not be made ready for it: ${inWords(error)}` };
  }
}

function ordersOf(config: Config): Order[] {
  const smoke = config.jobs.find(({ name }) => name === 'smoke');
  return [
    ...repositoryEnsures(config),
    ...(smoke?.commands ?? []).map((command) => ({
      name: 'jobs.smoke',
      command,
      ...(smoke?.timeout !== undefined && { timeout: smoke.timeout }),
    })),
  ];
}
