import type { Repository } from '../repository/repository.ts';
import { PRUNE } from '../state/remedies.ts';
import type { Ledger } from '../worktree/ledger.ts';
import { findVanished, reclaim, reclaimable } from '../worktree/reclaim.ts';
import type { Leftover } from './leftover.ts';

/** What worktrees that are gone had outside of themselves, and the files about it that cannot be read. */
export async function vanishedResources(repo: Repository): Promise<Leftover[]> {
  const { ledgers, unreadable } = await findVanished(repo);
  return [
    ...ledgers.map(stillThere),
    ...unreadable.map((path) => ({
      what: `${path} names what a worktree has, and cannot be read as one this user wrote in this repository, so nothing it says is run.`,
      remedy: `destroy what it names, then rm '${path}'`,
    })),
  ];
}

function stillThere(ledger: Ledger): Leftover {
  const names = reclaimable(ledger).join(', ');
  return {
    what: `${ledger.id} is gone, and what it had is still there: ${names}.`,
    remedy: PRUNE,
    cleanup: {
      action: 'destroy resources',
      detail: `${names}, of ${ledger.id}, which is gone`,
      async perform(repo, ctx) {
        const { left, steps } = await reclaim(repo, ledger, 'reclaim', ctx);
        const still = reclaimable(ledger).filter((name) => left.includes(name));
        if (still.length === 0) return undefined;
        const output = steps.find(({ outcome }) => outcome !== 'passed')?.output_path;
        throw new Error(`Could not destroy ${still.join(', ')}${output ? ` (see ${output})` : ''}.`);
      },
    },
  };
}
